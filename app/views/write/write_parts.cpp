#include "app/views/write/write_parts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

#include <fmt/format.h>

#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/drawing/color_scale.hpp"
#include "app/views/base/frame_memory.hpp"
#include "app/views/base/frame_tools.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/tensors/asked_cells.hpp"
#include "core/setup/checks.hpp"

namespace headlight {

std::vector<std::int64_t> NextSymbol::ranked() const {
  std::vector<std::int64_t> order(chances.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater<>(),
                           [&](std::int64_t symbol) { return chances[static_cast<std::size_t>(symbol)]; });
  return order;
}

NextSymbol next_symbol(const Draft& draft, const DraftSymbols& symbols, const Setup& setup, const Reading& reading) {
  NextSymbol next{.chances = chances(reading.writer->logits(), draft.sampling)};
  // A link may have a seed that this generator doesn't take.
  const GeneratorKind generator = setup.random.generator;
  next.drawn = number_drawn(generator, takes_seed(generator, draft.seed) ? draft.seed : 0, symbols.written());
  next.chosen = chosen(next.chances, draft.sampling, next.drawn);
  return next;
}

std::string chance_text(double chance) {
  if (chance == 0) return "0";
  if (chance < 0.0005) return "< 0.1 %";
  return fmt::format("{:.1f} %", 100 * chance);
}

std::string letter(std::int64_t symbol, const Setup& setup) { return symbol_word(symbol, setup.task); }

bool asks_about_writing(const Session& session) {
  if (!session.lesson().asks()) return false;
  const auto is_asked = [&](TensorId tensor) {
    for (Index layer = 0; layer < session.setup().sizes.layers; ++layer)
      if (asks_about(session, tensor, seen_at(session.setup(), layer))) return true;
    return false;
  };
  return std::ranges::any_of(std::array{TensorId::weights, TensorId::logits, TensorId::probabilities}, is_asked);
}

std::string words_before(const DraftSymbols& symbols, const Setup& setup) {
  if (symbols.read.size() < 2) return "At the beginning";
  constexpr std::size_t most = 14;
  std::string words;
  const std::size_t from = symbols.read.size() > most + 1 ? symbols.read.size() - most : 1;
  for (std::size_t i = from; i < symbols.read.size(); ++i) words += letter(symbols.read[i], setup);
  return fmt::format("After “{}{}”", from > 1 ? "…" : "", words);
}

namespace {

constexpr float row_height = 26;

class Chances : FrameTools {
 public:
  Chances(ViewContext& context, const DraftSymbols& symbols, const NextSymbol& next)
      : FrameTools(context), symbols_(symbols), next_(next), order_(next.ranked()), row_(ui_.reach(row_height)) {}

  void draw(Rect area, bool scrolls) {
    if (asks_about_writing(session_)) return canvas_.text_in(area.cut_top(row_), "?", TextStyle::heading, theme_.text2);
    if (scrolls) return draw_all(area);
    const auto room = static_cast<std::size_t>(std::max(area.h / row_, 0.0f));
    const std::size_t shown = order_.size() <= room ? room : std::max<std::size_t>(room, 1) - 1;
    std::size_t i = 0;
    double rest = 1;
    ui_.begin_list("symbols");
    for (; i < std::min(shown, order_.size()); ++i) {
      draw_row(area.cut_top(row_), order_[i]);
      rest -= chance(order_[i]);
    }
    ui_.end_list();
    if (i < order_.size() && room > 0) {
      Rect row = area.cut_top(row_);
      canvas_.text_in(row.cut_right(number_width), chance_text(std::max(rest, 0.0)), TextStyle::mono, theme_.text3,
                      Align::right);
      row.cut_left(letter_width);
      canvas_.text_in(row, fmt::format("{} others", order_.size() - i), TextStyle::control, theme_.text3);
    }
  }

 private:
  static constexpr float letter_width = 30;
  static constexpr float number_width = 66;

  double chance(std::int64_t symbol) const { return next_.chances[static_cast<std::size_t>(symbol)]; }

