// The parts of the view Write that both its centre and its panel need.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/session/drafting.hpp"
#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"
#include "app/views/write/write_study.hpp"

namespace headlight {

/// What comes next: the chance of each symbol, and which one the die chooses.
struct NextSymbol {
  std::vector<double> chances;
  double drawn = 0;         ///< the number of the die
  std::int64_t chosen = 0;  ///< where it falls

  double chance() const { return chances[static_cast<std::size_t>(chosen)]; }
  /// From the likeliest to the least likely.
  std::vector<std::int64_t> ranked() const;
};
NextSymbol next_symbol(const Draft& draft, const DraftSymbols& symbols, const Setup& setup, const Reading& reading);

/// "52.5 %", "< 0.1 %".
std::string chance_text(double chance);

/// A symbol as people read it.
std::string letter(std::int64_t symbol, const Setup& setup);

/// Whether the step asks for a number that this view shows: then it shows none.
bool asks_about_writing(const Session& session);

/// "After “the ri”": what the chances are about.
std::string words_before(const DraftSymbols& symbols, const Setup& setup);

/// A row for each symbol from the likeliest on, as many as there is room for, or all in an area that scrolls. A click
/// on a row writes its symbol. While the lecture's step asks, there are no numbers.
void draw_chances(ViewContext& context, Rect area, const DraftSymbols& symbols, const NextSymbol& next, bool scrolls);

/// How the model chooses: temperature, the likeliest alone, and top-k, below each other in an area of this height.
void draw_sampling(ViewContext& context, Rect area);
float sampling_height(const Ui& ui);

/// The text and its likeliest next symbols in lines, for people who listen; as far as they are known.
std::string writing_aloud(const Session& session, ViewMemory& memory);

}  // namespace headlight
