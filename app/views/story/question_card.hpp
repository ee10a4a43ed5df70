// The question of a lecture's step: asked, then answered.
#pragma once

#include <cstdint>
#include <string>

#include "app/session/state/step_words.hpp"
#include "app/ui/text/markdown.hpp"
#include "app/views/base/view_context.hpp"

namespace headlight {

struct QuestionMemory {
  std::string typed;    ///< the number typed in answer to a question
  std::string entered;  ///< the text when Enter was last pressed, whether a number or not
  bool mends = false;   ///< Enter was pressed on a text that is not a number: the field keeps the keyboard
};

/// `compact`: buttons share a line with the choices or the answer. `brief`: moreover, what is said about a first wrong
/// guess takes the place of the hint, and an answered question takes a single line. `answer`: and is left out unless
/// that line holds all of it. `column`: for a finger, without a frame; the buttons that check and go on are elsewhere.
/// `lesson`: the same in a frame, with its buttons at the foot; it takes the height of its area, if that has one.
/// `tapped`: such a one for a finger.
enum class CardForm : std::uint8_t { whole, compact, brief, answer, column, lesson, tapped };

/// What its answer is; it shows already.
std::string words_of_answer(const AskedQuestion& asked);

/// Takes the keys of a lesson's open question: a number or a letter chooses, H asks for the hint.
void take_question_keys(ViewContext& context, const AskedQuestion& asked);

/// Draws its card from the top of `area`, and takes guesses; returns its height. Only measures without a context.
float question_card(const Canvas& canvas, ViewContext* context, const Rect& area, const AskedQuestion& asked,
                    const MarkdownType& type, CardForm form);

}  // namespace headlight
