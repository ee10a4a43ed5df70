// The question of a lecture's step: asked, then answered.
#pragma once

#include <string>

#include "app/session/step_words.hpp"
#include "app/ui/text/markdown.hpp"
#include "app/views/base/view_context.hpp"

namespace headlight {

struct QuestionMemory {
  std::string typed;  ///< the number typed in answer to a question
};

/// What its answer is; it shows already.
std::string words_of_answer(const AskedQuestion& asked);

/// Draws its card from the top of `area`, and takes guesses; returns its height. Only measures without a context.
float question_card(const Canvas& canvas, ViewContext* context, const Rect& area, const AskedQuestion& asked,
                    const MarkdownType& type);

}  // namespace headlight
