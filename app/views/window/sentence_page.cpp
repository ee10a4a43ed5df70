#include "app/views/window/sentence_page.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/session/actions/actions.hpp"
#include "app/session/actions/target.hpp"
#include "app/session/selecting.hpp"
#include "app/session/sentence.hpp"
#include "app/session/session.hpp"
#include "app/session/studies/head_habit.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/frame_memory.hpp"
#include "app/views/base/frame_tools.hpp"
#include "app/views/base/panels.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/heads/attention_lines.hpp"
#include "app/views/heads/head_study.hpp"
#include "app/views/heads/why_words.hpp"
#include "app/views/menus/context_menu.hpp"
#include "app/views/play/play.hpp"
#include "app/views/setup/own_sentence.hpp"
#include "app/views/setup/sentence_bar.hpp"
#include "app/views/tensors/cell_words.hpp"
#include "app/views/tensors/picture_cells.hpp"
#include "app/views/tensors/tensor_picture.hpp"
#include "app/views/window/page_frame.hpp"
#include "core/stages/explain.hpp"

namespace headlight {
namespace {

constexpr float field_line = 42;
constexpr float word_row = 32;
constexpr float share_row = 24;
constexpr float side_label = 58;
constexpr float turn_button = 28;  ///< with a mouse
constexpr float least_word = 38;   ///< as wide as its share
constexpr float between_words = 12;
constexpr float around_word = 7;
constexpr float widest_share = 30;  ///< of the band that is all of a word's attention
constexpr double least_band = 0.002;
constexpr float highest_strip = 206;
constexpr float lowest_strip = 122;
constexpr float heads_width = 222;
constexpr float widest_map = 250;
constexpr float least_map = 120;
constexpr float chip_height = 32;
constexpr float sum_button = 42;
constexpr float low_page = 560;
constexpr std::string_view random_warning = "Random weights: they mean nothing about these words";

struct SentencePageMemory {
  float offset = 0;               ///< of the words, where they are wider than the page
  std::pair<Index, Index> shown;  ///< the chosen words that were brought into view
  float height = 0;               ///< of everything that scrolls in a small window
};

/// A word where it stands, from the left end of all words.
struct PlacedWord {
  std::string text;
  float middle = 0;
  float width = 0;
};

/// Words in one colour, which are broken at spaces, and where a part of them stands.
struct InkedWords {
  std::string text;
  Color ink;
  float x = 0;
  int line = 0;
};

/// The words one after the other in lines of this width.
std::vector<InkedWords> set_in_lines(const Canvas& canvas, const std::vector<InkedWords>& parts, TextStyle style,
                                     float width) {
  const float space = canvas.width(" ", style);
  std::vector<InkedWords> lines;
  float x = 0;
  int line = 0;
  for (const InkedWords& part : parts) {
    const bool is_end = part.text == ".";
    if (is_end) x -= space;
    bool begins = true;
    for (std::size_t begin = 0; begin < part.text.size();) {
      const std::size_t end = std::min(part.text.find(' ', begin), part.text.size());
      const std::string word = part.text.substr(begin, end - begin);
      begin = end + 1;
      const float wide = canvas.width(word, style);
      if (x > 0 && !is_end && x + wide > width) {
        x = 0;
        ++line;
        begins = true;
      }
      if (std::exchange(begins, false)) lines.push_back({word, part.ink, x, line});
      else lines.back().text += " " + word;
      x += wide + space;
    }
  }
  return lines;
}

int count_lines(const std::vector<InkedWords>& set) { return set.empty() ? 0 : set.back().line + 1; }

void draw_inked(const Canvas& canvas, const Rect& area, const std::vector<InkedWords>& set, TextStyle style,
                float line) {
  for (const InkedWords& words : set)
    canvas.text({area.x + words.x, area.y + line * (static_cast<float>(words.line) + 0.72f)}, words.text, style,
                words.ink);
}

/// "itself 64%", "the next 55%", "over 6 words"
std::string words_beside_head(const Session& session, Index batch, Index head) {
  if (is_random(session)) return "random numbers";
  const Tensor& weights = session.trace()[TensorId::weights];
  const auto habit = habit_of(weights, batch, head);
  if (!habit) return {};
  if (!habit->is_clear()) return fmt::format("over {:.0f} words", spread_of(weights, batch, head));
  return fmt::format("{} {}",
                     habit->distance == 0  ? "itself"
                     : habit->distance < 0 ? "the one before"
                                           : "the next one",
                     percent_text(habit->mean));
}

class SentencePage : FrameTools {
 public:
  explicit SentencePage(ViewContext& context)
      : FrameTools(context),
        memory_(context.memory.get<SentencePageMemory>()),
        at_(attention_selection(context.session)),
        random_(is_random(context.session)) {}

