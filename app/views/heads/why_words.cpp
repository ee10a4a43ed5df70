#include "app/views/heads/why_words.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

#include <fmt/format.h>

#include "app/session/sentence.hpp"
#include "app/session/session.hpp"
#include "app/session/studies/head_habit.hpp"
#include "app/views/heads/attention_lines.hpp"
#include "app/views/tensors/axis_labels.hpp"
#include "core/stages/explain.hpp"

namespace headlight {
namespace {

/// Measured in this text, and true of nothing else.
void say_of_head(const Session& session, const Cell& weight, WhyWords& why) {
  const Tensor& weights = session.trace()[TensorId::weights];
  const auto habit = habit_of(weights, weight.index[0], weight.index[1]);
  if (!habit) return;
  const std::string mean = percent_text(habit->mean);
  if (!habit->is_clear()) {
    why.about_head = fmt::format(
        "In this text, this head spreads a word's attention over about {:.0f} words; neither itself nor a neighbour "
        "gets more than {} on average.",
        spread_of(weights, weight.index[0], weight.index[1]), mean);
    return;
  }
  const Index least = habit->queries.back();
  why.about_head =
      fmt::format("In this text, a word gives {} of this head's attention to {} on average.", mean, habit->words());
  why.exception =
      fmt::format("Least does {}, with {}.", word_at(session, false, least),
                  percent_text(weights.at({weight.index[0], weight.index[1], least, least + habit->distance})));
}

}  // namespace

std::string WhyWords::sentence() const {
  return fmt::format("{} {} gives {} of its attention to {}.", before, from, share, to);
}

std::string word_at(const Session& session, bool of_key, Index index) {
  constexpr std::string_view part = "·";
  const std::string word = axis_label(TensorId::weights, of_key, index, session).main();
  if (!word.starts_with(part)) return word;
  // A full stop stands behind its word as it does in print.
  const std::string rest = word.substr(part.size());
  const auto is_sign = [](char letter) { return std::ispunct(static_cast<unsigned char>(letter)) != 0; };
  return !rest.empty() && std::ranges::all_of(rest, is_sign) ? rest : word;
}

Cell sum_behind(const Session& session, const Cell& weight) {
  const Trace& trace = session.trace();
  const bool is_sum = trace.has(TensorId::dot_products) && trace.number(weight.tensor, weight.index) > 0;
  return is_sum ? Cell{TensorId::dot_products, weight.index, weight.layer} : weight;
}

WhyWords why_words(const Session& session, const Cell& weight) {
  const Index query = weight.index[2], key = weight.index[3];
  const bool random = is_random(session);
  WhyWords why;
  why.before =
      fmt::format("{} {},", random ? "Random numbers: in" : "In", head_words(weight.index[1], session.setup()));
  why.from = word_at(session, false, query);
  why.share = percent_text(session.model_trace().value(weight));
  why.to = query == key ? "itself" : word_at(session, true, key);
  if (random) why.about_head = "The weights of this layer are random numbers, so this says nothing about the words.";
  else say_of_head(session, weight, why);
  return why;
}

}  // namespace headlight
