// The question of a lecture's step: asked, then answered.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/ui/text/markdown.hpp"
#include "app/views/frame/view_context.hpp"
#include "core/lecture/question.hpp"

namespace headlight {

/// A question with its words filled in, as far as the person may see them.
struct AskedQuestion {
  Question::Kind kind = Question::Kind::choice;
  Markdown ask;
  std::vector<std::string> choices;  ///< of a choice
  std::optional<double> guess;
  bool has_hint = false;
  Markdown hint;                 ///< once it is wanted
  bool shown = false;            ///< the answer shows
  std::optional<double> answer;  ///< then; none where the settings leave no single one
  std::string guess_words;       ///< "Not The"; empty where the guess is right, or there was none
  std::string answer_words;      ///< "sat: 0.615"
  Markdown why;                  ///< about the guess, then about the answer
  bool can_go_on = false;
};

/// The question of the session's step; none if it has none.
std::optional<AskedQuestion> asked_question(const Session& session);

/// What its answer is; it shows already.
std::string words_of_answer(const AskedQuestion& asked);

/// Draws its card from the top of `area`, and takes guesses; returns its height. Only measures without a context.
float question_card(const Canvas& canvas, ViewContext* context, const Rect& area, const AskedQuestion& asked,
                    const MarkdownType& type);

}  // namespace headlight
