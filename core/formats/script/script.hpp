// Writes a setup as a Python program that runs without Headlight.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/lecture/lecture.hpp"
#include "core/model/setup.hpp"
#include "core/model/trace.hpp"
#include "core/stages/code.hpp"

namespace headlight {

/// A self-contained Python 3 program that computes every tensor of the setup's trace with the real library, one line
/// per formula. Names and shapes are those of core/model/names.cpp; rows are queries.
///
///   python3 f.py             prints each tensor's shape, and the output
///   python3 f.py trace.npz   compares each tensor with the archive's, prints a table, and exits with code 1 if one is
///                            different or missing on either side
///
/// The library of the setup's generator makes the draws, one call per draw, in the order of the list. If that library
/// is not the framework, the program imports it for the draws alone. Tensors agree if their infinities are in the same
/// places and the largest difference is at most 1e-10 (float64) or 2e-5 (float32) of the tensor's largest magnitude;
/// after steps of training, 1e-5 or 2e-2.
/// From the softmax on the tolerance also grows with the largest score, by a few roundings of it, because softmax turns
/// an absolute error of a score into a relative error of a weight.
///
/// The same setup always gives the same text. Throws InputError if the setup is invalid or its trace needs more than
/// `memory_limit` bytes.
std::string script(const Setup& setup, Framework framework, std::int64_t memory_limit = default_memory_limit);

/// The same program without its forward pass: sizes and draws, room for the user's own code, and lines that write its
/// tensors to mine.npz (or to the file that is named) for `headlight diagnose`. It runs as it is.
std::string check_script(const Setup& setup, Framework framework, std::int64_t memory_limit = default_memory_limit);

/// The template of a step's practice: the same, with the forward pass up to `practice.from`, and room for nothing but
/// what comes from there up to `practice.to`. The weights of a trained layer are too many to be written down, so its
/// template begins with the numbers of the trace that are read from there on.
std::string practice_script(const Trace& trace, const Practice& practice, Framework framework);
/// The same for an exercise: room for the tensors that are to be handed in, and lines that refuse a wrong shape, write
/// the tensors to mine.npz and print those that are small, as `headlight diagnose` and `headlight grade` read it. It
/// stops at the first tensor that is missing. `hand_in` are names among those of all layers.
std::string exercise_script(const Setup& setup, Framework framework, const std::vector<std::string>& hand_in,
                            std::int64_t memory_limit = default_memory_limit);

}  // namespace headlight
