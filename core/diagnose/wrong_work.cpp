#include "core/diagnose/wrong_work.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/diagnose/arrays/flow.hpp"
#include "core/diagnose/arrays/layout.hpp"
#include "core/model/problem.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/table.hpp"

namespace headlight {
namespace {

bool is_computed(const Stage& stage, const Setup& setup) {
  return !is_drawn(stage.result, setup) && exists(stage.result, setup);
}

std::string known_names() {
  std::vector<std::string_view> names;
  for (const Mistake& mistake : mistakes()) names.push_back(mistake.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

bool changes(const Trace& wrong, const Trace& right, TensorId at) {
  return wrong[at].shape() != right[at].shape() ||
         !identical(converted(wrong[at], right[at].precision()).contiguous(), right[at].contiguous());
}

}  // namespace

std::optional<Trace> with_mistake(const Trace& right, const Mistake& mistake, TensorId at,
                                  const std::stop_token& stop) {
  const Progress progress{stop, {}};
  Workspace workspace(progress);
  Trace trace = right;
  const Theirs nothing{right[at]};
  for (const Stage& stage : stages()) {
    if (!is_computed(stage, right.setup)) continue;
    workspace.go_on();
    if (stage.result != at) {
      run_stage(trace, stage.result, workspace);
      continue;
    }
    Attempt attempt{trace, at, at, nothing, 0, workspace};
    const auto wrong = mistake.replay(attempt);
    if (!wrong) return std::nullopt;
    trace[at] = *wrong;
  }
  return trace;
}

const Mistake& mistake_named(std::string_view name, const std::string& source, const std::string& key) {
  const auto found = std::ranges::find(mistakes(), name, &Mistake::name);
  if (found == mistakes().end()) throw InputError({source, key, fmt::format("\"{}\"", name), known_names()});
  return *found;
}

Trace with_mistake(const Trace& right, std::string_view name, const std::string& source, const std::string& key,
                   const std::stop_token& stop) {
  const Mistake& mistake = mistake_named(name, source, key);
  for (const TensorId at : mistake.at) {
    if (!right.has(at)) continue;
    const auto wrong = with_mistake(right, mistake, at, stop);
    if (wrong && changes(*wrong, right, at)) return *wrong;
  }
  throw InputError({source, key, fmt::format("\"{}\", which changes no number here", name),
                    "a mistake that can be made under this setup"});
}

std::vector<GivenArray> handed_in(const Trace& trace) {
  std::vector<GivenArray> arrays;
  for (const Stage& stage : stages()) {
    if (is_computed(stage, trace.setup))
      arrays.push_back({std::string(name(stage.result)), trace[stage.result].contiguous(), {}});
  }
  return arrays;
}

}  // namespace headlight
