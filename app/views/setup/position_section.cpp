#include "app/views/setup/position_section.hpp"

#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/session/edits/setup_edits.hpp"

namespace headlight {
namespace {

constexpr float encoding_width = 142;

struct EncodingWords {
  std::string_view name;
  std::string_view about;
};

/// In the order of Encoding.
constexpr std::array<EncodingWords, setup_words<Encoding>.size()> encodings{{
    {"none", "Without positions a query cannot tell the order of the keys"},
    {"one-hot", "P adds 1 to a feature of its own for each position"},
    {"sinusoidal", "P adds sines and cosines, whose waves grow longer from feature to feature"},
    {"learned", "P is drawn or given like a weight"},
    {"rotary", "Queries and keys are turned, by an angle that grows with the position"},
    {"ALiBi", "Scores of distant keys are lowered, in each head with another slope"},
}};

const EncodingWords& encoding_words(const Setup& setup) {
  return encodings[static_cast<std::size_t>(setup.position.encoding)];
}

void draw_encoding(SetupRows& rows) {
  constexpr std::string_view key = "position.encoding";
  const auto lecture = rows.changed(
      key, [](const Setup& setup) { return std::string(encoding_words(setup).name); },
      [&rows](const Setup& theirs) { return with_encoding(rows.setup(), theirs.position.encoding); });
  rows.row(
      {.key = key, .label = "Encoding", .control_width = encoding_width, .tooltip = encoding_words(rows.setup()).about},
      lecture, [&](const Rect& r) {
        std::vector<std::string> items;
        for (const EncodingWords& words : encodings) items.emplace_back(words.name);
        int index = static_cast<int>(rows.setup().position.encoding);
        if (select(rows.ui(), key, r, items, index))
          rows.edit(key, with_encoding(rows.setup(), static_cast<Encoding>(index)));
      });
}

std::optional<double> number_in(const std::string& text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && stop == end ? std::optional(number) : std::nullopt;
}

Parsed parse_base(const Setup& base, const std::string& text) {
  const auto number = number_in(text);
  if (!number) return {{}, fmt::format("found \"{}\"; allowed: a number above 0", text)};
  Parsed parsed{base, {}};
  parsed.setup->position.base = *number;
  return parsed;
}

/// Ten times as much, or a tenth.
std::string stepped_base(const std::string& text, int steps) {
  double base = number_in(text).value_or(PositionSettings{}.base);
  for (; steps > 0; --steps) base *= 10;
  for (; steps < 0; ++steps) base /= 10;
  return fmt::format("{:.6g}", base);
}

void draw_base(SetupRows& rows) {
  constexpr std::string_view key = "position.base";
  rows.row({.key = key,
            .label = "Base",
            .control_width = 92,
            .tooltip = "The angle is position / base^(2·pair/width): a larger base makes the slow pairs slower"},
           [&](const Rect& r) {
             rows.number_text(r, key, fmt::format("{}", rows.setup().position.base), {.step = stepped_base},
                              parse_base);
           });
}

void draw_layout(SetupRows& rows) {
  constexpr std::array<std::string_view, 2> layouts{"halves", "neighbours"};
  rows.choice(
      {.key = "position.layout",
       .label = "Pairs",
       .control_width = 162,
       .tooltip = "Features that are turned together: k and k + d_head/2, as in Llama, or 2k and 2k + 1"},
      layouts, [](const Setup& setup) { return static_cast<int>(setup.position.layout); },
      [&](int index) {
        Setup edited = rows.setup();
        edited.position.layout = static_cast<PairLayout>(index);
        return edited;
      });
}

}  // namespace

void draw_position_section(SetupRows& rows) {
  const Encoding encoding = rows.setup().position.encoding;
  rows.section(SetupTopic::position, "Position");
  draw_encoding(rows);
  if (encoding == Encoding::sinusoidal || encoding == Encoding::rotary) draw_base(rows);
  if (encoding == Encoding::rotary) draw_layout(rows);
  rows.end_section();
}

}  // namespace headlight
