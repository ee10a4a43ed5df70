// Writes an explanation of a cell as JSON, for programs, and as lines of text, for people.
#pragma once

#include <string>

#include "core/model/explanation.hpp"

namespace headlight {

/// A JSON object:
///   cell "scores[0,1,2,0]", tensor "scores", index [0,1,2,0], value, formula, numbers, note,
///   terms       [{label, value, factors: [{label, value, cell?}]}]
///   softmax_row [{score: a cell, score_value, exponential, weight}], only for cells of `weights` and `probabilities`
///   sink        the row's exponential that belongs to no key; 0 without attention.sink
///   goes_into   [{label, first: a cell, counts}]
/// Numbers have the digits that read back as the same double. JSON has no infinities and no NaN, so these are the texts
/// "inf", "-inf" and "nan", which Python's float() reads.
std::string explanation_json(const Explanation& explanation);

/// The same explanation as lines for a terminal.
std::string explanation_text(const Explanation& explanation);

}  // namespace headlight