  void draw(Rect area) {
    if (takes_enter(context_)) open_sum(context_, chosen());
    if (!has_room_for_page(context_)) return draw_column(area);
    const bool is_low = area.h < low_page;
    const Rect page = page_of(area);
    const auto within = [&](Rect r) { return Rect{page.x, r.y, page.w, r.h}; };
    const Rect head = within(area.cut_top(is_low ? 42 : page_head));
    const Rect foot = within(area.cut_bottom(is_low ? 44 : page_foot));
    draw_play(context_, area);
    Rect body = within(area);
    draw_head(head);
    draw_field(body.cut_top(field_line));
    body.cut_top(is_low ? 4 : 12);
    if (random_) draw_warning(body.cut_top(26));
    draw_strip(body.cut_top(std::clamp(0.46f * body.h, lowest_strip, highest_strip)));
    body.cut_top(is_low ? 6 : 16);
    draw_lower(body);
    draw_foot(foot.inset(0, (foot.h - 38) / 2));
  }

 private:
  // --- What is chosen ------------------------------------------------------------------------------------------------

  Cell chosen() const { return {TensorId::weights, {at_.batch, at_.head, at_.row, at_.column}}; }
  double share(Index query, Index key) const {
    return session_.trace().number({TensorId::weights, {at_.batch, at_.head, query, key}});
  }
  Index count() const { return session_.setup().key_length(); }
  Index strongest(Index query) const {
    Index best = 0;
    for (Index key = 1; key < count(); ++key)
      if (share(query, key) > share(query, best)) best = key;
    return best;
  }
  void choose(Index query, Index key) {
    Selecting(session_).pin({TensorId::weights, {at_.batch, at_.head, query, key}});
    ui_.request_frame();
  }
  void choose_head(Index head) {
    const Index query = at_.row;
    Selecting(session_).select_head(head);
    at_.head = head;
    choose(query, strongest(query));
  }
  static void open_sum(ViewContext& context, const Cell& weight) {
    Selecting(context.session).pin(sum_behind(context.session, weight));
    open_panel(context, SidePanel::inspector);
  }
  /// Other words may have other places.
  void draw_field(const Rect& line) {
    draw_sentence_field(context_, line);
    at_ = attention_selection(session_);
    random_ = is_random(session_);
    why_ = why_words(session_, chosen());
  }
  void afterwards(std::function<void(Session&)> act) {
    context_.memory.get<FrameMemory>().after_frame = std::move(act);
  }

  // --- Above and below -----------------------------------------------------------------------------------------------

  void draw_head(Rect row) {
    constexpr std::array<std::string_view, 8> ids{"file.start", "theme.toggle",   "scale.larger", "scale.smaller",
                                                  "export",     "file.copy_link", "edit.undo",    "palette"};
    std::vector<const Action*> entries;
    for (const std::string_view id : ids) entries.push_back(action_named(id));
    draw_page_mark(context_, row);
    draw_page_menu(context_, row, std::move(entries));
    const float baseline = canvas_.centered_baseline(row, TextStyle::control);
    row.cut_left(canvas_.text({row.x, baseline}, "Try your sentence", TextStyle::control, theme_.text) + 14);
    const auto [words, ink] = remark();
    canvas_.text_in(row, canvas_.ellipsized(words, TextStyle::control, row.w), TextStyle::control, ink, Align::right);
  }

