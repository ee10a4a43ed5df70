#include "core/setup/validity.hpp"

#include <utility>

#include "core/setup/checks.hpp"
#include "core/setup/keys.hpp"

namespace headlight {

std::vector<Problem> problems(const Setup& setup, const std::string& source, const Setup* valid) {
  // Where a trained layer is contradicted, everything that follows from it would be a problem too.
  if (valid == nullptr || !agree_about_model(setup, *valid)) {
    if (auto contradictions = contradictions_of_model(setup, source); !contradictions.empty()) return contradictions;
  }
  Findings findings(source);
  for (const SetupKey& key : setup_keys()) key.check(findings, setup);
  check_attention_alone(findings, setup);
  return findings.take();
}

void require_valid(const Setup& setup, const std::string& source, const Setup* valid) {
  auto found = problems(setup, source, valid);
  if (!found.empty()) throw InputError(std::move(found));
}

}  // namespace headlight
