#include "app/views/setup/by_hand.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/views/menus/context_menu.hpp"
#include "core/setup/edits.hpp"
#include "core/trained/sentence_encoder.hpp"

namespace headlight {
namespace {

constexpr float chip_gap = 8;

/// The labels of the queries or of the keys, and the function that sets them from a sentence.
struct Labels {
  std::string_view key;
  std::vector<std::string> words;
  std::string sentence;  ///< that makes them
  Index length;
  std::function<Setup(const Setup&, std::string_view)> with_sentence;
  std::string_view hint;
  bool as_key = false;  ///< whether the words are keys, for their menus
};

struct Chip {
  Rect r;
  std::string label;
};

/// Chips in one line, then the chip that adds a word. Words that do not fit into the line become a count ("+ 488"), so
/// that the panel below never moves while typing.
struct ChipLine {
  std::vector<Chip> chips;
  Chip add;
};

ChipLine lay_out(const Ui& ui, const Labels& labels, float width) {
  const Canvas canvas = ui.canvas();
  const float chip_height = ui.reach(28);
  constexpr float rest_width = 46;  // of "+ 488", reserved for the words that have no room
  ChipLine line;
  float x = 0;
  for (std::size_t i = 0; i < labels.words.size(); ++i) {
    const float wide = std::min(ui.reach(chip_width(canvas, labels.words[i])), width - chip_height - chip_gap);
    const bool last_word = i + 1 == labels.words.size();
    if (x + wide + chip_gap + (last_word ? chip_height : rest_width) > width) {
      const std::string rest = fmt::format("+ {}", labels.words.size() - i);
      line.add = {{x, 0, std::min(std::max(chip_width(canvas, rest), chip_height), width - x), chip_height}, rest};
      return line;
    }
    line.chips.push_back({{x, 0, wide, chip_height}, labels.words[i]});
    x += wide + chip_gap;
  }
  line.add = {{x, 0, chip_height, chip_height}, {}};
  return line;
}

void open_sentence(SetupRows& rows, const Labels& labels) {
  rows.memory().sentence_key = labels.key;
  rows.memory().sentence_age = 0;
  rows.ui().request_frame();
}

bool add_chip(SetupRows& rows, const Rect& r, std::string_view label) {
  const Item item = rows.ui().item("add", r);
  rows.ui().take_typed(item);
  rows.ui().say_control(item, label.empty() ? "Type a sentence" : label, "button");
  const Canvas& canvas = rows.canvas();
  const Theme& t = rows.theme();
  canvas.dashed(r, item.hovered ? t.outline : t.control, 1, 6);
  if (label.empty()) canvas.icon_centered(Icon::plus, r, item.hovered ? t.text : t.text3);
  else canvas.text_in(r, label, TextStyle::control, item.hovered ? t.text : t.text2, Align::center);
  if (item.focused) canvas.focus_ring(r);
  rows.ui().tooltip(item, "Type a sentence: each word is a position");
  return item.clicked;
}

void draw_chips(SetupRows& rows, const Labels& labels, const ChipLine& line, Point origin) {
  Ui& ui = rows.ui();
  ui.push_id(labels.key);
  for (std::size_t i = 0; i < line.chips.size(); ++i) {
    ui.push_id(static_cast<int>(i));
    const Chip& chip = line.chips[i];
    const std::string words = rows.canvas().ellipsized(chip.label, TextStyle::control, chip.r.w - 18);
    const Rect area = chip.r.moved(origin.x, origin.y);
    const Item item = headlight::chip(ui, "chip", area, words);
    if (item.clicked) open_sentence(rows, labels);
    offer_menu(rows.context(), area, item, token_target(rows.session(), static_cast<Index>(i), labels.as_key));
    ui.pop_id();
  }
  const Rect add = line.add.r.moved(origin.x, origin.y);
  if (add_chip(rows, add, line.add.label)) open_sentence(rows, labels);
  if (labels.words.empty()) {
    const std::string words = labels.length == 1 ? "one position, without a label"
                                                 : fmt::format("{} positions, without labels", labels.length);
    rows.canvas().text_in({add.right() + 10, add.y, rows.width() - add.w - 10, add.h}, words, TextStyle::control,
                          rows.theme().text3);
  }
  ui.pop_id();
}

void draw_sentence(SetupRows& rows, const Labels& labels, const Rect& r) {
  SetupPanelMemory& memory = rows.memory();
  const int age = memory.sentence_age++;
  const Parse parse = [&](const Setup& base, const std::string& text) {
    return Result<Setup>{.owner = labels.with_sentence(base, text)};
  };
  const TextEdit edit = rows.type(r, labels.key, labels.sentence, {.focus_now = age == 0, .hint = labels.hint}, parse,
                                  SetupRows::Applied::whole);
  constexpr int frames_to_get_the_keyboard = 3;
  if (edit.active || age < frames_to_get_the_keyboard) rows.ui().request_frame_in(edit.active ? 0.4 : 0);
  else if (!rows.refused(labels.key)) {
    memory.sentence_key.clear();
    rows.ui().request_frame();
  }
}

void draw_labels(SetupRows& rows, const Labels& labels) {
  if (rows.memory().sentence_key == labels.key) {
    rows.block(std::string(labels.key), rows.control_height(),
               [&rows, labels](const Rect& r) { draw_sentence(rows, labels, r); });
    return;
  }
  const ChipLine line = lay_out(rows.ui(), labels, rows.width());
  rows.block(std::string(labels.key), rows.control_height(),
             [&rows, labels, line](const Rect& r) { draw_chips(rows, labels, line, r.min()); });
}

void draw_key_tokens(SetupRows& rows) {
  const Setup& setup = rows.setup();
  rows.row({.key = "key tokens", .label = std::string(setup_key("key_tokens")->label), .control_width = 40},
           rows.changed("key_tokens"), [&rows, length = setup.key_length()](const Rect& r) {
             rows.canvas().text_in(r, fmt::format("{}", length), TextStyle::caption, rows.theme().text3, Align::right);
           });
  draw_labels(rows, {"key_tokens", setup.key_tokens, sentence(setup.key_tokens), setup.key_length(), with_key_sentence,
                     "another sentence", true});
}

/// The bracket that joins the two lengths in self-attention; a click separates them (cross-attention) or joins them.
void draw_link(SetupRows& rows, const Rect& query, const Rect& key, bool cross) {
  const float from = query.center().y;
  const float to = key.center().y;
  const float size = rows.ui().reach(24);
  const Rect button{query.right() - size, (from + to) / 2 - size / 2, size, size};
  if (!cross) {
    const Canvas& canvas = rows.canvas();
    const Color ink = rows.theme().outline;
    const float wire = button.center().x - 0.5f;
    const float ends = button.x - 6;
    canvas.fill({ends, from, wire - ends, 1}, ink);
    canvas.fill({ends, to, wire - ends, 1}, ink);
    canvas.fill({wire, from, 1, button.y - from}, ink);
    canvas.fill({wire, button.bottom(), 1, to + 1 - button.bottom()}, ink);
  }
  const std::string_view tip = cross ? "Cross-attention: the keys have their own length. Press for self-attention"
                                     : "Self-attention: as many keys as queries. Press for cross-attention";
  if (icon_button(rows.ui(), "link", button, cross ? Icon::unlink : Icon::link, {.selected = !cross, .tooltip = tip}))
    rows.edit("sizes.key_length", with_source(rows.setup(), cross ? Source::self : Source::cross));
}

/// The pieces of the text that a trained layer reads for the selected batch item.
void draw_pieces(SetupRows& rows, const Setup& setup) {
  const Index item = std::min(rows.session().selection().batch, setup.sizes.batch - 1);
  const std::string text = setup.model.texts()[static_cast<std::size_t>(item)];
  std::vector<std::string> labels;
  std::ranges::transform(sentence_encoder::split(text), std::back_inserter(labels), sentence_encoder::label_of);
  draw_labels(
      rows, {"tokens", labels, text, std::ssize(labels),
             [item](const Setup& base, std::string_view typed) { return with_text(base, item, typed); }, "a sentence"});
}

}  // namespace

void draw_tokens(SetupRows& rows) {
  const Setup& setup = rows.setup();
  if (setup.has_model()) return draw_pieces(rows, setup);
  draw_labels(rows, {"tokens", setup.tokens, sentence(setup.tokens), setup.token_count(), with_sentence, "a sentence"});
}

void draw_lengths(SetupRows& rows) {
  const float room_for_link = rows.ui().reach(24) + 8;
  const bool is_cross = rows.setup().is_cross();
  for (const char* name : {"sizes.query_length", "sizes.key_length"}) rows.entry(*setup_key(name), room_for_link);
  rows.area(0, [&rows, is_cross](const Rect&) {
    draw_link(rows, rows.drawn_at("sizes.query_length"), rows.drawn_at("sizes.key_length"), is_cross);
  });
  if (is_cross) draw_key_tokens(rows);
}

}  // namespace headlight