  void draw_all(Rect area) {
    area.h = std::floor(area.h / row_) * row_;  // no row is cut at the start
    const ScrollArea scroll(ui_, "chances", area, row_ * static_cast<float>(order_.size()), theme_.panel);
    Rect rows = scroll.content();
    rows.w = area.w - (rows.h > area.h ? 12.0f : 0.0f);  // the bar of the scroll area is beside the numbers
    ui_.begin_list("symbols");
    for (const std::int64_t symbol : order_) {
      const Rect row = rows.cut_top(row_);
      if (row.bottom() >= area.y && row.y <= area.bottom()) draw_row(row, symbol);
    }
    ui_.end_list();
  }

  void draw_row(Rect row, std::int64_t symbol) {
    const bool is_chosen = symbol == next_.chosen && symbols_.goes_on();
    const bool can_choose = symbols_.goes_on() && !context_.still && !session_.display().presentation.presenting;
    ui_.push_id(static_cast<int>(symbol));
    if (can_choose) {
      const Item item = ui_.item("symbol", row);
      if (item.hovered) canvas_.fill(row.outset(4).inset(0, 4), theme_.hover, 4);
      if (item.focused) canvas_.focus_ring(row.inset(2));
      ui_.say_control(item, letter(symbol, session_.setup()), "symbol", chance_text(chance(symbol)));
      ui_.tooltip(item, fmt::format("Write “{}”. Its probability is {:.3g} %", letter(symbol, session_.setup()),
                                    100 * chance(symbol)));
      if (item.clicked)
        context_.memory.get<FrameMemory>().after_frame = [symbol](Session& session) {
          Drafting(session).owe(0);
          Drafting(session).write(symbol);
        };
    }
    canvas_.text_in(row.cut_left(letter_width), letter(symbol, session_.setup()), TextStyle::large_number,
                    is_chosen ? theme_.lamp : theme_.text);
    canvas_.text_in(row.cut_right(number_width), chance_text(chance(symbol)),
                    is_chosen ? TextStyle::mono_strong : TextStyle::mono, is_chosen ? theme_.text : theme_.text2,
                    Align::right);
    if (chance(symbol) == 0) return ui_.pop_id();
    const double largest = chance(order_.front());
    const Rect bar{row.x, row.center().y - 8,
                   std::max(1.0f, (row.w - 8) * static_cast<float>(chance(symbol) / largest)), 16};
    canvas_.fill(bar, positive_colors(theme_, ColorMapName::weights).at(chance(symbol)), 3);
    canvas_.stroke(bar, is_chosen ? theme_.lamp : theme_.line_strong, 1, 3);
    ui_.pop_id();
  }

  const DraftSymbols& symbols_;
  const NextSymbol& next_;
  std::vector<std::int64_t> order_;
  float row_;
};

}  // namespace

std::string writing_aloud(const Session& session, ViewMemory& memory) {
  const Setup& setup = session.setup();
  const DraftSymbols symbols = drafted(session);
  std::string words = fmt::format("The text: {}", text_of(symbols, setup));
  if (symbols.ended) return words + "\nA line break has ended it.";
  if (symbols.full) words += "\nThere is no room for another symbol.";
  const WriteStudy& study = memory.get<WriteStudy>();
  if (asks_about_writing(session) || !study.is_of(session, symbols.read)) return words;
  const NextSymbol next = next_symbol(session.state().draft, symbols, setup, *study.reading());
  words += fmt::format("\nThe die chooses {}, whose probability is {}.", letter(next.chosen, setup),
                       chance_text(next.chance()));
  const auto order = next.ranked();
  for (std::size_t i = 0; i < std::min<std::size_t>(order.size(), 5); ++i)
    words +=
        fmt::format("\n{}: {}", letter(order[i], setup), chance_text(next.chances[static_cast<std::size_t>(order[i])]));
  return words;
}

void draw_chances(ViewContext& context, Rect area, const DraftSymbols& symbols, const NextSymbol& next, bool scrolls) {
  context.ui.push_id("chances");
  Chances(context, symbols, next).draw(area, scrolls);
  context.ui.pop_id();
}

}  // namespace headlight