  /// What is wrong with the text, or else how to read its pieces.
  SentenceRemark remark() const {
    SentenceRemark about = remark_on_sentence(context_);
    if (!(about.ink == theme_.text3)) return about;
    for (Index i = 0; i < count(); ++i)
      if (word_at(session_, true, i).starts_with("·"))
        return {"· goes on with the word before it: some words are read in parts", theme_.text3};
    return {};
  }

  void draw_foot(Rect row) {
    const std::string text = text_of_sentence(session_);
    draw_workbench_button(context_, row);
    row.x -= 12;
    row.w += 12;
    const auto offer = [&](std::string_view id, std::string_view words, std::string_view tip, bool trained) {
      const float width = canvas_.width(words, TextStyle::control_strong) + 24;
      if (button(ui_, id, row.cut_left(width), words, {.kind = ButtonKind::quiet, .tooltip = tip}))
        afterwards([text, trained](Session& s) {
          const auto problems = trained ? open_in_trained_layer(s, text) : open_with_random_weights(s, text);
          if (!problems.empty()) s.notify(problems.front().message());
        });
      row.cut_left(8);
    };
    if (random_)
      offer("trained", "Back to the trained layer", "The same sentence in four heads that were trained", true);
    else
      offer("random", "Random weights",
            "The same sentence in a small layer of random numbers, to see the arithmetic: they mean nothing", false);
    if (!random_ && !is_as_trained(session_))
      offer("as trained", "As it was trained", "Takes back what was changed about the layer", true);
    const auto& hovered = session_.state().hovered;
    if (!hovered || hovered->tensor != TensorId::weights) return;
    const std::string words = words_of_cell(session_, *hovered).all();
    canvas_.text_in(row.inset(8, 0), canvas_.ellipsized(words, TextStyle::reading_small, row.w - 16),
                    TextStyle::reading_small, theme_.text2, Align::right);
  }

  void draw_warning(Rect row) const {
    canvas_.icon(Icon::dice, {row.x, row.center().y - 8}, theme_.changed);
    canvas_.text_in({row.x + 24, row.y, row.w - 24, row.h},
                    canvas_.ellipsized(random_warning, TextStyle::body_strong, row.w - 24), TextStyle::body_strong,
                    theme_.changed);
  }

  // --- The words, twice ----------------------------------------------------------------------------------------------

  /// The words side by side: evenly where all have room, else each as wide as it is.
  std::vector<PlacedWord> placed_words(float room, TextStyle style) const {
    std::vector<PlacedWord> words;
    float widest = 0, all = 0;
    for (Index i = 0; i < count(); ++i) {
      PlacedWord word{word_at(session_, true, i), 0, 0};
      word.width = std::max(least_word, canvas_.width(word.text, style) + 2 * around_word);
      widest = std::max(widest, word.width);
      all += word.width + between_words;
      words.push_back(std::move(word));
    }
    const float pitch = room / static_cast<float>(words.size());
    const bool is_even = widest <= pitch;
    const float extra = std::max(0.0f, (room - all) / static_cast<float>(words.size()));
    float x = 0;
    for (PlacedWord& word : words) {
      const float wide = is_even ? pitch : word.width + between_words + extra;
      word.middle = x + wide / 2;
      x += wide;
    }
    return words;
  }

  static float end_of(const std::vector<PlacedWord>& words) {
    return words.back().middle + (words.back().width + between_words) / 2;
  }

