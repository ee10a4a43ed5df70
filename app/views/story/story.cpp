#include "app/views/story/story.hpp"

#include <cctype>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/session/lesson.hpp"
#include "app/session/session.hpp"
#include "app/session/state/marks.hpp"
#include "app/words.hpp"
#include "core/formats/lecture/live_text_reader.hpp"
#include "core/formats/script/draw_code.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/gradient.hpp"
#include "core/stages/table.hpp"

namespace headlight {
namespace {

/// Where a gradient comes back from.
std::string words_of_gradient(TensorId gradient, const Setup& setup) {
  std::vector<std::string> from;
  for (const GradientPath& path : gradient_paths(without_gradient(gradient), setup))
    from.emplace_back(name(path.through->result));
  std::string words = fmt::format("{}.", info(gradient).about);
  words.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(words.front())));
  if (!from.empty()) words += fmt::format(" It flows back from {}.", listed(from, " and "));
  return words +
         "\n\nThe dashed matrix is a gradient, the solid one the tensor it belongs to. Both show the same cell.";
}

/// What the stage does, for somebody without a lecture.
std::string words_of(const StageText& text, TensorId tensor, const Setup& setup) {
  if (is_gradient(tensor)) return words_of_gradient(tensor, setup);
  return fmt::format("{}\n\n{}", info(tensor).about, text.formula);
}

/// The line of code of a stage, which is written for tokens in rows: with tokens in columns there is none.
std::string code_of(const Session& session, const Stage& stage) {
  const Selection& selection = session.selection();
  const Setup& setup = session.setup();
  if (stage.kind == StageKind::drawn || is_drawn(selection.tensor, setup))
    return draw_code(setup, selection.tensor, selection.head);
  if (setup.attention.token_axis == TokenAxis::columns) return {};
  const bool torch = setup.random.generator == GeneratorKind::torch;
  std::string text;
  for (const CodeLine& line : stage.code({setup, torch ? Framework::torch : Framework::numpy}))
    if (!line.is_setting) text += line.code + "\n";
  return text;
}

/// While presenting, the words are what is presented.
bool is_folded(const Session& session) { return words_folded(session) && !session.display().presentation.presenting; }

/// A part of the words of a step, which lives as long as they do.
template <class Part>
std::shared_ptr<const Part> part_of(const std::shared_ptr<const StepWords>& words, const Part& part) {
  return {words, &part};
}

std::optional<LectureEnd> end_of_lecture(const Session& session) {
  const LessonState& lesson = session.lesson();
  if (lesson.at.index + 1 < lesson.step_count() || lesson.asks()) return std::nullopt;
  const Lecture* const next = lecture_beside(session, 1);
  return LectureEnd{words_of(progress_in(*lesson.lecture(), *session.state().marks)),
                    next != nullptr ? next->title : std::string()};
}

Story story_of_step(const Session& session, const Step& step) {
  const auto words = session.step_words();
  Story story{.caption = fmt::format("Step {} of {}", session.lesson().at.index + 1, session.lesson().step_count()),
              .title = step.title,
              .words = part_of(words, words->narration),
              .code = step.code,
              .badge = badge_of(session),
              .folded = is_folded(session)};
  // A class is told what the lecture is for; its screen is for the picture.
  if (!words->goals.empty() && !session.display().presentation.presenting) story.goals = part_of(words, words->goals);
  if (words->question) story.asked = part_of(words, *words->question);
  if (!session.display().presentation.presenting) story.end = end_of_lecture(session);
  return story;
}

}  // namespace

Story story_of(const Session& session) {
  const TensorId tensor = session.selection().tensor;
  const Stage& own = stage_of(tensor);
  const Step* step = session.lesson().step();
  if (step != nullptr && stage_of(step->look_at.tensor).title == own.title) return story_of_step(session, *step);
  Story story;
  story.caption = std::string(name(tensor));
  const StageText text = text_of(tensor, session.setup());
  story.title =
      is_gradient(tensor) ? fmt::format("Back to {}", info(without_gradient(tensor)).symbol) : std::string(text.title);
  story.words = std::make_shared<const Markdown>(parse_markdown(words_of(text, tensor, session.setup())));
  story.code = code_of(session, own);
  story.elsewhere = step != nullptr;
  story.folded = is_folded(session);
  return story;
}

Story step_story(const Session& session) {
  const Step* const step = session.lesson().step();
  return step ? story_of_step(session, *step) : story_of(session);
}

Story beside_play(const ViewContext& context, Story story) {
  if (!context.plays) return story;
  story.code.clear();
  story.asked.reset();
  return story;
}

}  // namespace headlight
