#include "core/setup/validity.hpp"

#include <algorithm>
#include <utility>

#include "core/setup/checks.hpp"
#include "core/setup/keys.hpp"
#include "core/setup/value_checks.hpp"

namespace headlight {
namespace {

/// Whether an edit gave other numbers in the same places, and did nothing else.
bool gives_other_numbers(const Setup& before, const Setup& after) {
  const auto same_place = [](const GivenValue& a, const GivenValue& b) {
    return a.tensor == b.tensor && a.part == b.part && a.numbers.tensor().shape() == b.numbers.tensor().shape();
  };
  return std::ranges::equal(before.values.entries(), after.values.entries(), same_place) &&
         before.same_but_values(after);
}

}  // namespace

std::vector<Problem> problems(const Setup& setup, const std::string& source, const Setup* valid) {
  // Where a trained layer is contradicted, everything that follows from it would be a problem too.
  if (valid == nullptr || !agree_about_model(setup, *valid)) {
    if (auto contradictions = contradictions_of_model(setup, source); !contradictions.empty()) return contradictions;
  }
  Findings findings(source);
  if (valid != nullptr && gives_other_numbers(*valid, setup)) {
    check_finite(findings, setup);
  } else {
    for (const SetupKey& key : setup_keys()) key.check(findings, setup);
  }
  check_attention_alone(findings, setup);
  return findings.take();
}

void require_valid(const Setup& setup, const std::string& source, const Setup* valid) {
  auto found = problems(setup, source, valid);
  if (!found.empty()) throw InputError(std::move(found));
}

}  // namespace headlight
