// Times Headlight's work for compare_speed.py: reads one request per line, a JSON object, and answers each with one
// line. What is set up beforehand is not in the times.
//
//   {"do": "trace", "setup": TOML, "edit": "input" | "seed" | "temperature" | "mask" | "everything", "repeat": N}
//                                                         everything: nothing that was computed before is used
//   {"do": "stages", "setup": TOML, "repeat": N}          each stage by itself, with what it costs at least
//   {"do": "draw", "generator": "numpy" | "torch" | "numpy_rng", "kind": "uniform" | "normal", "precision": P, "count":
//   N,
//    "repeat": N}
//   {"do": "words", "count": N, "repeat": N}              the raw random words that all draws are made from
//   {"do": "copy", "bytes": N, "repeat": N}               memory bandwidth: N bytes read and N written, by all threads
//   {"do": "train", "setup": TOML, "repeat": N}           a step of training, N times
//   {"do": "diagnose", "setup": TOML, "mistake": M, "repeat": N}   all tensors of work with a mistake, "" for none,
//                                                         in turns with the trace that it is compared with
//   {"do": "memory", "setup": TOML}                       once per process: what a trace adds to the peak
#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>

#include <nlohmann/json.hpp>

#include "core/diagnose/diagnose.hpp"
#include "core/diagnose/wrong_work.hpp"
#include "core/engine/cost.hpp"
#include "core/engine/engine.hpp"
#include "core/formats/setup/setup_file.hpp"
#include "core/model/shapes.hpp"
#include "core/random/draws.hpp"
#include "core/random/fill.hpp"
#include "core/setup/edits.hpp"
#include "core/stages/table.hpp"
#include "core/training/training.hpp"

