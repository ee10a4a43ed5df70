// Problems with the paths in them as the person knows their files, see app/machine.hpp.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/machine.hpp"
#include "core/model/problem.hpp"

namespace headlight {

inline std::vector<Problem> as_known(std::vector<Problem> problems) {
  for (Problem& problem : problems)
    for (std::string* text : {&problem.source, &problem.found, &problem.allowed}) *text = as_known(std::move(*text));
  return problems;
}

}  // namespace headlight
