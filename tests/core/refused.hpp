// What input is refused with.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/problem.hpp"

namespace headlight::testing {

/// The one problem that `body` is refused with.
Problem problem_of(auto&& body) {
  try {
    body();
  } catch (const InputError& error) {
    if (error.problems().size() != 1) throw std::logic_error("not one problem: " + std::string(error.what()));
    return error.problems().front();
  }
  return {};
}

/// The problem with this key, or an empty one if there is none.
inline Problem about(const std::vector<Problem>& problems, std::string_view key) {
  const auto found =
      std::find_if(problems.begin(), problems.end(), [&](const Problem& problem) { return problem.key == key; });
  return found == problems.end() ? Problem{} : *found;
}

}  // namespace headlight::testing
