// An explanation as text: for programs, and for people.
#pragma once

#include <string>

#include "core/model/explanation.hpp"

namespace headlight {

/// A JSON object:
///   cell "scores[0,1,2,0]", tensor "scores", index [0,1,2,0], value, formula, numbers, note,
///   terms       [{label, value, factors: [{label, value, cell?}]}]
///   softmax_row [{score: a cell, score_value, exponential, weight}], empty but for cells of `weights`
///   goes_into   [{label, first: a cell, counts}]
/// Numbers are written with the digits that read back as the same double. Those that JSON has no words for are the
/// texts "inf", "-inf" and "nan", which Python's float() takes.
std::string explanation_json(const Explanation& explanation);

/// The same in lines for a terminal.
std::string explanation_text(const Explanation& explanation);

}  // namespace headlight
