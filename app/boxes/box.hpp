// What a panel shows, as a value: words, controls and pictures in rows and columns. A view makes a tree of boxes
// without knowing a width or a place; measuring, drawing, Tab and tests read the same tree.
//
// Widths are shared out from the outside in, heights follow from them. Nothing is cut in silence: words break between
// words, a row that has too little room takes more lines, and only names that are marked as such end in "…".
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/ui/ui.hpp"

namespace headlight {

/// A width in design pixels: the least that shows everything, the one at which nothing has to break, and the share of
/// what is left over.
struct Room {
  float least = 0;
  float best = 0;
  float grow = 0;
};

struct Box {
  enum class Kind : std::uint8_t { words, drawn, row, column, grid };
  using Draw = std::function<void(Ui& ui, const Rect& r)>;

  Kind kind = Kind::column;
  std::string id;       ///< a scope for the ids of what is in it; empty: none
  std::vector<Box> of;  ///< of a grid: row after row
  Room room;            ///< as the box itself wants it; of rows, columns and grids only `grow` counts
  Point gap;            ///< between the parts of a row, column or grid; down also between the lines of a row
  float inset_x = 0;    ///< left free on both sides
  float inset_y = 0;
  bool at_end = false;   ///< at the right end of its row; words end there, too
  bool whole = false;    ///< a row that doesn't go on in a second line
  bool is_list = false;  ///< what is in it is one stop of Tab, and the arrow keys lead through it; it needs an id

  // Words
  std::string text;
  TextStyle style = TextStyle::control;
  Color ink;
  float line = 20;       ///< the height of a line, at least
  bool may_end = false;  ///< they may end in "…": names that are the user's own or stand elsewhere in full,
  float shortest = 40;   ///< but not within this width

  std::function<float(float width)> height;  ///< of what is drawn
  Draw draw;                                 ///< of what is drawn
  Draw behind, over;                         ///< of any box: drawn before and after what is in it
  std::size_t columns = 0;                   ///< of a grid

  /// A part, and where it is in the box.
  struct Placed {
    std::size_t part = 0;
    Rect r;
  };
  /// What was measured: a box is measured several times in the frame that it is made for.
  struct Measured {
    std::optional<Room> room;
    float width = -1;  ///< for which it has this height and its parts these places
    float height = 0;
    std::vector<Placed> parts;
  };
  mutable Measured measured = {};

  bool empty() const;

  // Copies with one thing changed
  Box named(std::string_view scope) && { return id = scope, std::move(*this); }
  Box growing(float share = 1) && { return room.grow = share, std::move(*this); }
  Box ended() && { return at_end = true, std::move(*this); }
  Box as_list(std::string_view scope) && { return is_list = true, id = scope, std::move(*this); }
  Box unbroken() && { return whole = true, std::move(*this); }
  Box inset(float x, float y) && { return inset_x = x, inset_y = y, std::move(*this); }
  Box high(float line_height) && { return line = line_height, std::move(*this); }
  Box ending(float least = 40) && { return may_end = true, shortest = least, std::move(*this); }
  Box on(Draw ground) && { return behind = std::move(ground), std::move(*this); }
  Box under(Draw cover) && { return over = std::move(cover), std::move(*this); }
};

// --- Making ----------------------------------------------------------------------------------------------------------

/// The parts of a box. What is in braces is moved here, where a plain vector would copy it with all that is in it.
struct Boxes : std::vector<Box> {
  template <std::convertible_to<Box>... Each>
  Boxes(Each&&... each) {  // NOLINT(google-explicit-constructor)
    reserve(sizeof...(each));
    (push_back(std::forward<Each>(each)), ...);
  }
};

/// Words on as many lines as they need.
Box words(std::string text, TextStyle style, Color ink);
/// A box with a drawing of its own. Its height may depend on the width that it gets.
Box drawn(Room room, float height, Box::Draw draw);
Box drawn(Room room, std::function<float(float width)> height, Box::Draw draw);
Box space(float height);
/// Side by side, centred in height. Where the least widths don't fit, they go on in the next line.
Box row(Boxes of, float gap = 8);
/// One below the other, each as wide as the column.
Box column(Boxes of, float gap = 0);
/// Rows whose parts share their widths, column by column.
Box grid(std::size_t columns, Boxes cells, Point gap = {8, 0});
/// Nothing: rows and columns leave it out, with its gap.
Box nothing();

// --- Measuring and drawing -------------------------------------------------------------------------------------------

Room room_of(const Box& box, const Ui& ui);
float height_of(const Box& box, const Ui& ui, float width);
/// Draws the box into `r`. Of a list, what is out of sight by more than a screen is left out.
void draw(Ui& ui, const Box& box, const Rect& r);
/// The box in an area that scrolls, on this background.
void draw_scrolled(Ui& ui, std::string_view id, const Rect& area, Box box, Color ground);

/// The box with words that are 40 % longer, as another language may have them. Numbers stay as they are.
Box lengthened(Box box);

}  // namespace headlight
