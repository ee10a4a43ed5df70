// A story on the screen: its forms, its sizes of type, how high it is, and how it is drawn.
#pragma once

#include <cstdint>

#include "app/ui/drawing/canvas.hpp"
#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"
#include "app/views/story/story.hpp"

namespace headlight {

/// How the parts of a story are laid out.
enum class StoryForm : std::uint8_t {
  column,  ///< everything below each other
  band,    ///< title and badge at the left, words and code beside them
  words,   ///< the words alone, for a slide, which has its own places for title and code
  line,    ///< folded away: title and badge in one line, which unfolds it
};
/// The size of its words: 14, 13 and 12 design pixels.
enum class StoryType : std::uint8_t { large, medium, small };

inline constexpr float folded_height = 28;  ///< of a line
/// The height of an area of this width that shows the whole story.
float story_height(const Canvas& canvas, float width, const Story& story, StoryForm form, StoryType type);
/// Whether a line of the story's code goes on in the next row in an area of this width. On a slide, where it may,
/// whether a word is wider than the row.
bool breaks_code(const Canvas& canvas, float width, const Story& story, StoryForm form, StoryType type);
/// Draws the story, which scrolls if it is higher than the area.
void draw_story(ViewContext& context, const Rect& area, const Story& story, StoryForm form, StoryType type);

}  // namespace headlight
