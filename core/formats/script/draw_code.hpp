// Writes the draws and the values of a setup as lines of Python. Draws call the generator's own library, NumPy or
// PyTorch.
#pragma once

#include <string>

#include "core/model/names.hpp"
#include "core/model/setup.hpp"
#include "core/stages/code.hpp"

namespace headlight {

/// The lines that fill a drawn tensor, with the seed before them; where heads are drawn one by one, those of one of
/// them; then its values. Empty where nothing draws or gives the tensor.
std::string draw_code(const Setup& setup, TensorId tensor, Index head);

/// All draws, in the setup's order, after zeros for whatever no draw fills as a whole first; then the values.
std::string draw_paragraphs(const Code& code);

/// The lines that put every value in its place, wholes before parts, after the draws: small arrays are written out,
/// those of .npy and .npz files are loaded from there, and all others from the trace that the program is called with.
/// Empty without values.
std::string given_paragraph(const Code& code);

/// The same for one tensor, without a heading.
std::string given_lines(const Code& code, TensorId tensor);

}  // namespace headlight