  void draw_strip(Rect area) {
    const Rect labels = area.cut_left(side_label);
    TextStyle style = TextStyle::reading_strong;
    auto words = placed_words(area.w, style);
    if (end_of(words) > area.w + 1) {
      style = TextStyle::heading;
      words = placed_words(area.w, style);
    }
    // Left of the words there must be room for the buttons that move them.
    if (end_of(words) > area.w + 1) area.cut_left(std::max(0.0f, 2 * ui_.reach(turn_button) - labels.w));
    const float hidden = std::max(0.0f, end_of(words) - area.w);
    scroll_words(area, labels, words, hidden);
    for (PlacedWord& word : words) word.middle += area.x - memory_.offset;
    Rect rest = area;
    const Rect upper = rest.cut_top(word_row);
    const Rect shares = rest.cut_bottom(share_row);
    const Rect lower = rest.cut_bottom(word_row);
    canvas_.text_in({labels.x, upper.y, labels.w, upper.h}, "looks", TextStyle::heading, theme_.query);
    canvas_.text_in({labels.x, lower.y, labels.w, lower.h}, "at", TextStyle::heading, theme_.key);
    ui_.push_clip(area.outset(4));
    draw_bands(rest.inset(0, 4), words);
    draw_words("looks", upper, words, style, at_.row, theme_.query,
               [&](Index query) { choose(query, strongest(query)); });
    draw_words("at", lower, words, style, at_.column, theme_.key, [&](Index key) { choose(at_.row, key); });
    for (std::size_t i = 0; i < words.size(); ++i) {
      const auto key = static_cast<Index>(i);
      const double given = share(at_.row, key);
      const bool is_chosen = key == at_.column;
      const TextStyle number = is_chosen ? TextStyle::number_lit : TextStyle::reading_number;
      canvas_.text_in({words[i].middle - 40, shares.y, 80, shares.h}, given < 0.0005 ? "0" : percent_text(given),
                      number,
                      is_chosen        ? theme_.text
                      : given < 0.0095 ? theme_.text3
                                       : theme_.text2,
                      Align::center);
    }
    ui_.pop_clip();
  }

  /// Words that are wider than the page are moved by the wheel and by buttons, and a word that was chosen is in view.
  void scroll_words(const Rect& area, const Rect& labels, const std::vector<PlacedWord>& words, float hidden) {
    if (hidden <= 0) {
      memory_.offset = 0;
      return;
    }
    const auto to = [&](float offset) { memory_.offset = std::clamp(offset, 0.0f, hidden); };
    if (const std::pair chosen{at_.row, at_.column}; std::exchange(memory_.shown, chosen) != chosen)
      for (const Index index : {at_.column, at_.row}) {
        const PlacedWord& word = words[static_cast<std::size_t>(index)];
        const float left = word.middle - word.width, right = word.middle + word.width;
        to(std::clamp(memory_.offset, right - area.w, std::max(right - area.w, left)));
      }
    if (const float notches = ui_.take_wheel(area, {memory_.offset > 0, memory_.offset < hidden}); notches != 0)
      to(memory_.offset - 80 * notches);
    const float size = ui_.reach(turn_button);
    const Rect middle{labels.x, area.y + (area.h - share_row - size) / 2, size, size};
    const auto turn = [&](std::string_view id, const Rect& r, Icon icon, float by, bool possible) {
      if (icon_button(ui_, id, r, icon, {.enabled = possible, .tooltip = by < 0 ? "Words before" : "Words after"}))
        to(memory_.offset + by);
    };
    turn("before", middle.moved(-6, 0), Icon::backward, -0.7f * area.w, memory_.offset > 0);
    turn("after", middle.moved(size - 4, 0), Icon::forward, 0.7f * area.w, memory_.offset < hidden);
    to(memory_.offset);
  }

  void draw_words(std::string_view id, const Rect& row, const std::vector<PlacedWord>& words, TextStyle style,
                  Index chosen, Color identity, const std::function<void(Index)>& act) {
    const TextStyle plain = style == TextStyle::reading_strong ? TextStyle::reading : TextStyle::reading_small;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const PlacedWord& word = words[i];
      const auto index = static_cast<Index>(i);
      const bool is_chosen = index == chosen;
      const Rect box{word.middle - word.width / 2, row.y + 1, word.width, row.h - 2};
      ui_.push_id(static_cast<int>(i));
      const Item item = ui_.item(id, box.outset((ui_.reach(box.h) - box.h) / 2), {.focusable = false});
      if (is_chosen) {
        canvas_.fill(box, theme_.raised, 7);
        canvas_.stroke(box, identity, 2, 7);
      } else if (item.hovered) {
        canvas_.fill(box, theme_.hover, 7);
      }
      canvas_.text_in(box, word.text, is_chosen ? style : plain, is_chosen ? identity : theme_.text, Align::center);
      tell_written_token(context_, written_token(id == "at" ? Axis::key : Axis::query, index, session_.setup()), box);
      if (item.clicked) act(index);
      offer_menu(context_, box, token_target(session_, index, id == "at"));
      ui_.pop_id();
    }
  }

