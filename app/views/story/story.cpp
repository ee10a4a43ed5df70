#include "app/views/story/story.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/session/lesson.hpp"
#include "app/session/session.hpp"
#include "app/session/state/marks.hpp"
#include "core/formats/script/draw_code.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/gradient.hpp"
#include "core/stages/table.hpp"
#include "core/text/wording.hpp"

namespace headlight {
namespace {

/// Two paragraphs without markup.
Markdown paragraphs(std::string first, std::string second) {
  const auto paragraph = [](std::string& text) {
    return MarkdownBlock{BlockKind::paragraph, "", 0, {{std::move(text)}}};
  };
  return {paragraph(first), paragraph(second)};
}

/// Where a gradient comes back from.
Markdown words_of_gradient(TensorId gradient, const Setup& setup) {
  std::vector<std::string> from;
  for (const GradientPath& path : gradient_paths(without_gradient(gradient), setup))
    from.emplace_back(name(path.through->result));
  std::string words = as_sentence(info(gradient).about);
  if (!from.empty()) words += fmt::format(" It flows back from {}.", listed(from, " and "));
  return paragraphs(
      std::move(words),
      "The dashed matrix is a gradient, the solid one the tensor it belongs to. Both show the same cell.");
}

/// What the stage does, for a user without a lecture.
Markdown words_of(TensorId tensor, const Setup& setup) {
  if (is_gradient(tensor)) return words_of_gradient(tensor, setup);
  return paragraphs(std::string(words_about(tensor, setup)), std::string(text_of(tensor, setup).formula));
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
  if (lesson.at.index + 1 < lesson.step_count() || lesson.asks() || review_of(session)) return std::nullopt;
  const Lecture* const next = lecture_beside(session, 1);
  return LectureEnd{words_of(progress_in(*lesson.lecture(), *session.state().marks)),
                    next != nullptr ? next->title : std::string()};
}

/// Whether the step's words are about the selected tensor.
bool suits_selection(const Session& session, const Step& step) {
  return made_alike(step.look_at.tensor, session.selection().tensor, session.setup());
}

/// The title of what the stage does, for a user without a lecture.
std::string title_of(TensorId tensor, const Setup& setup) {
  if (is_gradient(tensor)) return fmt::format("Back to {}", info(without_gradient(tensor)).symbol);
  return std::string(text_of(tensor, setup).title);
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
  if (!words->more.empty() && !session.lesson().asks()) story.more = part_of(words, words->more);
  if (words->question) story.asked = part_of(words, *words->question);
  if (!session.display().presentation.presenting) story.end = end_of_lecture(session);
  return story;
}

}  // namespace

Story story_of(const Session& session) {
  const TensorId tensor = session.selection().tensor;
  const Step* step = session.lesson().step();
  if (step != nullptr && suits_selection(session, *step)) return story_of_step(session, *step);
  Story story;
  story.caption = std::string(name(tensor));
  story.title = title_of(tensor, session.setup());
  story.words = std::make_shared<const Markdown>(words_of(tensor, session.setup()));
  story.code = code_of(session, stage_of(tensor));
  story.elsewhere = step != nullptr;
  story.folded = is_folded(session);
  return story;
}

Story step_story(const Session& session) {
  const Step* const step = session.lesson().step();
  return step ? story_of_step(session, *step) : story_of(session);
}

Story shown_story(const Session& session) {
  return session.display().view == View::pipeline ? story_of(session) : step_story(session);
}

std::string story_title(const Session& session) {
  const Step* const step = session.lesson().step();
  const bool tells_step =
      step != nullptr && (session.display().view != View::pipeline || suits_selection(session, *step));
  return tells_step ? step->title : title_of(session.selection().tensor, session.setup());
}

Story beside_play(const ViewContext& context, Story story) {
  if (!context.plays) return story;
  story.code.clear();
  story.asked.reset();
  return story;
}

}  // namespace headlight
