// Writes the draws and the values of a setup as lines of Python. Draws call the generator's own library, NumPy or
// PyTorch.
#pragma once

#include <string>

#include "core/model/names.hpp"
#include "core/model/setup.hpp"
#include "core/model/tensor.hpp"
#include "core/stages/code.hpp"

namespace headlight {

/// The lines that fill a drawn tensor, with the seed before them; where heads are drawn one by one, those of one of
/// them; then its values. Empty where nothing draws or gives the tensor.
std::string draw_code(const Setup& setup, TensorId tensor, Index head);

/// All draws, in the setup's order, after zeros for whatever no draw fills as a whole first; then the values.
std::string draw_paragraphs(const Code& code);

/// The numbers of a tensor as an array of the framework.
std::string written_code(const Code& code, const Tensor& tensor);

}  // namespace headlight
