// The variables of a script where a model has several layers: "Q_L1" is Q of layer 1. A stage writes its lines for one
// layer, under the plain names; here they get the layer's.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "core/stages/code.hpp"

namespace headlight {

/// The variable of a tensor in the layer that the setup is asked about: its name, or "Q_L1" where the model has several
/// layers and each has its own.
std::string variable(TensorId tensor, const Setup& setup);

/// Gives the variables of lines the layer that the setup is asked about: those of tensors, and `others`. trace["W_q"]
/// becomes trace["L1.W_q"]. With a single layer lines stay as they are.
std::string in_layer(std::string_view line, const Setup& setup, const std::set<std::string>& others = {});
CodeLines in_layer(CodeLines lines, const Setup& setup, const std::set<std::string>& others = {});

/// What the lines assign to.
std::set<std::string> assigned_in(const CodeLines& lines);

}  // namespace headlight
