// Opens a sentence of the person's own: in the layer that was really trained, or in a small one of random numbers.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/problem.hpp"
#include "core/model/shape.hpp"

namespace headlight {

class Session;

inline constexpr std::string_view example_sentence = "The animal did not cross the street because it was too tired.";

/// These open the sentence, or the example where it is empty, on a page of its own, with one word chosen: the one of
/// all heads that gives another word the most. They return the problems, and change nothing then. In a browser the
/// trained layer first has to be fetched, and problems are shown later.
std::vector<Problem> open_in_trained_layer(Session& session, const std::string& words);
std::vector<Problem> open_with_random_weights(Session& session, const std::string& words);

/// Where the trained layer is, if it isn't here and can't be fetched; else empty.
std::string_view where_else_trained_layer_is();

/// Chooses the word that gives another one the most, in this head or in any of them.
void choose_telling_words(Session& session, std::optional<Index> head = {});

/// Whether the shown layer is the trained one, and nothing about it was changed.
bool is_as_trained(const Session& session);

}  // namespace headlight
