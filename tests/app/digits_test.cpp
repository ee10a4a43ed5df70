// Rows of numbers keep what they say: in every matrix of every step, in the window and on its slide, before the answer
// and after a right or a wrong one, different numbers of a row look different, and nothing reads 0 that isn't.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "answers.hpp"
#include "app/session/lesson.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/compare/check_view.hpp"
#include "app/views/story/arrangement.hpp"
#include "scripted.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

struct Read {
  double value;
  std::string text;
};

/// What is wrong with the numbers of a line, in words; empty if nothing. What is seen is a tenth of the line's range,
/// and a hundredth of the picture's largest number.
std::string complaint_about(const std::vector<Read>& line, double largest_of_all) {
  constexpr double seen = 0.1;
  const auto [least, most] = std::ranges::minmax(line, {}, &Read::value);
  const double largest = std::max(std::abs(least.value), std::abs(most.value));
  const double noise = 1e-5 * largest;
  const double small = std::max(noise, 0.01 * largest_of_all);
  std::string all;
  bool wrong = false;
  for (const Read& one : line) {
    all += fmt::format("{}={:.4g} ", one.text, one.value);
    const bool reads_zero = one.text.find_first_of("123456789") == std::string::npos;
    wrong |= reads_zero && std::abs(one.value) > std::max(small, seen * largest);
    wrong |= one.text == "0" && std::abs(one.value) > noise;
    for (const Read& other : line)
      wrong |= one.text == other.text &&
               std::abs(one.value - other.value) > std::max(small, seen * (most.value - least.value));
  }
  return wrong ? all : std::string();
}

/// Whether the text is this number, rounded.
bool is_number(const std::string& text, double value) {
  std::string digits = text;
  if (digits.starts_with("−")) digits.replace(0, std::string("−").size(), "-");
  const auto point = digits.find('.');
  const int decimals = point == std::string::npos ? 0 : static_cast<int>(digits.size() - point - 1);
  return std::abs(std::strtod(digits.c_str(), nullptr) - value) <= 0.51 * std::pow(10, -decimals);
}

/// Reads one lecture's pictures.
class Reader {
 public:
  Reader(const std::string& lecture, bool presenting)
      : app_(shown_lecture(lecture, presenting)), surface_(app_, 1280, 720, 1) {}

  void all_steps() {
    Session& session = app_.session();
    for (std::size_t step = 0; step < session.lesson().step_count(); ++step) {
      Lesson(session).go_to(step);
      session.wait();
      look("unanswered");
      if (!session.lesson().question()) continue;
      say(session, Said::right);
      look("answered right");
      say(session, Said::wrong);
      look("answered wrong", true);
    }
  }

  int lines() const { return lines_; }
  /// Where numbers can't be told apart, because the words leave their cells no room for four characters.
  const std::set<std::string>& without_room() const { return without_room_; }

 private:
  void look(const std::string& state, bool is_wrong = false) {
    surface_.move_mouse({1, 1});
    const DisplayList drawing = surface_.settled_drawing(true);
    Session& session = app_.session();
    const std::string place =
        fmt::format("{} step {}{}, {}", session.lesson().lecture()->id, session.lesson().at.index + 1,
                    session.display().presentation.presenting ? " presented" : "", state);
    CAPTURE(place);
    const bool has_room = app_.memory().get<KeptArrangement>().arrangement.rung.cells >= Cells::readable;
    const std::optional<int> chosen = matrix_choices(session).decimals;
    for (const PlacedItem& item : surface_.items()) {
      if (!item.path.ends_with("cells")) continue;
      const auto grid = numbers_in(drawing, item);
      if (grid.empty()) continue;
      CAPTURE(item.path);
      double largest = 0;
      bool as_chosen = chosen.has_value();
      for (const auto& [at, number] : grid) {
        largest = std::max(largest, std::abs(number.value));
        if (!chosen || number.value == std::round(number.value)) continue;
        const auto point = number.text.find('.');
        const auto decimals = point == std::string::npos ? 0 : number.text.size() - point - 1;
        as_chosen = as_chosen && static_cast<int>(decimals) == *chosen;
      }
      // The words about a wrong answer may leave no room for the decimals that the author has chosen.
      if (chosen && !is_wrong) CHECK(as_chosen);
      for (bool across : {true, false}) {
        if (as_chosen) continue;  // the author has said how far they are rounded
        if (!across && !turned_) continue;
        for (const auto& line : lines_of(grid, across)) {
          ++lines_;
          const std::string complaint = complaint_about(line, largest);
          if (complaint.empty()) continue;
          if (has_room) FAIL_CHECK(complaint);
          else without_room_.insert(place);
        }
      }
    }
  }

  using Grid = std::map<std::pair<int, int>, Read>;  ///< by place on the screen

  static std::vector<std::vector<Read>> lines_of(const Grid& grid, bool across) {
    std::map<int, std::vector<Read>> lines;
    for (const auto& [at, number] : grid) lines[across ? at.first : at.second].push_back(number);
    std::vector<std::vector<Read>> result;
    for (auto& [at, line] : lines) result.push_back(std::move(line));
    return result;
  }

