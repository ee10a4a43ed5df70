#include "app/views/setup/sentence_bar.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/session/actions/target.hpp"
#include "app/session/lesson.hpp"
#include "app/session/selecting.hpp"
#include "app/session/sentence.hpp"
#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/controls/value_controls.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/menus/context_menu.hpp"
#include "app/views/setup/own_sentence.hpp"
#include "core/setup/edits.hpp"
#include "core/text/characters.hpp"
#include "core/text/wording.hpp"
#include "core/trained/sentence_encoder.hpp"

namespace headlight {
namespace {

constexpr float field_height = 38;
constexpr float piece_height = 26;
constexpr float piece_gap = 10;
constexpr float dash = 8;  ///< between the parts of one word

/// What the dice brings, one after the other.
constexpr std::array<std::string_view, 6> sentences{"The keys to the cabinet are on the table.",
                                                    "The animal did not cross the street because it was too tired.",
                                                    "My sister lost the small key to her old bicycle.",
                                                    "Most of the people in the long queue were too cold to wait.",
                                                    "He read the letter that his father had never sent.",
                                                    "A very loud bird in the garden woke the whole house."};

/// A text that was refused, and why. It stays in its field until it is accepted or left.
struct RefusedText {
  Index item = 0;
  std::string text;
  std::string why;
};
struct SentenceBarMemory {
  std::optional<RefusedText> refused;
};

std::string shown(const Piece& piece) {
  const std::string label = sentence_encoder::label_of(piece);
  return label.starts_with("·") ? label.substr(std::string_view("·").size()) : label;
}

/// The pieces of the sentence, where a trained layer reads it; of random numbers there are words alone.
std::vector<Piece> pieces_of(const Session& session) {
  return session.setup().has_model() ? sentence_encoder::split(text_of_sentence(session)) : std::vector<Piece>();
}

/// The batch item whose text it is.
Index item_of(const Session& session) { return std::min(session.selection().batch, session.setup().sizes.batch - 1); }

/// The sentence as a line to type in, and another one.
class SentenceField {
 public:
  explicit SentenceField(ViewContext& context)
      : ui_(context.ui),
        session_(context.session),
        refused_(context.memory.get<SentenceBarMemory>().refused),
        item_(item_of(session_)),
        text_(text_of_sentence(session_)) {}

  void draw(const Rect& line, TextStyle style) {
    std::string text = refused_ && refused_->item == item_ ? refused_->text : text_;
    const TextEdit edit =
        text_field(ui_, "text", line, text, {.style = style, .invalid = refused_.has_value(), .hint = "a sentence"});
    if (edit.changed) take(text, session_.selection().head);
    else if (!edit.active && !edit.committed) refused_.reset();
    if (edit.committed || edit.escaped) session_.end_gesture();
  }

  void take_another() {
    const auto now = std::ranges::find(sentences, std::string_view(text_));
    const bool is_last = now == sentences.end() || now + 1 == sentences.end();
    take(std::string(is_last ? sentences.front() : *(now + 1)), {});
    session_.end_gesture();
  }

 private:
  /// On the page of the sentence a word is always chosen, in this head or in any.
  void take(const std::string& text, std::optional<Index> head) {
    const bool by_pieces = session_.setup().has_model();
    refused_.reset();
    if (!by_pieces && text.find_first_not_of(" \t\n") == std::string::npos) return;  // the words so far stay
    const auto problems = session_.edit(
        by_pieces ? with_text(session_.wanted(), item_, text) : with_sentence(session_.wanted(), text), "model.text");
    if (!problems.empty())
      refused_ = RefusedText{item_, std::string(first_bytes(text, sentence_encoder::most_bytes)),
                             fmt::format("{}; allowed: {}", problems.front().found, problems.front().allowed)};
    else if (on_sentence_page(session_)) session_.when_shown([head](Session& s) { choose_telling_words(s, head); });
    ui_.request_frame();
  }

  Ui& ui_;
  Session& session_;
  std::optional<RefusedText>& refused_;
  Index item_;
  std::string text_;
};

class Bar {
 public:
  Bar(ViewContext& context, Rect area)
      : context_(context),
        ui_(context.ui),
        session_(context.session),
        area_(area),
        item_(item_of(session_)),
        pieces_(pieces_of(session_)) {}

  void draw() {
    ui_.push_id("sentence");
    Rect line = area_.cut_top(field_height);
    SentenceField field(context_);
    if (icon_button(ui_, "another", line.cut_right(field_height), Icon::dice, {.tooltip = "Another sentence"}))
      field.take_another();
    line.cut_right(8);
    field.draw(line, TextStyle::formula);
    area_.cut_top(8);
    draw_pieces(area_.cut_top(piece_height));
    ui_.pop_id();
  }

