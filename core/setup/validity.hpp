// What is wrong with a setup: all that the entries of its keys find, and their checks.
#pragma once

#include <string>
#include <vector>

#include "core/model/problem.hpp"
#include "core/model/setup.hpp"

namespace headlight {

/// Everything that is wrong with a setup, with keys named as in the setup file; empty if it can be computed. `source`
/// is copied into each problem. `valid` is a setup that has none, such as the one before an edit: as long as both agree
/// about a trained layer, what that gives isn't made again, and an edit of numbers is checked for what numbers can
/// break. Null: none is known.
std::vector<Problem> problems(const Setup& setup, const std::string& source = {}, const Setup* valid = nullptr);

/// Throws InputError with all the problems of the setup, if it has any.
void require_valid(const Setup& setup, const std::string& source = {}, const Setup* valid = nullptr);

}  // namespace headlight
