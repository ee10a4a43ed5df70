#include <algorithm>
#include <utility>

#include "app/boxes/box.hpp"

namespace headlight {

Box words(std::string text, TextStyle style, Color ink) {
  Box box;
  box.kind = Box::Kind::words;
  box.text = std::move(text);
  box.style = style;
  box.ink = ink;
  return box;
}

Box drawn(Room room, std::function<float(float width)> height, Box::Draw draw) {
  Box box;
  box.kind = Box::Kind::drawn;
  box.room = room;
  box.height = std::move(height);
  box.draw = std::move(draw);
  return box;
}

Box drawn(Room room, float height, Box::Draw draw) {
  return drawn(room, [height](float) { return height; }, std::move(draw));
}

Box space(float height) {
  return drawn({}, height, [](Ui&, const Rect&) {});
}

namespace {

Box of_kind(Box::Kind kind, Boxes of, Point gap) {
  Box box;
  box.kind = kind;
  box.of = std::move(of);
  box.gap = gap;
  return box;
}

}  // namespace

Box row(Boxes of, float gap) { return of_kind(Box::Kind::row, std::move(of), {gap, 2}); }

Box column(Boxes of, float gap) { return of_kind(Box::Kind::column, std::move(of), {0, gap}); }

Box grid(std::size_t columns, Boxes cells, Point gap) {
  Box box = of_kind(Box::Kind::grid, std::move(cells), gap);
  box.columns = columns;
  return box;
}

Box nothing() { return {}; }

namespace {

bool is_of_numbers(TextStyle style) {
  switch (style) {
    case TextStyle::title:
    case TextStyle::formula:
    case TextStyle::formula_strong:
    case TextStyle::speech:
    case TextStyle::speech_strong:
    case TextStyle::heading:
    case TextStyle::body:
    case TextStyle::body_strong:
    case TextStyle::control:
    case TextStyle::control_strong:
    case TextStyle::caption:
    case TextStyle::caption_strong:
    case TextStyle::reading:
    case TextStyle::reading_strong:
    case TextStyle::reading_small: return false;
    default: return true;
  }
}

bool begins_letter(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }

/// The word with its last letters once more.
std::string longer(std::string_view word) {
  const auto letters = std::ranges::count_if(word, begins_letter);
  auto more = (2 * letters + 4) / 5;
  std::size_t from = word.size();
  while (more > 0 && from > 0)
    if (begins_letter(word[--from])) --more;
  return std::string(word) + std::string(word.substr(from));
}

}  // namespace

Box lengthened(Box box) {
  for (Box& each : box.of) each = lengthened(std::move(each));
  box.measured = {};
  if (box.kind != Box::Kind::words || is_of_numbers(box.style)) return box;
  std::string all;
  for (std::string_view rest = box.text; !rest.empty();) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    all += longer(rest.substr(0, end));
    if (end < rest.size()) all += ' ';
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  box.text = std::move(all);
  return box;
}

bool Box::empty() const {
  if (kind == Kind::words) return text.empty();
  return kind != Kind::drawn && std::ranges::all_of(of, &Box::empty);
}

}  // namespace headlight
