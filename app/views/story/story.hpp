// The story explains the picture in words: the text of the lecture's step, or without a lecture what the stage does.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/session/state/badge.hpp"
#include "app/ui/text/markdown.hpp"
#include "app/views/base/view_context.hpp"
#include "app/views/story/question_card.hpp"

namespace headlight {

/// What comes after the last step of a lecture.
struct LectureEnd {
  std::string words;  ///< how it went
  std::string next;   ///< the title of the next lecture; empty: this is the last one
};

struct Story {
  std::string caption;
  std::string title;
  std::shared_ptr<const Markdown> words;            ///< never null
  std::shared_ptr<const Markdown> goals = {};       ///< below the first words of a lecture, if there is room; or null
  std::shared_ptr<const Markdown> more = {};        ///< for who asks for more, once nothing is asked; or null
  std::shared_ptr<const AskedQuestion> asked = {};  ///< null if nothing is asked
  std::shared_ptr<const std::vector<AskedQuestion>> possible = {};  ///< what `asked` may become, to measure; or null
  std::optional<LectureEnd> end = {};                               ///< on the last step, once its question is answered
  std::string code;
  bool code_left_out = false;  ///< it gave way to the picture
  Badge badge;
  bool elsewhere = false;  ///< the lecture's step is about another tensor
  bool folded = false;     ///< only its first line shows
  CardForm card = CardForm::whole;
};
/// The story of what the pipeline view shows.
Story story_of(const Session& session);
/// The story of the lecture's step, whatever is selected; without a lecture the same as story_of.
Story step_story(const Session& session);
/// The one of these that belongs to the view, and its title alone.
Story shown_story(const Session& session);
std::string story_title(const Session& session);
/// The story without code and question while a number is played on a slide.
Story beside_play(const ViewContext& context, Story story);

}  // namespace headlight