 private:
  void draw_pieces(Rect row) {
    const Canvas canvas = ui_.canvas();
    const auto [words, ink] = remark_on_sentence(context_);
    canvas.text_in(row.cut_right(std::min(0.6f * row.w, canvas.width(words, TextStyle::caption) + 4)), words,
                   TextStyle::caption, ink, Align::right);
    row.cut_right(16);
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      const bool joined = i > 0 && !pieces_[i].text.starts_with("▁");
      const float gap = i == 0 ? 0 : joined ? dash : piece_gap;
      const std::string label = shown(pieces_[i]);
      const float wide = chip_width(canvas, label);
      const bool is_last = i + 1 == pieces_.size();
      if (gap + wide + (is_last ? 0 : 44) > row.w) {
        canvas.text_in(row.inset(6, 0), fmt::format("+ {}", pieces_.size() - i), TextStyle::control, ui_.theme().text2);
        return;
      }
      const Rect before = row.cut_left(gap);
      if (joined) canvas.fill({before.x, before.center().y - 1, before.w, 2}, ui_.theme().outline);
      draw_piece(row.cut_left(wide), static_cast<Index>(i), label);
    }
  }

  void draw_piece(const Rect& r, Index position, const std::string& label) {
    ui_.push_id(static_cast<int>(position));
    const Canvas canvas = ui_.canvas();
    const Theme& theme = ui_.theme();
    const Cell cell = session_.cell();
    const bool is_map = info(cell.tensor).is_query_by_key() && cell.index.rank() == 4 && !points_at_answer(session_);
    const bool is_query = is_map && cell.index[2] == position;
    const bool is_key = is_map && cell.index[3] == position;
    const Item item = chip(ui_, "piece", r, label);
    if (is_query || is_key) {
      const Color hue = is_query ? theme.query : theme.key;
      canvas.stroke(r, hue, 2, 6);
    }
    const bool is_unknown = pieces_[static_cast<std::size_t>(position)].row == sentence_encoder::unknown_row;
    ui_.tooltip(item, is_unknown
                          ? "Not in the vocabulary, so it is read as the unknown piece. Click to see what it looks at"
                          : "Click to see what it looks at");
    if (item.clicked) choose(position);
    offer_menu(context_, r, item, token_target(session_, position, false));
    ui_.pop_id();
  }

  /// Selects the query's largest weight.
  void choose(Index query) {
    const Trace& trace = session_.trace();
    const Index head = session_.selection().head;
    Index best = 0;
    const auto weight = [&](Index key) { return trace.number({TensorId::weights, Shape{item_, head, query, key}}); };
    for (Index key = 1; key < session_.setup().key_length(); ++key)
      if (weight(key) > weight(best)) best = key;
    Selecting(session_).pin({TensorId::weights, Shape{item_, head, query, best}});
  }

  ViewContext& context_;
  Ui& ui_;
  Session& session_;
  Rect area_;
  Index item_;
  std::vector<Piece> pieces_;
};

}  // namespace

SentenceRemark remark_on_sentence(const ViewContext& context) {
  const Theme& theme = context.ui.theme();
  const auto& refused = context.memory.get<SentenceBarMemory>().refused;
  if (refused) return {refused->why, theme.error};
  const std::vector<Piece> pieces = pieces_of(context.session);
  const auto unknown = std::ranges::find(pieces, sentence_encoder::unknown_row, &Piece::row);
  if (unknown != pieces.end()) return {fmt::format("not in the vocabulary: {}", shown(*unknown)), theme.changed};
  const auto count = std::ssize(pieces);
  if (4 * count < 3 * sentence_encoder::most_pieces) return {counted(count, "piece", "pieces"), theme.text3};
  return {fmt::format("{} of at most {} pieces", count, sentence_encoder::most_pieces), theme.text3};
}

void draw_sentence_field(ViewContext& context, Rect line) {
  Ui& ui = context.ui;
  ui.push_id("sentence");
  SentenceField field(context);
  constexpr std::string_view words = "Another sentence";
  const float wide = ui.canvas().width(words, TextStyle::control_strong) + 28;
  const bool by_words = line.w > 3 * wide;
  const Rect another = line.cut_right(by_words ? wide : line.h);
  line.cut_right(8);
  if (by_words ? button(ui, "another", another, words)
               : icon_button(ui, "another", another, Icon::dice, {.tooltip = words}))
    field.take_another();
  field.draw(line, TextStyle::formula);
  ui.pop_id();
}

void draw_sentence_bar(ViewContext& context, Rect& area) {
  const Session& session = context.session;
  if (!session.setup().has_model() || context.bare() || session.lesson().step() != nullptr) return;
  constexpr float margin = 24;
  Rect bar = area.cut_top(12 + field_height + 8 + piece_height + 4).inset(margin, 0);
  bar.cut_top(12);
  Bar(context, bar).draw();
}

}  // namespace headlight