  /// The numbers that are written in the cells of a picture. Pointing at two of them tells which they are.
  Grid numbers_in(const DisplayList& drawing, const PlacedItem& item) {
    struct Written {
      Rect cell;
      const TextShape* text = nullptr;
    };
    std::vector<Written> written;
    for (const Drawn& drawn : drawing.drawn) {
      const auto* const cells = std::get_if<CellsShape>(&drawn.shape);
      if (!cells) continue;
      for (const CellsShape::Cell& cell : cells->cells)
        if (item.rect.contains(cell.r.center()) && cell.r.w > 15) written.push_back({cell.r});
    }
    if (written.empty()) return {};
    bool any = false;
    for (const Drawn& drawn : drawing.drawn)
      if (const auto* const text = std::get_if<TextShape>(&drawn.shape))
        for (Written& one : written)
          if (one.cell.contains({text->baseline.x + text->width / 2, text->baseline.y - 4})) {
            one.text = text;
            any = true;
          }
    if (!any) return {};
    const auto pointed_at = [&](const Written& one) {
      surface_.move_mouse(one.cell.center());
      surface_.frames(2);
      return app_.session().state().hovered;
    };
    Grid grid;
    const auto first = pointed_at(written.front());
    const Rect a = written.front().cell;
    const auto end = std::ranges::max_element(written, {}, [&](const Written& one) {
      return std::pair{one.cell.y == a.y ? one.cell.x : 0.0f, one.cell.y};  // of the first row, or of the only column
    });
    const auto last = pointed_at(*end);
    if (!first || !last) return {};
    const Rect b = end->cell;
    const Selection from = at_cell(app_.session().selection(), *first, app_.session().setup());
    const Selection to = at_cell(app_.session().selection(), *last, app_.session().setup());
    const float pitch_x = pitch(written, true), pitch_y = pitch(written, false);
    const auto place = [&](float x, float x0, float p) { return static_cast<int>(std::lround((x - x0) / p)); };
    const int across = place(b.x, a.x, pitch_x), down = place(b.y, a.y, pitch_y);
    turned_ = !(from.row + down == to.row && from.column + across == to.column);
    if (turned_ && !(from.row + across == to.row && from.column + down == to.column)) return {};
    for (const Written& one : written) {
      if (!one.text || one.text->text == "?") continue;
      const int x = place(one.cell.x, a.x, pitch_x), y = place(one.cell.y, a.y, pitch_y);
      Selection at = from;
      at.row += turned_ ? x : y;
      at.column += turned_ ? y : x;
      const auto value = value_of(item.path, at);
      if (!value || !is_number(one.text->text, *value)) return {};  // a picture of something else
      grid.emplace(std::pair{y, x}, Read{*value, one.text->text});
    }
    return grid;
  }

  template <class All>
  static float pitch(const All& written, bool across) {
    float least = 1e9f;
    for (const auto& one : written) {
      const float way = std::abs(across ? one.cell.x - written.front().cell.x : one.cell.y - written.front().cell.y);
      if (way > 4) least = std::min(least, way);
    }
    return least;
  }

  std::optional<double> value_of(const std::string& path, const Selection& at) {
    Session& session = app_.session();
    const bool yours = path.find("yours/") != std::string::npos, ours = path.find("ours/") != std::string::npos;
    const bool difference = path.find("difference/") != std::string::npos;
    if (yours || ours || difference) {
      CheckStudy& study = app_.memory().get<CheckMemory>().study;
      const CheckFindings* const findings = study.findings(session);
      const CheckedMatrix* const matrix = findings ? study.matrix(session, *findings, at.tensor) : nullptr;
      if (!matrix) return std::nullopt;
      return (difference ? matrix->difference : yours ? matrix->theirs : matrix->ours).value(at.row, at.column);
    }
    return session.trace().value(cell_of(at, session.setup()));
  }

  HeadlightApp app_;
  Offscreen surface_;
  bool turned_ = false;
  int lines_ = 0;
  std::set<std::string> without_room_;
};

/// At most so many pictures have no room.
void read(bool presenting, std::size_t without_room) {
  Session session;
  Documents().load_lectures(session);
  session.edit_display([](Display& display) { display.mode = WindowMode::workbench; });
  int lines = 0;
  std::set<std::string> all_without_room;
  for (const auto& lecture : session.lectures()) {
    Reader reader(lecture->id, presenting);
    reader.all_steps();
    lines += reader.lines();
    all_without_room.insert(reader.without_room().begin(), reader.without_room().end());
  }
  CHECK(lines > 1000);
  CHECK_MESSAGE(all_without_room.size() <= without_room, fmt::format("{}", fmt::join(all_without_room, "; ")));
}

}  // namespace

TEST_CASE("rows of different numbers look different in the window, on every step") { read(false, 0); }

TEST_CASE("rows of different numbers look different on every slide") {
  read(true, 3);  // after a wrong answer with many words
}
