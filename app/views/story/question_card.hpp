// The question of a lecture's step: asked, then answered.
#pragma once

#include <cstdint>
#include <string>

#include "app/session/step_words.hpp"
#include "app/ui/text/markdown.hpp"
#include "app/views/base/view_context.hpp"

namespace headlight {

struct QuestionMemory {
  std::string typed;  ///< the number typed in answer to a question
};

/// `compact`: buttons share a line with the choices or the answer. `brief`: moreover, once there is an answer, a
/// question that takes more than one line is left out. `column`: for a finger, without a frame; the buttons that check
/// and go on are elsewhere.
enum class CardForm : std::uint8_t { whole, compact, brief, column };

/// What its answer is; it shows already.
std::string words_of_answer(const AskedQuestion& asked);

/// Draws its card from the top of `area`, and takes guesses; returns its height. Only measures without a context.
float question_card(const Canvas& canvas, ViewContext* context, const Rect& area, const AskedQuestion& asked,
                    const MarkdownType& type, CardForm form);

}  // namespace headlight
