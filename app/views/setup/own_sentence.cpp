#include "app/views/setup/own_sentence.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "app/session/selecting.hpp"
#include "app/session/sentence.hpp"
#include "app/session/session.hpp"
#include "core/setup/edits.hpp"
#include "core/trained/encoder_numbers.hpp"

namespace headlight {
namespace {

std::string sentence_or_example(const std::string& words) {
  const bool empty = words.find_first_not_of(" \t\n") == std::string::npos;
  return empty ? std::string(example_sentence) : words;
}

/// A layer that is small enough to read, with weights drawn at random.
Setup random_setup(const std::string& words) {
  Setup setup;
  setup.random.draws.emplace_back(SeedDraw{0});
  for (const TensorId drawn : {TensorId::X, TensorId::W_q, TensorId::W_k, TensorId::W_v, TensorId::W_o})
    setup.random.draws.emplace_back(TensorDraw{drawn, std::nullopt, Distribution::normal});
  return with_sentence(setup, words);
}

Setup trained_setup(std::string words) {
  Setup setup;
  setup.title = "Sentence encoder, layer 0";
  return with_model(setup, {.name = ModelName::sentence_encoder, .layer = 0, .text = std::move(words)});
}

bool is_a_word(const std::string& label) {
  return std::ranges::any_of(label, [](char letter) {
    return std::isalpha(static_cast<unsigned char>(letter)) != 0 || static_cast<unsigned char>(letter) >= 0x80;
  });
}

/// The weight to begin with: the largest that a whole word gives to another one, in this head or in any.
Cell telling_weight(const Trace& trace, std::optional<Index> only) {
  const Tensor& weights = trace[TensorId::weights];
  const std::vector<std::string>& tokens = trace.setup.tokens;
  const auto count = std::min<Index>({weights.shape()[2], weights.shape()[3], std::ssize(tokens)});
  // The parts of a word, of which all but the first begin with "·", look at each other for reasons of spelling. A full
  // stop is none.
  const auto is_part = [&](Index at) {
    if (at >= count) return false;
    const std::string& token = tokens[static_cast<std::size_t>(at)];
    return token.starts_with("·") && is_a_word(token.substr(std::string_view("·").size()));
  };
  const auto is_word = [&](Index at) {
    return is_a_word(tokens[static_cast<std::size_t>(at)]) && !is_part(at) && !is_part(at + 1);
  };
  Cell best{TensorId::weights, {0, only.value_or(0), 0, 0}};
  double largest = -1;
  for (Index head = only.value_or(0); head < (only ? *only + 1 : weights.shape()[1]); ++head)
    for (Index query = 0; query < count; ++query)
      for (Index key = 0; key < count; ++key) {
        const double weight = weights.at({0, head, query, key});
        if (query == key || !(weight > largest) || !is_word(query) || !is_word(key)) continue;
        largest = weight;
        best.index = {0, head, query, key};
      }
  return best;
}

void show_who_looks(Session& session) {
  session.edit_display([](Display& d) {
    d.tokens.selected_head_only = true;
    d.mode = WindowMode::sentence;
  });
  session.show(View::tokens);
  choose_telling_words(session);
}

std::vector<Problem> open_and_look(Session& session, const Setup& setup) {
  auto problems = session.open_setup(setup);
  if (problems.empty()) session.when_shown(show_who_looks);
  return problems;
}

}  // namespace

void choose_telling_words(Session& session, std::optional<Index> head) {
  Selecting(session).select_tensor(TensorId::weights);
  Selecting(session).pin(telling_weight(session.trace(), head));
}

bool is_as_trained(const Session& session) {
  const Setup& setup = session.setup();
  return setup.has_model() && setup == trained_setup(text_of_sentence(session));
}

std::string_view where_else_trained_layer_is() {
  const bool lacks = sentence_encoder::arrival() == sentence_encoder::Arrival::failed;
  return lacks ? "They are in headlight-trained.html, not in this file." : "";
}

std::vector<Problem> open_in_trained_layer(Session& session, const std::string& words) {
  const auto open = [text = sentence_or_example(words)](Session& s) { return open_and_look(s, trained_setup(text)); };
  if (sentence_encoder::arrival() == sentence_encoder::Arrival::here) return open(session);
  session.request(WithTrainedLayer{open});
  return {};
}

std::vector<Problem> open_with_random_weights(Session& session, const std::string& words) {
  return open_and_look(session, random_setup(sentence_or_example(words)));
}

}  // namespace headlight
