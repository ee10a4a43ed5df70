// A setup as a Python program that anybody can run without Headlight.
#pragma once

#include <cstdint>
#include <string>

#include "core/model/setup.hpp"
#include "core/stages/code.hpp"
#include "core/stages/memory.hpp"

namespace headlight {

/// A self-contained Python 3 program that computes every tensor of the setup's trace with the real library, one line
/// per formula, under the names and shapes of the names table (rows are queries).
///
///   python3 f.py             prints each tensor's shape, and the output
///   python3 f.py trace.npz   compares each tensor with the archive's; a table, and exit code 1 where one differs or is
///                            missing on either side
///
/// Draws are made by the library of the setup's generator, call by call in the order of the list; where that is not the
/// framework, the program imports it for the draws alone. Tensors agree where the largest difference is at most 1e-10
/// (float64) or 2e-5 (float32) of the tensor's largest magnitude, and infinities stand in the same places. Behind the
/// softmax a few roundings of the largest score are allowed as well: it turns an absolute error of a score into a
/// relative error of a weight.
///
/// The same setup always gives the same text. Throws InputError where the setup is invalid, or its trace over the
/// memory limit (bytes).
std::string script(const Setup& setup, Framework framework, std::int64_t memory_limit = default_memory_limit);

/// The same program without its forward pass: sizes and draws, room for somebody's own code, and lines that write its
/// tensors to mine.npz (or to the file that is named) for `headlight diagnose`. It runs as it is.
std::string check_script(const Setup& setup, Framework framework, std::int64_t memory_limit = default_memory_limit);

}  // namespace headlight
