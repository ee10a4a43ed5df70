// The story explains the picture in words: the text of the lecture's step, or without a lecture what the stage does.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/session/display/badge.hpp"
#include "app/ui/drawing/geometry.hpp"
#include "app/ui/text/markdown.hpp"
#include "app/views/frame/view_context.hpp"
#include "app/views/story/question_card.hpp"

namespace headlight {

struct Story {
  std::string caption;
  std::string title;
  std::shared_ptr<const Markdown> words;       ///< never null
  std::shared_ptr<const Markdown> goals = {};  ///< below the first words of a lecture, where there is room; or null
  std::shared_ptr<const AskedQuestion> asked = {};  ///< null where nothing is asked
  std::string code;
  Badge badge;
  bool elsewhere = false;  ///< the lecture's step talks about another stage
  bool folded = false;     ///< only its first line shows
};
/// The story of what the pipeline view shows.
Story story_of(const Session& session);
/// The story of the lecture's step, whatever is selected; without a lecture the same as story_of.
Story step_story(const Session& session);

/// How the parts of a story are laid out.
enum class StoryForm : std::uint8_t {
  column,  ///< everything below each other
  band,    ///< title and badge at the left, words and code beside them
  words,   ///< the words alone, for a stage, which has its own places for title and code
  line,    ///< folded away: title and badge in one line, which unfolds it
};
/// The size of its words: 14, 13 and 12 design pixels.
enum class StoryType : std::uint8_t { large, medium, small };
inline constexpr std::array story_types{StoryType::large, StoryType::medium, StoryType::small};

/// The height of an area of this width that shows the whole story.
float story_height(const Canvas& canvas, float width, const Story& story, StoryForm form, StoryType type);
/// Draws the story, which scrolls if it is higher than the area.
void draw_story(ViewContext& context, const Rect& area, const Story& story, StoryForm form, StoryType type);

/// Where a story stands beside its picture.
struct Arrangement {
  StoryForm form = StoryForm::words;
  StoryType type = StoryType::large;
  Rect story;
  Rect picture;
};
/// The ways to divide an area: the story above the picture or at its left, in every type.
std::vector<Arrangement> arrangements(const ViewContext& context, const Rect& area, const Story& story);
/// How good an arrangement is as far as its story goes: all of it must show, and large type and unbroken lines of code
/// are better. A picture adds
/// up to 1000 for numbers in its cells, and less for their size.
float story_score(const ViewContext& context, const Arrangement& arrangement, const Story& story);

/// For views without a place for the story: takes the lecture's step off the area and draws it, at most `share` of the
/// height. On a stage it stands above or beside the picture, as `picture_score` (empty: the larger the better) likes it
/// best. Does nothing without a lecture, except on a stage.
void cut_lecture_story(ViewContext& context, Rect& area, float share,
                       const std::function<float(const Rect& picture)>& picture_score = {});

}  // namespace headlight
