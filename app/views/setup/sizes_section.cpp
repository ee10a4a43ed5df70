#include "app/views/setup/sizes_section.hpp"

#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "app/session/edits/setup_edits.hpp"
#include "app/views/setup/tokens_section.hpp"

namespace headlight {
namespace {

constexpr float number_width = 124;

/// The next divisor above or below the value, which need not be a divisor itself.
Index neighbour(const std::vector<Index>& choices, Index value, int direction) {
  if (direction > 0) {
    const auto above = std::upper_bound(choices.begin(), choices.end(), value);
    return above == choices.end() ? choices.back() : *above;
  }
  const auto from = std::lower_bound(choices.begin(), choices.end(), value);
  return from == choices.begin() ? choices.front() : *std::prev(from);
}

/// A divisor of `whole`: all of them side by side where there is room, otherwise one step after the other.
void draw_divisor(SetupRows& rows, const SetupRow& about, Index value, Index whole,
                  Setup (*with)(const Setup&, Index)) {
  constexpr float narrowest_segment = 24;
  const std::vector<Index> choices = divisors(whole);
  const bool side_by_side = static_cast<float>(choices.size()) * narrowest_segment <= about.control_width;
  rows.row(about, [&](const Rect& r) {
    if (!side_by_side) {
      const auto step = [&](long long from, int direction) {
        return static_cast<long long>(neighbour(choices, from, direction));
      };
      rows.step_number(r, about.key, value, 1, whole, {.step = step},
                       [&](Index next) { return with(rows.setup(), next); });
      return;
    }
    std::vector<std::string> words;
    for (Index choice : choices) words.push_back(std::to_string(choice));
    const std::vector<std::string_view> labels(words.begin(), words.end());
    int index = static_cast<int>(std::find(choices.begin(), choices.end(), value) - choices.begin());
    if (segmented(rows.ui(), about.key, r, labels, index, {.mono = true}))
      rows.edit(about.key, with(rows.setup(), choices[static_cast<std::size_t>(index)]));
  });
}

/// The bracket that joins the two lengths in self-attention; pressing it separates them (cross-attention) or joins.
void draw_link(SetupRows& rows, const Rect& query, const Rect& key, bool cross) {
  const float from = query.center().y;
  const float to = key.center().y;
  const Rect button{query.right() - 24, (from + to) / 2 - 12, 24, 24};
  if (!cross) {
    const Canvas& canvas = rows.canvas();
    const Color ink = rows.theme().outline;
    const float wire = button.center().x - 0.5f;
    const float ends = query.right() - 30;
    canvas.fill({ends, from, wire - ends, 1}, ink);
    canvas.fill({ends, to, wire - ends, 1}, ink);
    canvas.fill({wire, from, 1, button.y - from}, ink);
    canvas.fill({wire, button.bottom(), 1, to + 1 - button.bottom()}, ink);
  }
  const std::string_view tip = cross ? "Cross-attention: keys have a length of their own. Press for self-attention"
                                     : "Self-attention: as many keys as queries. Press for cross-attention";
  if (icon_button(rows.ui(), "link", button, cross ? Icon::unlink : Icon::link, {.selected = !cross, .tooltip = tip}))
    rows.edit("sizes.key_length", with_source(rows.setup(), cross ? Source::self : Source::cross));
}

void draw_lengths(SetupRows& rows, const Setup& setup) {
  const auto length = [&](const char* key, const char* label, Index value, Setup (*with)(const Setup&, Index)) {
    Rect place;
    rows.row({.key = key, .label = label, .control_width = number_width}, [&](Rect r) {
      place = r;
      r.cut_right(32);
      rows.step_number(r, key, value, 1, largest_size, {}, [&](Index next) { return with(rows.setup(), next); });
    });
    return place;
  };
  const Rect query = length("sizes.query_length", "Query length", setup.sizes.query_length, with_query_length);
  const Rect key = length("sizes.key_length", "Key length", setup.key_length(), with_key_length);
  draw_link(rows, query, key, setup.is_cross());
  if (setup.is_cross() && rows.setup().is_cross()) draw_key_tokens(rows);
}

}  // namespace

void draw_sizes_section(SetupRows& rows) {
  const Setup setup = rows.setup();
  rows.section(SetupTopic::sizes, "Sizes");
  rows.number({.key = "sizes.batch", .label = "Batch"}, setup.sizes.batch, 1, largest_size,
              [&](Index value) { return with_batch(rows.setup(), value); });
  draw_lengths(rows, setup);
  rows.number({.key = "sizes.d_model", .label = "d_model", .tooltip = "Features of the input and the output"},
              setup.sizes.d_model, 1, largest_size, [&](Index value) { return with_d_model(rows.setup(), value); });
  draw_divisor(rows, {.key = "sizes.heads", .label = "Heads", .tooltip = "A divisor of d_model"}, setup.sizes.heads,
               setup.sizes.d_model, with_heads);
  draw_divisor(rows,
               {.key = "sizes.kv_heads",
                .label = "KV heads",
                .tooltip = "Heads of keys and values, a divisor of heads. Fewer than heads: grouped-query attention"},
               setup.kv_heads(), setup.sizes.heads, with_kv_heads);
  rows.row({.key = "d_head", .label = "d_head", .control_width = number_width, .tooltip = "Features of one head"},
           [&](const Rect& r) {
             const Theme& t = rows.theme();
             const std::string left = fmt::format("{} / {} = ", setup.sizes.d_model, setup.sizes.heads);
             const std::string value = fmt::format("{}", setup.d_head());
             rows.canvas().rich({r.right(), rows.canvas().centered_baseline(r, TextStyle::number)},
                                {{left, TextStyle::number, t.text3}, {value, TextStyle::number_strong, t.text}},
                                Align::right);
           });
  rows.end_section();
}

}  // namespace headlight
