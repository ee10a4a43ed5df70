// Somebody's work: arrays of any kind of file, stacks of all layers among them, are checked against a layer and, some
// of them, against a model of two. What isn't refused has a verdict, and where no mistake explains it, a tensor to hand
// over next.
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "core/diagnose/model_check.hpp"
#include "core/diagnose/next_step.hpp"
#include "core/engine/engine.hpp"
#include "core/formats/diagnose/given_arrays.hpp"
#include "core/formats/diagnose/notebook_arrays.hpp"
#include "core/formats/diagnose/report_text.hpp"
#include "core/formats/setup/setup_file.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/fuzz/target.hpp"

namespace headlight::fuzz {
namespace {

constexpr std::int64_t limit = 1 << 20;
constexpr std::size_t most_arrays = 16;

constexpr const char* one_layer = R"(version = 1
tokens = ["a", "b", "c"]
sizes = { query_length = 3, d_model = 4, heads = 2 }
mask = { kinds = ["causal"] }
random = { draws = ["seed 0", "X uniform", "W_q uniform", "W_k uniform", "W_v uniform", "W_o uniform"] }
)";
constexpr const char* two_layers = R"(version = 1
tokens = ["a", "b"]
sizes = { query_length = 2, d_model = 4, heads = 2, layers = 2 }
block = { residual = true }
random = { draws = ["seed 0", "X uniform", "L*: W_q uniform, W_k uniform, W_v uniform, W_o uniform"] }
)";

void judge_tensor(const TensorVerdict& verdict) {
  require(verdict.cells_off >= 0 && verdict.cells_off <= verdict.shape.elements(), "cells that are off are cells");
  require(!std::isnan(verdict.max_abs), "the largest difference is a number");
  require(verdict.agrees == (verdict.cells_off == 0), "what agrees has no cell that is off");
}

void judge_report(const CheckReport& report, const Setup& setup) {
  require(report.agrees == !report.first_difference, "what differs has a first difference");
  for (const TensorVerdict& verdict : report.tensors) judge_tensor(verdict);
  for (const TensorId id : next_step(report, setup).hand_over)
    for (const TensorVerdict& verdict : report.tensors)
      require(verdict.tensor != id, "what is to be handed over was not handed over yet");
  require_text(report_text(report, setup), "a report");
}

void check(const std::vector<GivenArray>& arrays, bool mistakes_too) {
  const DiagnoseOptions options{.names = {}, .tolerance = {}, .mistakes_too = mistakes_too};
  static const Setup alone = parse_setup(one_layer, "one layer"), stacked = parse_setup(two_layers, "two layers");
  static const auto threads = std::make_shared<Threads>(1);
  static const ModelTrace layer = compute_model(alone, default_memory_limit, threads);
  static const ModelTrace model = compute_model(stacked, default_memory_limit, threads);
  try {
    judge_report(diagnose(layer.first(), arrays, options, "input", threads), alone);
  } catch (const InputError& error) {
    require_told(error, "input");
  }
  if (!mistakes_too) return;
  try {
    const ModelReport report = diagnose_model(model, arrays, options, "input", threads);
    for (const LayerReport& each : report.layers) judge_report(each.report, model.at(each.layer).setup);
    require_text(report_text(report, stacked), "a report");
  } catch (const InputError& error) {
    require_told(error, "input");
  }
}

std::vector<GivenArray> arrays_of(std::string_view bytes) {
  if (bytes.starts_with('{')) return parse_notebook(bytes, "notebook");
  return read_given_arrays(MemoryFile(bytes).path(), limit);
}

}  // namespace

void judge(std::string_view bytes) {
  std::vector<GivenArray> arrays;
  try {
    arrays = arrays_of(bytes);
  } catch (const InputError& error) {
    require_told(error, "");
    return;
  }
  const bool mistakes_too = bytes.size() % 64 == 0;  // takes a thousand times as long
  if (arrays.size() <= most_arrays) check(arrays, mistakes_too);
}

}  // namespace headlight::fuzz
