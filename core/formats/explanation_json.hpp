// Writes an explanation of a cell as JSON, for programs, and as lines of text, for people.
#pragma once

#include <string>

#include "core/composition/parts.hpp"
#include "core/model/explanation.hpp"
#include "core/model/setup.hpp"

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

/// A number as the sum of what its sources give. As JSON
///   cell, value, rows ["embed", "L0H1"], columns (empty for a logit), numbers [[...]] row by row, position_bias only
///   where ALiBi adds one, rest: the value less all of them
/// and as lines for a terminal.
std::string parts_json(const Parts& parts, const Cell& cell, double value, const Setup& setup);
std::string parts_text(const Parts& parts, const Cell& cell, double value, const Setup& setup);

}  // namespace headlight
