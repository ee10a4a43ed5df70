// Writes a setup's task as lines of Python: its sequences, and the steps that learn it.
#pragma once

#include <string>
#include <vector>

#include "core/stages/code.hpp"

namespace headlight {

/// A function next_sequences(count) that draws sequences with the library that the setup names.
std::string sequences_code(const Code& code);

/// What gives the sequences that are shown: the first ones, or the setup's own texts.
std::string shown_code(const Code& code);

/// Everything between the draws and the end of a script with a task: the sequences, then the forward and backward pass
/// (`forward` and `back`, paragraph by paragraph) with the sequences that are shown, after the steps of training if
/// there are any. In NumPy the backward pass is written line by line; PyTorch uses its autograd.
std::string task_code(const Code& code, const std::vector<std::string>& forward, const std::vector<std::string>& back);

}  // namespace headlight
