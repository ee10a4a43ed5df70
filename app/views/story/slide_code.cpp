#include "app/views/story/slide_code.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <vector>

namespace headlight {
namespace {

constexpr float slide_code_indent = 11;

struct SlideCodeLine {
  float indent = 0;
  std::string_view text;
};

struct SlideCode {
  TextStyle style = TextStyle::mono;
  std::vector<SlideCodeLine> lines;
};

/// The height of a line, which is larger where all type is.
float line_of(const Canvas& canvas, TextStyle style) {
  constexpr float least = 16;
  return std::max(least, std::ceil(1.2f * text_size(canvas.shown_as(style))));
}

/// How many brackets a line of Python leaves open.
int left_open(std::string_view line) {
  int open = 0;
  char quote = 0;
  for (const char c : line) {
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '#') {
      break;
    } else {
      open += (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
    }
  }
  return open;
}

/// What is too long goes on below, four characters further right than its statement, and so does what the statement
/// itself puts on further lines: aligned with a bracket far to the right, little would fit on them.
std::vector<SlideCodeLine> narrow_lines(const Canvas& canvas, float width, std::string_view code, TextStyle style) {
  constexpr std::size_t further_right = 4;
  const float letter = canvas.width("0", style);
  std::vector<SlideCodeLine> lines;
  std::size_t statement = 0;  // how far its first line is indented
  int open = 0;               // brackets, before the line
  while (true) {
    const std::size_t end = std::min(code.find('\n'), code.size());
    std::string_view line = code.substr(0, end);
    std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    line.remove_prefix(indent);
    if (open > 0) indent = std::min(indent, statement + further_right);
    else statement = indent;
    open = std::max(0, open + left_open(line));
    while (true) {
      const float left = letter * static_cast<float>(indent);
      const std::vector<std::string_view> pieces = canvas.wrapped(line, style, width - left);
      lines.push_back({left, pieces.front()});
      if (pieces.size() == 1) break;
      line.remove_prefix(static_cast<std::size_t>(pieces[1].data() - line.data()));
      indent = statement + further_right;
    }
    if (end == code.size()) return lines;
    code.remove_prefix(end + 1);
  }
}

SlideCode slide_code_of(const Canvas& canvas, float width, std::string_view code) {
  while (!code.empty() && code.back() == '\n') code.remove_suffix(1);
  const auto lines = static_cast<std::size_t>(std::ranges::count(code, '\n')) + 1;
  for (const TextStyle style : {TextStyle::mono, TextStyle::code}) {
    const std::vector<std::string_view> whole = canvas.wrapped(code, style, width - slide_code_indent);
    if (whole.size() > lines) continue;
    SlideCode shown{style, {}};
    for (const std::string_view line : whole) shown.lines.push_back({0, line});
    return shown;
  }
  return {TextStyle::code, narrow_lines(canvas, width - slide_code_indent, code, TextStyle::code)};
}

}  // namespace

float slide_code_height(const Canvas& canvas, float width, std::string_view code) {
  const SlideCode shown = slide_code_of(canvas, width, code);
  return line_of(canvas, shown.style) * static_cast<float>(shown.lines.size()) + 3;
}

void draw_slide_code(const Canvas& canvas, Rect area, std::string_view code) {
  const auto [style, lines] = slide_code_of(canvas, area.w, code);
  canvas.fill({area.x, area.y, 2, area.h}, canvas.theme().control);
  for (const auto& [indent, line] : lines) {
    const Rect row = area.cut_top(line_of(canvas, style));
    canvas.text({row.x + slide_code_indent + indent, canvas.centered_baseline(row, style) + 1}, line, style,
                canvas.theme().text);
  }
}

}  // namespace headlight
