#include "app/session/state/badge.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text/wording.hpp"

namespace headlight {
namespace {

using Verdict = FactResult::Verdict;

std::string_view printed_by(FactOrigin origin, const Setup& setup) {
  if (origin == FactOrigin::notebook) return "the notebook";
  return setup.random.generator == GeneratorKind::torch ? "PyTorch" : "NumPy";
}

std::string names(const std::vector<TensorId>& tensors) {
  std::vector<std::string_view> list;
  for (const TensorId id : tensors) list.push_back(name(id));
  return fmt::format("{}", fmt::join(list, ", "));
}

/// The check results of the part: those of the tensor if anything of it was printed, else all.
std::vector<FactResult> results_for(const Part& part, const Cell& cell, const std::vector<FactResult>& facts) {
  std::vector<FactResult> of_part;
  std::copy_if(facts.begin(), facts.end(), std::back_inserter(of_part),
               [&](const FactResult& fact) { return fact.part == part.id; });
  std::vector<FactResult> of_tensor;
  std::copy_if(of_part.begin(), of_part.end(), std::back_inserter(of_tensor),
               [&](const FactResult& fact) { return fact.tensor == cell.tensor && fact.layer == cell.layer; });
  return of_tensor.empty() ? of_part : of_tensor;
}

std::vector<FactResult> keep(const std::vector<FactResult>& results, auto&& predicate) {
  std::vector<FactResult> kept;
  std::copy_if(results.begin(), results.end(), std::back_inserter(kept), predicate);
  return kept;
}

/// The strongest evidence among the results: values rather than shapes, the notebook rather than the library.
std::vector<FactResult> strongest(const std::vector<FactResult>& compared) {
  for (const bool values : {true, false}) {
    for (const FactOrigin origin : {FactOrigin::notebook, FactOrigin::library}) {
      auto kept =
          keep(compared, [&](const FactResult& fact) { return (fact.values > 0) == values && fact.origin == origin; });
      if (!kept.empty()) return kept;
    }
  }
  return {};
}

void fill_in(Badge& badge, const std::vector<FactResult>& results) {
  for (const FactResult& fact : results) {
    if (std::find(badge.tensors.begin(), badge.tensors.end(), fact.tensor) == badge.tensors.end()) {
      badge.tensors.push_back(fact.tensor);
    }
    badge.values += fact.values;
    if (fact.largest_difference) {
      badge.largest_difference = std::max(badge.largest_difference.value_or(0), *fact.largest_difference);
    }
  }
  badge.origin = results.front().origin;
}

std::string matching_text(const Badge& badge, const Setup& setup) {
  const std::string_view who = printed_by(badge.origin, setup);
  const std::string what = names(badge.tensors);
  const bool one = badge.tensors.size() == 1;
  if (badge.values == 0)
    return one ? fmt::format("{}: shape as {} printed", what, who) : fmt::format("{}: shapes as {} printed", what, who);
  const double by = badge.largest_difference.value_or(0);
  return one && !is_plural(what) ? fmt::format("{} matches {}: max |Δ| {:.1e}, {} values", what, who, by, badge.values)
                                 : fmt::format("{} match {}: max |Δ| {:.1e}, {} values", what, who, by, badge.values);
}

}  // namespace

Badge badge_of(const Lecture& lecture, std::size_t step, const std::vector<FactResult>& facts,
               std::size_t changed_keys) {
  const Step& now = lecture.steps[step];
  const Part& part = lecture.parts[now.part];
  const auto results = results_for(part, now.look_at, facts);
  Badge badge;
  if (results.empty()) return badge;
  if (changed_keys > 0) {
    badge.kind = Badge::Kind::setup_differs;
    badge.text = fmt::format("your setup differs from the lecture's in {}",
                             counted(static_cast<std::ptrdiff_t>(changed_keys), "setting", "settings"));
    return badge;
  }
  const auto failed = keep(results, [](const FactResult& fact) { return fact.verdict == Verdict::differs; });
  const auto beyond = keep(results, [](const FactResult& fact) { return fact.verdict == Verdict::not_reproducible; });
  const auto held = strongest(keep(results, [](const FactResult& fact) { return fact.verdict == Verdict::holds; }));
  if (!failed.empty()) {
    badge.kind = Badge::Kind::differs;
    fill_in(badge, failed);
    badge.text = fmt::format("differs from {}: {}", printed_by(badge.origin, part.setup), names(badge.tensors));
    badge.note = failed.front().detail;
    return badge;
  }
  if (held.empty() || (!beyond.empty() && held.front().values == 0)) {
    badge.kind = Badge::Kind::not_reproducible;
    fill_in(badge, beyond);
    badge.largest_difference.reset();
    badge.text = fmt::format("{}: what {} printed can't be reproduced", names(badge.tensors),
                             printed_by(badge.origin, part.setup));
    badge.note = beyond.front().detail;
    return badge;
  }
  badge.kind = Badge::Kind::matches;
  fill_in(badge, held);
  badge.text = matching_text(badge, part.setup);
  if (!beyond.empty()) {
    badge.note = fmt::format("The digits of {} can't be reproduced: {}", printed_by(beyond.front().origin, part.setup),
                             beyond.front().detail);
  }
  return badge;
}

}  // namespace headlight