  /// What the chosen word gives to each: bands that are as wide as their shares, side by side above.
  void draw_bands(const Rect& area, const std::vector<PlacedWord>& words) const {
    struct Band {
      Index key;
      float left;
      float width;
    };
    std::vector<Band> bands;
    const PlacedWord& from = words[static_cast<std::size_t>(at_.row)];
    float x = from.middle - widest_share / 2;
    for (Index key = 0; key < count(); ++key) {
      const double given = share(at_.row, key);
      if (given >= least_band) bands.push_back({key, x, std::max(1.0f, static_cast<float>(given) * widest_share)});
      x += static_cast<float>(given) * widest_share;
    }
    // The chosen one is over the others.
    const auto last = std::ranges::find(bands, at_.column, &Band::key);
    if (last != bands.end()) std::rotate(last, last + 1, bands.end());
    for (const Band& band : bands) {
      const double given = share(at_.row, band.key);
      const Color color =
          band.key == at_.column ? theme_.key : theme_.weights.at(std::clamp(0.25 + 0.75 * given, 0.0, 1.0));
      canvas_.ribbon({band.left, area.y},
                     {words[static_cast<std::size_t>(band.key)].middle - band.width / 2, area.bottom()}, band.width,
                     color);
    }
  }

  // --- Why -----------------------------------------------------------------------------------------------------------

  void draw_lower(Rect area) {
    Rect heads = area.cut_right(std::min(heads_width, 0.3f * area.w));
    area.cut_right(28);
    const float words_width = std::max(300.0f, 0.6f * area.w);
    Rect words = area.cut_left(std::min(words_width, area.w));
    area.cut_left(24);
    draw_why(words);
    draw_map(area);
    draw_heads(heads);
  }

  /// In words: the answer in the largest type that leaves room for the rest, what is measured, and examples.
  void draw_why(Rect area) {
    draw_sum(area.cut_bottom(sum_button));
    area.cut_bottom(8);
    float line = 33;
    TextStyle style = TextStyle::speech_strong;
    auto answer = set_in_lines(canvas_, answer_words(), style, area.w);
    if (area.h < 175 || count_lines(answer) > 2) {
      style = TextStyle::formula_strong;
      line = 26;
      answer = set_in_lines(canvas_, answer_words(), style, area.w);
    }
    const std::string how =
        fmt::format("{} a word above, then one below.", context_.ui.input().by_finger ? "Tap" : "Click");
    const std::string and_why = "Why does it look there? " + how;
    const bool is_wide = canvas_.width(and_why, TextStyle::reading_small) <= area.w;
    canvas_.text_in(area.cut_top(22), is_wide ? and_why : how, TextStyle::reading_small, theme_.text3);
    area.cut_top(std::clamp((area.h - 170) / 4, 0.0f, 6.0f));
    draw_inked(canvas_, area, answer, style, line);
    area.cut_top(line * static_cast<float>(count_lines(answer)) + 4);
    draw_about_head(area);
  }

  std::vector<InkedWords> answer_words() const {
    return {{why_.before, theme_.text},
            {why_.from, theme_.query},
            {"gives " + why_.share + " of its attention to", theme_.text},
            {why_.to, theme_.key},
            {".", theme_.text}};
  }

