// The values of a setup as lines of Python.
#pragma once

#include <string>

#include "core/model/names.hpp"
#include "core/stages/code.hpp"

namespace headlight {

/// The lines that put every value in its place, wholes before parts, after the draws: small arrays are written out,
/// those of .npy and .npz files are loaded from there, and all others from the trace that the program is called with.
/// Empty without values.
std::string given_paragraph(const Code& code);

/// The same for one tensor, without a heading.
std::string given_lines(const Code& code, TensorId tensor);

}  // namespace headlight