namespace headlight {
namespace {

using Json = nlohmann::json;
using Times = std::vector<double>;

constexpr std::int64_t memory_limit = std::int64_t{16} << 30;

template <class Body>
double seconds_of(Body&& body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

template <class Body>
Times times_of(std::size_t repeat, Body&& body) {
  Times times;
  for (std::size_t turn = 0; turn < repeat; ++turn) times.push_back(seconds_of([&] { body(turn); }));
  return times;
}

Setup setup_of(const Json& request) { return parse_setup(request.at("setup").get<std::string>(), "request"); }

std::size_t repeat_of(const Json& request) { return request.value("repeat", std::size_t{1}); }

Setup with_seeds_moved(Setup setup, std::int64_t by) {
  for (Draw& draw : setup.random.draws) {
    if (auto* seed = std::get_if<SeedDraw>(&draw)) seed->seed += by;
  }
  return setup;
}

/// With one number of X changed, from which everything else follows; where a task makes X, with other sequences.
Setup with_other_input(Setup setup, int by) {
  if (setup.has_task()) setup.task.seed += by;
  else setup.values.set(TensorId::X, *parse_array_part("[0,0,0]"), GivenNumbers::single(by));
  return setup;
}

Setup edited(Setup setup, const std::string& edit, bool odd) {
  if (edit == "seed") return with_seeds_moved(std::move(setup), odd ? 1 : 0);
  if (edit == "input") return with_other_input(std::move(setup), odd ? 1 : 0);
  if (edit == "temperature") setup.attention.temperature = odd ? 2.0 : 3.0;
  if (edit == "mask") {
    setup.mask.kinds = {MaskKind::window};
    setup.mask.window = setup.sizes.query_length / (odd ? 2 : 3);
  }
  return setup;
}

double sum(const Tensor& tensor) {
  double total = 0;
  for (Index b = 0; b < tensor.shape()[0]; ++b)
    for (Index i = 0; i < tensor.shape()[1]; ++i)
      for (Index n = 0; n < tensor.shape()[2]; ++n) total += tensor.at({b, i, n});
  return total;
}

Json trace(const Json& request) {
  const Setup setup = setup_of(request);
  const Setup turns[] = {edited(setup, request.at("edit"), false), edited(setup, request.at("edit"), true)};
  Engine engine(memory_limit);
  const double output_sum = sum((*engine.compute(setup))[TensorId::output]);
  engine.compute(turns[1]);
  const bool anew = request.at("edit") == "everything";
  const Times times = times_of(repeat_of(request), [&](std::size_t turn) {
    if (anew) Engine(memory_limit).compute(setup);
    else engine.compute(turns[turn % 2]);
  });
  return {{"seconds", times}, {"output_sum", output_sum}};
}

Json stage_times(const Json& request) {
  const Setup setup = setup_of(request);
  Json rows = Json::array();
  Threads threads;
  BlockPool blocks(std::size_t{4} << 30);
  const Progress nobody;
  Workspace workspace(threads, blocks, nobody, 1);
  Trace trace;
  const auto add = [&](std::string_view title, const Cost& least, auto&& run) {
    if (least.bytes == 0) return run(0);
    rows.push_back({{"stage", title},
                    {"seconds", times_of(repeat_of(request), run)},
                    {"flops", least.flops},
                    {"bytes", least.bytes},
                    {"draws", least.draws}});
  };
  Cost draws;
  for (TensorId id : drawn_tensors()) {
    if (!is_drawn(id, setup)) continue;
    const Cost least = cost(stage_of(id), setup);
    draws = {0, draws.bytes + least.bytes, draws.draws + least.draws};
  }
  add("Seeded draws", draws, [&](std::size_t turn) {
    trace.setup = with_seeds_moved(setup, static_cast<std::int64_t>(turn));
    fill_drawn(trace, {}, workspace);
  });
  for (const Stage& stage : stages()) {
    if (is_drawn(stage.result, setup) || !exists(stage.result, setup)) continue;
    Cost least = cost(stage, setup);
    least.draws = 0;  // counted with the draws
    add(stage.title, least, [&](std::size_t) { trace[stage.result] = stage.compute(trace, workspace); });
  }
  return {{"stages", rows}};
}

/// The time between two neighbouring steps.
Json train(const Json& request) {
  const Setup setup = setup_of(request);
  const ModelTrace drawn = compute_model(setup, memory_limit);
  Threads threads;
  BlockPool blocks(std::size_t{1} << 30);
  const Progress nobody;
  Workspace workspace(threads, blocks, nobody, 1);
  Training training(setup, drawn);
  training.at(10, workspace);  // what is there from then on is not in the times
  const Index count = static_cast<Index>(repeat_of(request));
  const double seconds = seconds_of([&] { training.at(10 + count, workspace); });
  return {{"seconds", Times(repeat_of(request), seconds / static_cast<double>(count))}, {"losses", training.losses()}};
}

/// Of a trace and of its diagnosis, in turns; both in new memory, as at the command line.
Json diagnosis(const Json& request) {
  const Setup setup = setup_of(request);
  const std::string mistake = request.at("mistake");
  const auto threads = std::make_shared<Threads>();
  const auto right = Engine(memory_limit).compute(setup);
  const auto arrays = handed_in(mistake.empty() ? *right : with_mistake(*right, mistake, "request", "mistake"));
  Times traces, diagnoses;
  for (std::size_t turn = 0; turn < repeat_of(request); ++turn) {
    const Setup next = edited(setup, "seed", turn % 2 == 0);
    traces.push_back(seconds_of([&] { Engine(memory_limit).compute(next); }));
    diagnoses.push_back(seconds_of([&] { diagnose(*right, arrays, {}, "request", threads); }));
  }
  return {{"trace", traces}, {"seconds", diagnoses}};
}

GeneratorKind generator_named(const std::string& word) {
  const auto* const found = std::ranges::find(setup_words<GeneratorKind>, word);
  if (found == setup_words<GeneratorKind>.end()) throw std::invalid_argument(word);
  return static_cast<GeneratorKind>(found - setup_words<GeneratorKind>.begin());
}

Json draw(const Json& request) {
  const Fill fill{.kind = request.at("kind") == "normal" ? Fill::Kind::normal : Fill::Kind::uniform,
                  .precision = request.at("precision") == "float32" ? Precision::float32 : Precision::float64,
                  .shape = {request.at("count").get<Index>()}};
  Workspace workspace;
  Generator generator = seeded(generator_named(request.at("generator")), 0);
  return {{"seconds", times_of(repeat_of(request), [&](std::size_t) { filled(generator, fill, workspace); })}};
}

Json words(const Json& request) {
  std::vector<std::uint32_t> block(4096);
  MersenneTwister generator;
  return {{"seconds", times_of(repeat_of(request), [&](std::size_t) {
             for (std::size_t left = request.at("count"); left > block.size(); left -= block.size())
               generator.fill(block);
           })}};
}

Json copy(const Json& request) {
  const std::size_t threads = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t bytes = request.at("bytes").get<std::size_t>() / threads;
  std::vector<char> from(bytes * threads, 1), to(bytes * threads, 2);
  return {{"seconds", times_of(repeat_of(request), [&](std::size_t) {
             std::vector<std::jthread> running;
             for (std::size_t i = 0; i < threads; ++i)
               running.emplace_back([&, i] { std::memcpy(to.data() + i * bytes, from.data() + i * bytes, bytes); });
           })}};
}

/// The peak memory of this program alone. (getrusage would count the parent's size as well.)
std::int64_t peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stoll(line.substr(6)) * 1024;
  }
  throw std::runtime_error("/proc/self/status has no VmHWM");
}

/// Peak memory of a trace. `base` is what libraries and threads need for any size, measured after a small trace.
Json memory(const Json& request) {
  const Setup setup = setup_of(request);
  Setup small = setup;
  small.sizes.batch = 1;
  small.sizes.query_length = 64;
  Engine(memory_limit).compute(with_fitting_labels(small));
  const std::int64_t base = peak_bytes();
  const auto trace = Engine(memory_limit).compute(setup);
  return {{"base", base}, {"peak", peak_bytes()}, {"tensors", estimate_memory(setup).total_bytes}};
}

Json answer(const Json& request) {
  const std::string what = request.at("do");
  if (what == "trace") return trace(request);
  if (what == "stages") return stage_times(request);
  if (what == "train") return train(request);
  if (what == "diagnose") return diagnosis(request);
  if (what == "draw") return draw(request);
  if (what == "words") return words(request);
  if (what == "copy") return copy(request);
  if (what == "memory") return memory(request);
  throw std::runtime_error("no such request: " + what);
}

}  // namespace
}  // namespace headlight

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    try {
      std::cout << headlight::answer(headlight::Json::parse(line)).dump() << std::endl;
    } catch (const std::exception& error) {
      std::cerr << error.what() << '\n';
      return 1;
    }
  }
}