  /// Returns the height that it takes.
  float draw_about_head(Rect area) {
    const float height = area.h;
    const Examples examples = random_ ? Examples() : telling_examples(area.w);
    std::string words;
    const auto set = [&](std::string_view end) {
      return canvas_.wrapped(words = fmt::format("{} {}", why_.about_head, end), TextStyle::reading_small, area.w);
    };
    auto lines = set(examples.queries.empty()      ? std::string_view{}
                     : examples.queries.size() > 2 ? "Two words that fit, and the one that fits least:"
                                                   : "A word that fits, and the one that fits least:");
    const bool has_room = area.h >= 22 * static_cast<float>(lines.size()) + 6 + chip_height;
    if (!examples.queries.empty() && !has_room) lines = set(why_.exception);
    for (const std::string_view line : lines) {
      if (area.h < 22) break;
      canvas_.text_in(area.cut_top(22), line, TextStyle::reading_small, theme_.text2);
    }
    if (examples.queries.empty() || !has_room) return height - area.h;
    area.cut_top(6);
    draw_examples(area, examples);
    return height - area.h + chip_height;
  }

  struct Examples {
    std::vector<Index> queries;
    Index distance = 0;  ///< of the keys that the head looks at
  };
  /// Two queries that do what the head does, or one where there is no room, and last the one that does it least; none
  /// where it has no clear habit.
  Examples telling_examples(float room) const {
    const auto habit = habit_of(session_.trace()[TensorId::weights], at_.batch, at_.head);
    if (!habit || !habit->is_clear() || habit->queries.size() < 3) return {};
    Examples examples{{}, habit->distance};
    for (const Index query : habit->queries)
      if (query != at_.row && query != habit->queries.back() && examples.queries.size() < 2)
        examples.queries.push_back(query);
    examples.queries.push_back(habit->queries.back());
    const auto all_wide = [&] {
      float wide = 0;
      for (std::size_t i = 0; i < examples.queries.size(); ++i) wide += chip_of(examples, i).wide + 8;
      return wide - 8;
    };
    if (all_wide() > room) examples.queries.erase(examples.queries.begin());
    return examples;
  }

  /// A chip's words, and how wide it is.
  struct Chip {
    Index key = 0;
    std::string from, to, number;
    float wide = 0;
  };
  Chip chip_of(const Examples& examples, std::size_t i) const {
    const Index query = examples.queries[i];
    // Where it fits least, the word is shown with the one that it looks at instead.
    const Index key = i + 1 < examples.queries.size() ? query + examples.distance : strongest(query);
    Chip chip{key, word_at(session_, false, query), word_at(session_, true, key), percent_text(share(query, key)), 60};
    for (const std::string* const word : {&chip.from, &chip.to}) chip.wide += canvas_.width(*word, TextStyle::heading);
    chip.wide += canvas_.width(chip.number, TextStyle::reading_number);
    return chip;
  }

  void draw_examples(Rect area, const Examples& examples) {
    Rect row = area.cut_top(chip_height);
    for (std::size_t i = 0; i < examples.queries.size(); ++i) {
      const Chip words = chip_of(examples, i);
      const bool fits = i + 1 < examples.queries.size();
      Rect chip = row.cut_left(words.wide);
      row.cut_left(8);
      ui_.push_id(static_cast<int>(fits ? i : 2));
      const Item item = ui_.item("example", chip);
      ui_.say_control(item, fmt::format("{} to {}: {}", words.from, words.to, words.number), "button");
      ui_.pop_id();
      if (item.hovered) canvas_.fill(chip, theme_.hover, 7);
      if (fits) canvas_.stroke(chip, theme_.control, 1, 7);
      else canvas_.dashed(chip, theme_.control, 1, 7);
      if (item.focused) canvas_.focus_ring(chip, 7);
      const float baseline = canvas_.centered_baseline(chip, TextStyle::heading);
      chip.cut_left(11);
      chip.cut_left(canvas_.text({chip.x, baseline}, words.from, TextStyle::heading, theme_.query) + 6);
      canvas_.icon_centered(Icon::forward, chip.cut_left(14), theme_.text3, 1.5f, 12);
      chip.cut_left(6);
      canvas_.text({chip.x, baseline}, words.to, TextStyle::heading, theme_.key);
      canvas_.text({chip.right() - 11, baseline}, words.number, TextStyle::reading_number, theme_.text, Align::right);
      ui_.tooltip(item, fits ? "Look at this one" : "Here the head does something else");
      if (item.clicked) choose(examples.queries[i], words.key);
    }
  }

