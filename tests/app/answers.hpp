// The answers that a scripted person gives to the questions of lectures.
#pragma once

#include <cstddef>

#include "app/session/lesson.hpp"
#include "app/session/session.hpp"
#include "app/session/state/step_words.hpp"
#include "app/ui/text/markdown.hpp"

namespace headlight::testing {

enum class Said { right, wrong };

/// Hides the answer of the step and gives another one. Of the wrong guesses the one about which most is said. Returns
/// the guess.
inline double say(Session& session, Said said) {
  Lesson lesson(session);
  const auto answered = [&](double guess) {
    lesson.ask_again();
    session.wait();
    lesson.guess(guess);
    lesson.show_answer();
    session.wait();
    return plain_text(session.step_words()->question->why).size();
  };
  lesson.show_answer();
  session.wait();
  const double right = answer_of(session).value();
  const Question& question = *session.lesson().question();
  double guess = right;
  if (said == Said::wrong && question.kind == Question::Kind::number) guess = right + 2 * question.within + 1;
  if (said == Said::wrong && question.kind != Question::Kind::number) {
    std::size_t most = 0;
    Scope scope = *scope_of_answer(session.state());
    scope.answer = right;
    for (const double wrong : wrong_guesses(question, scope))
      if (const std::size_t length = answered(wrong); length >= most) {
        most = length;
        guess = wrong;
      }
  }
  answered(guess);
  return guess;
}

/// Asks again, with the hint, and after a first guess.
inline void try_once(Session& session, double guess) {
  Lesson lesson(session);
  lesson.ask_again();
  session.wait();
  lesson.show_hint();
  lesson.guess(guess);
  lesson.check_guess();
  session.wait();
}

}  // namespace headlight::testing
