// Opens a sentence of the person's own: in the layer that was really trained, or in a small one of random numbers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/model/problem.hpp"

namespace headlight {

class Session;

inline constexpr std::string_view example_sentence = "The animal did not cross the street because it was too tired.";

/// These open the sentence, or the example where it is empty, and show who looks at whom, with one word chosen: the one
/// of all heads that gives another word the most. They return the problems, and change nothing then. In a browser the
/// trained layer first has to be fetched, and problems are shown later.
std::vector<Problem> open_in_trained_layer(Session& session, const std::string& words);
std::vector<Problem> open_with_random_weights(Session& session, const std::string& words);

}  // namespace headlight