  void draw_sum(Rect row) {
    const std::string words = fmt::format("See the sum behind {}", why_.share);
    const float wide = std::min(row.w, canvas_.width(words, TextStyle::heading) + 44);
    if (button(ui_, "sum", row.cut_left(wide), words,
               {.kind = ButtonKind::primary, .tooltip = "Where this number comes from, term by term", .keys = "Enter"}))
      open_sum(context_, chosen());
    row.cut_left(18);
    const Trace& trace = session_.trace();
    const TensorId scores = trace.has(TensorId::masked_scores) ? TensorId::masked_scores : TensorId::scores;
    if (!trace.has(scores) || !trace.has(TensorId::Q_heads)) return;
    const double score = trace.number({scores, chosen().index});
    if (!std::isfinite(score)) return;
    const std::string about =
        fmt::format("from a score of {:.2f}, made of {} products", score, session_.setup().d_head());
    Rect text = row;
    const auto lines = canvas_.wrapped(about, TextStyle::reading_small, text.w);
    if (lines.size() > 2) return;
    text = {row.x, row.center().y - 10.5f * static_cast<float>(lines.size()), row.w, 21};
    for (const std::string_view line : lines) {
      canvas_.text_in(text, line, TextStyle::reading_small, theme_.text3);
      text.y += 21;
    }
  }

  // --- The head as a matrix, and all heads ---------------------------------------------------------------------------

  void draw_map(Rect area) {
    constexpr float title = 24;
    const float rows_label = std::min(100.0f, canvas_.width(why_.from, TextStyle::heading) + 12);
    const float side = std::min({area.h - title, area.w - rows_label, widest_map});
    if (side < least_map) return;
    area.x += area.w - rows_label - side;  // beside the heads
    const Rect cells{area.x + rows_label, area.y + title, side, side};
    const TensorPicture picture = picture_of(context_, TensorId::weights, at_.batch, at_.head);
    const Heatmap heatmap = picture.heatmap(cells, canvas_.scale());
    PictureLight light = light_of(context_, picture);
    light.quiet = false;
    ViewContext reading = context_;
    reading.reads = true;
    draw_cells(reading, "map", picture, heatmap, light, {.numbers = false, .ring = false});
    const bool across = picture.transposed;  // the queries run across the screen
    const Rect query = across ? heatmap.layout.line_down(at_.row) : heatmap.layout.line_across(at_.row);
    const Rect key = across ? heatmap.layout.line_across(at_.column) : heatmap.layout.line_down(at_.column);
    canvas_.band_outline(query.outset(1), theme_.query);
    canvas_.band_outline(key.outset(1), theme_.key);
    draw_ring(context_, heatmap.layout, light);
    const std::string of_key = word_at(session_, true, at_.column);
    const std::string& left = across ? of_key : why_.from;
    const Rect beside = across ? key : query;
    canvas_.text_in({area.x, beside.center().y - 10, rows_label - 10, 20},
                    canvas_.ellipsized(left, TextStyle::heading, rows_label - 10), TextStyle::heading,
                    across ? theme_.key : theme_.query, Align::right);
    const std::string& above = across ? why_.from : of_key;
    const Rect below = across ? query : key;
    const float wide = canvas_.width(above, TextStyle::heading);
    const float x = std::clamp(below.center().x - wide / 2, cells.x, std::max(cells.x, cells.right() - wide));
    canvas_.text_in({x, cells.y - title, wide + 4, title - 4}, above, TextStyle::heading,
                    across ? theme_.query : theme_.key);
  }

