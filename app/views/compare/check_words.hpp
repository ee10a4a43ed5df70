// What the check of somebody's work says: each sentence whole, in all its forms.
#pragma once

#include <string>

#include "app/views/compare/check_study.hpp"

namespace headlight {

/// "2.0e-7", "15.24", "0".
std::string magnitude_text(double value);

/// Whether there are several layers.
bool is_stack(const CheckFindings& findings);

/// "scores", "L1.scores" where there are several layers.
std::string name_in_layer(const LayerTensor& at, const Setup& setup);

/// "The first difference is in your scores": with the fix, once that is tried.
std::string headline(const CheckFindings& findings, const Setup& setup, bool tried);

/// "Q, K and V match. 4 tensors after scores differ only as a consequence." In a model of several layers, of the one
/// that shows. Then what is said of everything that was handed in.
std::string words_below_headline(const CheckFindings& findings);

/// Asks which tensor an array is that may be several.
std::string words_of(const Doubt& doubt);

/// What is left to mend once the fix is applied.
std::string after_the_fix(const CheckFindings& with);

/// "4 tokens, d_model 8, 2 heads, causal mask"
std::string words_of_sizes(const Setup& setup);

/// What a task says of a wrong tensor: in the words of each known mistake that explains it, without the lines that mend
/// it, which are the task.
std::string words_of_difference(const CheckReport& report, const TensorVerdict& verdict);

}  // namespace headlight
