// The questions of the lectures: a wrong guess is told why it is wrong, and never the answer before a second try.
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/diagnose/wrong_work.hpp"
#include "core/engine/engine.hpp"
#include "core/lecture/pace.hpp"
#include "core/lecture/question.hpp"
#include "core/text/markdown.hpp"
#include "tests/core/lectures.hpp"

namespace headlight {
namespace {

bool is_letter_or_digit(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

std::string in_small_letters(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// Whether a text has these words, as words of their own.
bool says(const std::string& text, const std::string& words) {
  const std::string all = in_small_letters(text);
  const std::string searched = in_small_letters(words);
  for (std::size_t at = all.find(searched); at != std::string::npos; at = all.find(searched, at + 1)) {
    const std::size_t end = at + searched.size();
    if ((at == 0 || !is_letter_or_digit(all[at - 1])) && (end == all.size() || !is_letter_or_digit(all[end])))
      return true;
  }
  return false;
}

/// The numbers that a text writes in digits: 3, 0.5 and 1,000.
std::vector<double> numbers_in(const std::string& text) {
  std::vector<double> numbers;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (std::isdigit(static_cast<unsigned char>(text[at])) == 0) continue;
    std::string digits;
    const auto goes_on = [&](std::size_t next) {
      return next < text.size() && std::isdigit(static_cast<unsigned char>(text[next])) != 0;
    };
    while (goes_on(at) || (at < text.size() && (text[at] == '.' || text[at] == ',') && goes_on(at + 1))) {
      if (text[at] != ',') digits += text[at];
      ++at;
    }
    numbers.push_back(std::stod(digits));
  }
  return numbers;
}

/// What the user may guess: every wrong choice; for a number what its words speak about, and a few more.
std::vector<double> all_wrong_guesses(const Question& question, const Scope& scope) {
  std::vector<double> guesses;
  const double answer = *scope.answer;
  if (question.kind != Question::Kind::number) {
    guesses = wrong_guesses(question, scope);
  } else {
    guesses = {
        0, 1, -answer, answer / 2, 2 * answer, answer - 2 * question.within - 1, answer + 2 * question.within + 1};
    for (const Question::Wrong& wrong : question.wrong)
      for (const double number : numbers_in(wrong.words.source))
        for (const double guess : {number, 0.99 * number, 1.01 * number}) guesses.push_back(guess);
  }
  std::erase_if(guesses, [&](double guess) { return is_right(question, guess, answer); });
  return guesses;
}

/// What gives the answer away in what the user hears about a wrong guess; empty where nothing does.
std::string given_away(const Question& question, const LiveText& words, const Scope& scope) {
  const std::string text = plain_text(filled(words, scope));
  if (gives_away(question, words, scope)) return text;
  if (question.kind == Question::Kind::order)
    return says(text, words_of_choice(question, *scope.answer, scope)) ? text : "";
  if (question.is_chosen()) {
    const auto labels = labels_of(question, scope);
    return labels.size() <= 9 && says(text, labels[static_cast<std::size_t>(*scope.answer)]) ? text : "";
  }
  const auto tells = [&](double number) {
    return is_right(question, question.is_percentage() ? number / 100 : number, std::abs(*scope.answer));
  };
  return std::ranges::any_of(numbers_in(text), tells) ? text : "";
}

using Judge = std::function<void(const Question&, const Scope&)>;

/// Each question of a lecture, in the state that its answer makes.
void for_each_question(const Lecture& lecture, const Judge& judge) {
  Engine engine;
  for (const Step& step : lecture.steps) {
    if (!step.question) continue;
    CAPTURE(step.title);
    const auto model_of = [&](const Setup& setup) {
      engine.compute(setup);
      return engine.model();
    };
    const ModelTrace own = model_of(lecture.parts[step.part].setup);
    const ModelTrace shown = model_of(lecture.setup_of(step));
    const auto& changed = step.question->changed_setup;
    const ModelTrace answered = changed ? model_of(*changed) : shown;
    std::optional<Trace> yours;
    if (!step.mistake.empty()) yours = with_mistake(shown.first(), step.mistake, lecture.id, step.title);
    Scope scope{answered, changed ? &shown : &own, {}, {}, yours ? &*yours : nullptr};
    scope.answer = answer_of(*step.question, scope);
    judge(*step.question, scope);
  }
}

TEST_CASE("words about a wrong guess say why it is wrong, and never what is right") {
  std::size_t judged = 0;
  for (const Lecture& each : all_lectures()) {
    CAPTURE(each.id);
    for_each_question(each, [&](const Question& question, Scope scope) {
      for (const double guess : all_wrong_guesses(question, scope)) {
        CAPTURE(guess);
        scope.guess = guess;
        const LiveText& words = words_for_wrong(question, guess, scope.setup());
        CHECK_FALSE(words.empty());
        CHECK(given_away(question, words, scope) == "");
        ++judged;
      }
    });
  }
  CHECK(judged > 300);
}

TEST_CASE("the right choice is in no place more often than elsewhere") {
  std::vector<double> places(9, 0.0);
  double all = 0;
  for (const Lecture& each : all_lectures())
    for_each_question(each, [&](const Question& question, const Scope& scope) {
      if (question.kind != Question::Kind::choice) return;
      const auto order = order_of(question, question.choices.size());
      const auto place = std::ranges::find(order, static_cast<std::size_t>(*scope.answer)) - order.begin();
      ++places[static_cast<std::size_t>(place)];
      ++all;
    });
  CHECK(all > 50);
  for (const double count : places) CHECK(count / all < 0.4);
}

TEST_CASE("words that tell the answer are found, in digits and in words") {
  const Lecture lecture = parse_lecture(R"lesson(+++
title = "Told"
[setup]
sizes = { query_length = 3 }
+++
## Counts
```question
ask = "How many positions?"
within = 0
answer = "query_length"
wrong = "Not {guess:d}: it is 3."
```
## Chooses
```question
ask = "How many?"
choices = ["two", "three", "many"]
answer = "1"
wrong = { two = "There is one more. Not thirteen.", other = "Count: it is Three." }
```
)lesson",
                                        "told.md", "told", {"pipeline"});
  std::vector<std::string> told;
  for_each_question(lecture, [&](const Question& question, Scope scope) {
    for (const double guess : {0.0, 2.0}) {
      scope.guess = guess;
      told.push_back(given_away(question, words_for_wrong(question, guess, scope.setup()), scope));
    }
  });
  CHECK(told == std::vector<std::string>{"Not 0: it is 3.", "Not 2: it is 3.", "", "Count: it is Three."});
  CHECK(numbers_in("1,000 of 2.5, and 7.") == std::vector<double>{1000, 2.5, 7});
}

TEST_CASE("the minutes of the steps are together those of the lecture") {
  for (const Lecture& each : all_lectures()) {
    CAPTURE(each.id);
    CHECK(each.minutes > 0);
    CHECK(pace_of(each).end == doctest::Approx(static_cast<double>(each.minutes)).epsilon(1e-9));
  }
}

}  // namespace
}  // namespace headlight