  void draw_heads(const Rect& area) {
    const Index heads = session_.setup().sizes.heads;
    const float all = static_cast<float>(heads);
    const float row = std::clamp(area.h / all, ui_.reach(44), 64.0f);
    const ScrollArea scroll(ui_, "heads", area, row * all, theme_.canvas);
    const Rect& content = scroll.content();
    for (Index head = 0; head < heads; ++head) {
      const Rect whole{content.x, content.y + row * static_cast<float>(head), content.w, row};
      if (whole.bottom() < area.y || whole.y > area.bottom()) continue;
      draw_head_row(whole.inset(1, 2), head);
    }
  }

  void draw_head_row(Rect row, Index head) {
    ui_.push_id(static_cast<int>(head));
    const bool own = head == at_.head;
    const Item item = ui_.item("head", row);
    ui_.say_control(item, session_.setup().head_label(head), "head", own ? "shown" : "");
    if (own) canvas_.fill(row, theme_.raised, 8);
    else if (item.hovered) canvas_.fill(row, theme_.hover, 8);
    const TensorPicture picture = picture_of(context_, TensorId::weights, at_.batch, head);
    const float side = row.h - 10;
    const Rect thumb{row.x + 5, row.y + 5, side, side};
    draw_cells(context_, "thumb", picture, picture.heatmap(thumb, canvas_.scale()), {},
               {.numbers = false, .interactive = false});
    if (own) canvas_.stroke(row, theme_.lamp, 2, 8);
    if (item.focused) canvas_.focus_ring(row, 8);
    Rect words = row;
    words.cut_left(side + 17);
    words = {words.x, words.center().y - 20, words.w - 6, 20};
    const TextStyle style = own ? TextStyle::heading : TextStyle::reading_small;
    canvas_.text_in(words, canvas_.ellipsized(head_words(head, session_.setup()), style, words.w), style, theme_.text);
    canvas_.text_in(words.moved(0, 20),
                    canvas_.ellipsized(words_beside_head(session_, at_.batch, head), TextStyle::control, words.w),
                    TextStyle::control, own ? theme_.text2 : theme_.text3);
    if (item.clicked) choose_head(head);
    ui_.pop_id();
  }

  // --- A small window ------------------------------------------------------------------------------------------------

  void draw_column(Rect area) {
    constexpr float beside = 16, apart = 14, top_row = 56;
    draw_head(area.cut_top(top_row).inset(beside, 0));
    const ScrollArea scroll(ui_, "column", area, memory_.height, theme_.canvas);
    Rect rest = scroll.content().inset(beside, 0);
    const float top = rest.y;
    rest.h = 4000;  // it is only known at the end
    draw_field(rest.cut_top(fingertip));
    rest.cut_top(apart);
    if (random_) draw_warning(rest.cut_top(26));
    draw_strip(rest.cut_top(highest_strip - 40));
    rest.cut_top(apart);
    const auto answer = set_in_lines(canvas_, answer_words(), TextStyle::formula_strong, rest.w);
    draw_inked(canvas_, rest, answer, TextStyle::formula_strong, 26);
    rest.cut_top(26 * static_cast<float>(count_lines(answer)) + 6);
    rest.cut_top(draw_about_head(rest) + apart);
    draw_sum(rest.cut_top(fingertip));
    rest.cut_top(apart);
    for (Index head = 0; head < session_.setup().sizes.heads; ++head) draw_head_row(rest.cut_top(60).inset(0, 2), head);
    rest.cut_top(apart);
    draw_foot(rest.cut_top(fingertip));
    const float height = rest.y - top + apart;
    if (std::abs(height - memory_.height) > 0.5f) ui_.request_frame();
    memory_.height = height;
  }

  SentencePageMemory& memory_;
  Selection at_;
  bool random_;
  WhyWords why_;
};

}  // namespace

void draw_sentence_page(ViewContext& context, Rect area) {
  // Before anything is measured.
  if (has_room_for_page(context)) context.ui.enlarge_type(least_lesson_type);
  else context.ui.serve_finger();
  SentencePage(context).draw(area);
}

}  // namespace headlight
