// What is wrong with a setup: all that the entries of its keys find, and their checks.
#pragma once

#include <string>
#include <vector>

#include "core/model/problem.hpp"
#include "core/model/setup.hpp"

namespace headlight {

/// Everything that is wrong with a setup, with keys named as in the setup file; empty if it can be computed. `source`
/// is copied into each problem.
std::vector<Problem> problems(const Setup& setup, const std::string& source = {});

/// Throws InputError with all the problems of the setup, if it has any.
void require_valid(const Setup& setup, const std::string& source = {});

}  // namespace headlight
