// Beside the text: what may come next, and how the model chooses.
#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "app/session/drafting.hpp"
#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/controls/value_controls.hpp"
#include "app/views/base/frame_tools.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/base/views.hpp"
#include "app/views/write/write_parts.hpp"
#include "app/views/write/write_study.hpp"
#include "core/setup/checks.hpp"

namespace headlight {
namespace {

constexpr float padding = 20;
constexpr float choice_height = 28;
constexpr float room_for_words = 240;  ///< from which width on the choices have long names
constexpr double coolest = 0.1;
constexpr double hottest = 4;

/// The beginning of the text while it is typed.
struct PromptField {
  std::string text;
  bool active = false;
  std::string unknown;  ///< the character that the model's text doesn't have
};

class WritePanel : FrameTools {
 public:
  WritePanel(ViewContext& context, const Rect& area)
      : FrameTools(context), area_(area), draft_(session_.state().draft), symbols_(drafted(session_)) {}

  void draw() {
    Rect rest = area_.inset(padding, 0);
    rest.h -= 12;
    const Rect choices = rest.cut_bottom(std::min(choices_height(), rest.h));
    draw_next_symbols(rest);
    draw_choices(choices);
  }

  void draw_sampling(Rect& area) {
    draw_temperature(next_row(area));
    draw_greedy(next_row(area));
    draw_top_k(next_row(area));
  }
  static float sampling_height(const Ui& ui) { return height_of(ui, 3); }

 private:
  void draw_next_symbols(Rect rest) {
    canvas_.text_in(rest.cut_top(44), words_before(symbols_, session_.setup()), TextStyle::heading, theme_.text);
    WriteStudy& study = context_.memory.get<WriteStudy>();
    const Reading* const reading = study.advance(session_, symbols_.read);
    if (reading == nullptr || !study.is_of(session_, symbols_.read)) {
      ui_.request_frame_in(look_again);
      return;
    }
    if (rest.h > 20)
      draw_chances(context_, rest, symbols_, next_symbol(draft_, symbols_, session_.setup(), *reading), true);
  }

  float choices_height() const { return height_of(ui_, 5) + 22; }
  static float height_of(const Ui& ui, int rows) { return static_cast<float>(rows) * (ui.reach(choice_height) + 10); }

  Rect next_row(Rect& area) const {
    const Rect found = area.cut_top(ui_.reach(choice_height));
    area.cut_top(10);
    return found;
  }

  void draw_choices(Rect area) {
    canvas_.fill({area_.x, area.y, area_.w, 1}, theme_.line);
    area.cut_top(12);
    draw_sampling(area);
    draw_seed(next_row(area));
    draw_prompt(next_row(area));
  }

  Rect label(Rect& row, std::string_view words) {
    const float wide = canvas_.width(words, TextStyle::control) + 8;
    const Rect found = row.cut_left(std::min(112.0f, std::max(row.w * 0.4f, wide)));
    canvas_.text_in(found, words, TextStyle::control, theme_.text2);
    return found;
  }

  void set(const Draft& draft, std::string_view gesture = {}) { Drafting(session_).set(draft, gesture); }

  void draw_temperature(Rect row) {
    label(row, "Temperature");
    const Rect number = row.cut_right(row.w >= room_for_words - 112 ? 52 : 36);
    row.cut_right(8);
    double value = std::max(draft_.sampling.temperature, coolest);
    const std::string text = fmt::format("{:.3g}", draft_.sampling.temperature);
    const Edited edited = slider(
        ui_, "temperature", row, value, coolest, hottest,
        {.logarithmic = true,
         .mark = 1,
         .number = number,
         .text = text,
         .tooltip =
             "The scores are divided by it before softmax. Low: the likeliest takes more; high: all become alike"});
    if (edited.began) session_.end_gesture();
    if (edited) {
      draft_.sampling.temperature = value;
      set(draft_, "writing temperature");
    }
    if (edited.ended) session_.end_gesture();
  }

  void draw_greedy(Rect row) {
    bool on = draft_.sampling.temperature == 0;
    if (toggle(ui_, "greedy", {row.x, row.center().y - toggle_height / 2}, on)) {
      draft_.sampling.temperature = on ? 0 : 1;
      set(draft_);
    }
    row.cut_left(toggle_width + 10);
    constexpr std::string_view words = "always the likeliest (temperature 0)";
    const bool whole = canvas_.width(words, TextStyle::control) <= row.w;
    canvas_.text_in(row, whole ? words : words.substr(0, words.find(" (")), TextStyle::control, theme_.text2);
  }

  void draw_top_k(Rect row) {
    const bool is_wide = row.w >= room_for_words;
    label(row, is_wide ? "Of the likeliest" : "Top-k");
    const Index all = session_.setup().task.symbol_count();
    const std::string words = draft_.sampling.top_k == 0 ? "0: all" : fmt::format("of {}", all);
    canvas_.text_in(row.cut_right(is_wide ? 60 : 46), words, TextStyle::control, theme_.text3, Align::right);
    long long count = std::min(draft_.sampling.top_k, all);
    if (stepper(ui_, "top-k", row, count, 0, all,
                {.tooltip = "Top-k: only so many symbols can be chosen, the likeliest; 0 is all"})) {
      draft_.sampling.top_k = count;
      set(draft_, "writing top-k");
    }
  }

  void draw_seed(Rect row) {
    label(row, "Seed of the die");
    const Rect dice = row.cut_right(row.h);
    row.cut_right(6);
    long long seed = draft_.seed;
    if (stepper(ui_, "seed", row, seed, 0, 4294967295LL,
                {.tooltip = "The die's numbers are those of headlight generate --seed"})) {
      draft_.seed = seed;
      set(draft_, "writing seed");
    }
    if (icon_button(ui_, "roll", dice, Icon::dice, {.tooltip = "Roll again: the next seed"})) {
      draft_.seed = (draft_.seed + 1) % 4294967296LL;
      set(draft_);
    }
  }

  void draw_prompt(Rect row) {
    label(row, "Begins with");
    PromptField& field = context_.memory.get<PromptField>();
    const std::string now = prompt_of(draft_, session_.setup(), session_.selection().batch);
    if (!field.active) field = {now, false, ""};
    const TextEdit edit = text_field(ui_, "prompt", row, field.text,
                                     {.invalid = !field.unknown.empty(), .hint = "the text's first letters"});
    if (edit.changed) take_prompt(field);
    if (field.active && !edit.active) session_.end_gesture();
    field.active = edit.active;
    if (field.unknown.empty()) return;
    const std::string words = fmt::format("The model's text has no “{}”", field.unknown);
    canvas_.text_in({row.x, row.bottom() - 2, row.w, 14}, words, TextStyle::caption, theme_.error);
  }

  /// What is typed begins another text.
  void take_prompt(PromptField& field) {
    field.unknown = session_.setup().task.corpus().spelled(field.text).unknown.value_or("");
    if (!field.unknown.empty()) return;
    draft_.prompt = field.text;
    draft_.written.clear();
    Drafting(session_).owe(0);
    set(draft_, "writing prompt");
  }

  Rect area_;
  Draft draft_;
  DraftSymbols symbols_;
};

}  // namespace

void draw_sampling(ViewContext& context, Rect area) { WritePanel(context, area).draw_sampling(area); }

float sampling_height(const Ui& ui) { return WritePanel::sampling_height(ui); }

void draw_write_panel(ViewContext& context, Rect area) {
  if (why_silent(context.session.setup()).empty()) WritePanel(context, area).draw();
}

}  // namespace headlight
