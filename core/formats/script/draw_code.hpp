// Writes the draws of a setup as lines of Python that call the generator's own library, NumPy or PyTorch.
#pragma once

#include <string>

#include "core/model/names.hpp"
#include "core/model/setup.hpp"
#include "core/stages/code.hpp"

namespace headlight {

/// The lines that draw a tensor, after the seed. If heads are drawn one by one, only the lines for `head`. Empty if no
/// draw fills the tensor.
std::string draw_code(const Setup& setup, TensorId tensor, Index head);

/// All draws in the setup's order. Tensors that no draw fills, or that are first drawn head by head, start as zeros.
std::string draw_paragraphs(const Code& code);

}  // namespace headlight
