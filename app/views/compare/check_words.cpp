#include "app/views/compare/check_words.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/model/cell.hpp"
#include "core/text/characters.hpp"
#include "core/text/wording.hpp"

namespace headlight {
namespace {

std::string agreeing_words(const CheckReport& report) {
  double largest = 0;
  for (const TensorVerdict& verdict : report.tensors) largest = std::max(largest, verdict.max_abs);
  const std::size_t count = report.tensors.size();
  const std::string by = magnitude_text(largest);
  if (count > 1) return fmt::format("All {} tensors match ours except for rounding: max |Δ| {}.", count, by);
  const std::string_view one = name(report.tensors.front().tensor);
  return is_plural(one) ? fmt::format("Your {} match ours except for rounding: max |Δ| {}.", one, by)
                        : fmt::format("Your {} matches ours except for rounding: max |Δ| {}.", one, by);
}

/// "Q, K and V match. The 4 tensors after scores differ only as a consequence."
std::string consequences(const CheckReport& report) {
  if (report.agrees) return agreeing_words(report);
  std::vector<std::string> before;
  std::vector<std::string> again;
  std::size_t follow = 0;
  for (const TensorVerdict& verdict : report.tensors) {
    if (verdict.agrees) before.emplace_back(name(verdict.tensor));
    else if (verdict.tensor != *report.first_difference && verdict.step_agrees) ++follow;
    else if (verdict.tensor != *report.first_difference) again.emplace_back(name(verdict.tensor));
  }
  std::string words;
  const auto add = [&](const std::string& sentence) { words += (words.empty() ? "" : " ") + sentence; };
  if (before.size() > 6) add(fmt::format("{} tensors match.", before.size()));
  else if (before.size() == 1) add(fmt::format("{} matches.", before.front()));
  else if (!before.empty()) add(fmt::format("{} match.", listed(before, " and ")));
  if (again.size() == 1) add(as_sentence(fmt::format("{} goes wrong again, on its own", again.front())));
  else if (!again.empty()) add(as_sentence(fmt::format("{} go wrong again, on their own", listed(again, " and "))));
  if (follow == 1)
    add(fmt::format("One tensor after {} differs only as a consequence.", name(*report.first_difference)));
  if (follow > 1)
    add(fmt::format("{} tensors after {} differ only as a consequence.", follow, name(*report.first_difference)));
  return words;
}

/// What is said of everything that was handed in.
std::string remarks(const CheckFindings& findings) {
  std::string words;
  for (const std::string& note : findings.model ? findings.model->notes : findings.report.notes)
    words += " " + as_sentence(note);
  std::vector<std::string> unknown = findings.model ? findings.model->unrecognised : findings.report.unrecognised;
  std::erase_if(unknown, [&](const std::string& yours) { return findings.report.doubt_about(yours) != nullptr; });
  if (!unknown.empty()) words += fmt::format(" Not recognised: {}.", first_names(unknown));
  return words;
}

/// What was found about a layer that isn't the only one.
std::string words_on_layer(const CheckFindings& findings) {
  const LayerReport* const own = findings.of_layer(findings.layer);
  if (own == nullptr) return fmt::format("Nothing of layer {} was handed in.", findings.layer);
  const std::string on_theirs =
      own->on_theirs ? " It is compared with what our layer makes of what yours below it gave." : "";
  return fmt::format("Layer {}: {}{}", findings.layer, consequences(own->report), on_theirs);
}

}  // namespace

bool is_stack(const CheckFindings& findings) {
  return findings.model != nullptr && findings.ours->setup.sizes.layers > 1;
}

std::string magnitude_text(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return "∞";
  if (value == 0) return "0";
  if (value >= 0.001 && value < 1e5) return fmt::format("{:.4g}", value);
  std::string text = fmt::format("{:.1e}", value);
  const auto e = text.find('e');
  const bool negative = text[e + 1] == '-';
  std::string exponent = text.substr(e + 2);
  exponent.erase(0, std::min(exponent.find_first_not_of('0'), exponent.size() - 1));
  return fmt::format("{}{}{}", text.substr(0, e + 1), negative ? "-" : "", exponent);
}

std::string name_in_layer(const LayerTensor& at, const Setup& setup) {
  return name_in_model(at.tensor, seen_at(setup, at.layer));
}

std::string headline(const CheckFindings& findings, const Setup& setup, bool tried) {
  if (findings.agrees()) return tried ? "With the fix, everything agrees" : "Everything agrees";
  return fmt::format("{} difference is in your {}", tried ? "With the fix, the first" : "The first",
                     name_in_layer(*findings.first_difference(), setup));
}

std::string words_below_headline(const CheckFindings& findings) {
  return (is_stack(findings) ? words_on_layer(findings) : consequences(findings.report)) + remarks(findings);
}

std::string words_of(const Doubt& doubt) {
  return fmt::format(
      "Which tensor is “{}”? Several have {}; {}:", doubt.yours,
      doubt.by == KnownBy::value ? "these numbers" : "this shape",
      doubt.taken_for ? fmt::format("it is taken for {}", name(*doubt.taken_for)) : "it is left out until you choose");
}

std::string after_the_fix(const CheckFindings& with) {
  if (!with.problems.empty()) return "With it, nothing can be compared";
  if (const auto first = with.first_difference())
    return fmt::format("With it, the first difference is in {}: there is another mistake",
                       name_in_layer(*first, with.ours->setup));
  double largest = 0;
  const std::vector<const TensorVerdict*> verdicts = with.verdicts();
  for (const TensorVerdict* const verdict : verdicts) largest = std::max(largest, verdict->max_abs);
  const std::string by = magnitude_text(largest);
  if (verdicts.size() > 1) return fmt::format("With it, all {} tensors match: max |Δ| {}", verdicts.size(), by);
  const std::string_view one = name(verdicts.front()->tensor);
  return is_plural(one) ? fmt::format("With it, your {} match: max |Δ| {}", one, by)
                        : fmt::format("With it, your {} matches: max |Δ| {}", one, by);
}

std::string words_of_sizes(const Setup& setup) {
  std::vector<std::string> masks;
  for (const MaskKind kind : setup.mask.kinds) masks.emplace_back(to_string(kind));
  std::vector<std::string> all;
  if (setup.sizes.layers > 1) all.push_back(fmt::format("{} layers", setup.sizes.layers));
  all.push_back(fmt::format("{} {}", setup.token_count(), setup.is_cross() ? "queries" : "tokens"));
  all.push_back(fmt::format("d_model {}", setup.sizes.d_model));
  all.push_back(counted(setup.sizes.heads, "head", "heads"));
  all.push_back(masks.empty() ? "no mask" : fmt::format("{} mask", listed(masks, " and ")));
  return fmt::format("{}", fmt::join(all, ", "));
}

std::string words_of_difference(const CheckReport& report, const TensorVerdict& verdict) {
  std::vector<std::string> explaining;
  for (const Diagnosis& diagnosis : report.diagnoses)
    if (diagnosis.explains && diagnosis.is_about(verdict.tensor)) explaining.push_back(diagnosis.words);
  if (!explaining.empty()) return fmt::format("Not yet: {}.", fmt::join(explaining, ", or "));
  if (report.first_difference != verdict.tensor && report.first_difference)
    return fmt::format("Not yet: your {} is the first that differs.", name(*report.first_difference));
  return fmt::format("Not yet: {} of {} numbers differ, by up to {}.", verdict.cells_off, verdict.theirs.elements(),
                     magnitude_text(verdict.max_abs));
}

}  // namespace headlight
