#include "app/views/overlays/start_card.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/session/actions/actions.hpp"
#include "app/session/lesson.hpp"
#include "app/session/selecting.hpp"
#include "app/session/session.hpp"
#include "app/session/state/marks.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/controls/value_controls.hpp"
#include "app/views/base/perform.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/overlays/path_card.hpp"
#include "app/views/overlays/problems_card.hpp"
#include "app/views/overlays/sheet.hpp"
#include "core/setup/edits.hpp"
#include "core/trained/encoder_numbers.hpp"

namespace headlight {
namespace {

constexpr float group_title = 28;
constexpr float below_group = 12;
constexpr float low_row = 30;
constexpr float column_gap = 28;
constexpr float wide_column = 0.56f;
constexpr float room_for_both = 600;  ///< the lectures, and beside them the rest
constexpr float source_line = 16;
constexpr float beside_source = 24;
constexpr std::size_t most_recent_files = 4;

constexpr std::string_view example_sentence = "The animal did not cross the street because it was too tired.";

/// The setup of the sentence: a layer that is small enough to read, with weights drawn at random.
Setup setup_of(const std::string& words) {
  Setup setup;
  setup.random.draws.emplace_back(SeedDraw{0});
  for (const TensorId drawn : {TensorId::X, TensorId::W_q, TensorId::W_k, TensorId::W_v, TensorId::W_o})
    setup.random.draws.emplace_back(TensorDraw{drawn, std::nullopt, Distribution::normal});
  return with_sentence(setup, words);
}

/// The setup of a trained layer that reads the sentence, or one that it does interesting things with.
Setup trained_setup(std::string words) {
  if (words.find_first_not_of(' ') == std::string::npos) words = example_sentence;
  Setup setup;
  setup.title = "Sentence encoder, layer 0";
  return with_model(setup, {.name = ModelName::sentence_encoder, .layer = 0, .text = std::move(words)});
}

bool is_a_word(const std::string& label) {
  return std::ranges::any_of(label, [](char letter) {
    return std::isalpha(static_cast<unsigned char>(letter)) != 0 || static_cast<unsigned char>(letter) >= 0x80;
  });
}

/// The weight to begin with: the largest that a word gives to another one, in any head.
Cell telling_weight(const Trace& trace) {
  const Tensor& weights = trace[TensorId::weights];
  const std::vector<std::string>& tokens = trace.setup.tokens;
  const auto count = std::min<Index>({weights.shape()[2], weights.shape()[3], std::ssize(tokens)});
  const auto is_word = [&](Index at) { return is_a_word(tokens[static_cast<std::size_t>(at)]); };
  Cell best{TensorId::weights, {0, 0, 0, 0}};
  double largest = -1;
  for (Index head = 0; head < weights.shape()[1]; ++head)
    for (Index query = 0; query < count; ++query)
      for (Index key = 0; key < count; ++key) {
        const double weight = weights.at({0, head, query, key});
        if (query == key || !(weight > largest) || !is_word(query) || !is_word(key)) continue;
        largest = weight;
        best.index = {0, head, query, key};
      }
  return best;
}

/// Shows who looks at whom, with one word chosen.
void show_who_looks(Session& session) {
  Selecting(session).select_tensor(TensorId::weights);
  session.show(View::tokens);
  Selecting(session).pin(telling_weight(session.trace()));
}

/// Opens it, and shows who looks at whom.
std::vector<Problem> show_trained(Session& session, const std::string& words) {
  auto problems = session.open_setup(trained_setup(words));
  if (!problems.empty()) return problems;
  session.when_shown(show_who_looks);
  return {};
}

std::string_view one_that_fits(const Canvas& canvas, std::string_view words, std::string_view shorter, TextStyle style,
                               float width) {
  return canvas.width(words, style) <= width ? words : shorter;
}

/// Draws the card in one frame. Its rows in order: the lectures, the sentence, which a trained layer reads, the same
/// with random weights, the button that opens a file, recent files.
class Card {
 public:
  explicit Card(ViewContext& context)
      : context_(context), ui_(context.ui), session_(context.session), card_(*context.memory.opened<StartCard>()) {
    const auto& recent = context.memory.get<FilesMemory>().recent;
    recent_.assign(recent.begin(),
                   recent.begin() + static_cast<std::ptrdiff_t>(std::min(recent.size(), most_recent_files)));
  }

  /// Returns whether the card closes.
  bool draw() {
    if (!std::exchange(card_.placed, true)) card_.row = row_to_go_on_with();
    const bool wide = ui_.surface().w >= 1100;
    constexpr float about_a_column = 360;
    const float course = height_of(LectureGroup::course, about_a_column);
    const float others =
        height_of(LectureGroup::notebook, about_a_column) + height_of(LectureGroup::own, about_a_column);
    const float lists = wide ? std::max(course, others) : course + others;
    Sheet sheet(ui_, "start", wide ? 1180.0f : 900.0f, 64 + std::max(lists, 380.0f) + 28 + 32);
    Rect area = sheet.area();
    draw_heading(area.cut_top(64));
    if (area.w < room_for_both) {
      draw_column(area);
      return chosen_ || closed_ || sheet.dismissed();
    }
    if (!ui_.serves_finger())  // which has no keys
      ui_.canvas().text_in(area.cut_bottom(28),
                           "↑ ↓ to choose, Enter to open. Start typing to write a sentence. Esc closes this card.",
                           TextStyle::caption, ui_.theme().text3);
    take_keys();
    if (wide) {
      const float column = (area.w - 2 * column_gap) / 3;
      draw_lectures("lectures", area.cut_left(column + 40), std::span(lecture_groups).first(1));
      area.cut_left(column_gap);
      draw_lectures("others", area.cut_left(column), std::span(lecture_groups).subspan(1));
    } else {
      draw_lectures("lectures", area.cut_left((area.w - column_gap) * wide_column), lecture_groups);
    }
    area.cut_left(column_gap);
    draw_own(area);
    if (enter_ && !chosen_) open(card_.row);
    return chosen_ || closed_ || sheet.dismissed();
  }

 private:
  /// Everything below each other, with the lectures in what room there is.
  void draw_column(Rect area) {
    draw_sentence(area);
    draw_random(area);
    const float below = 28 + file_height() * static_cast<float>(1 + recent_.size());
    Rect files = area.cut_bottom(std::min(below, area.h / 2));
    area.cut_bottom(12);
    draw_lectures("lectures", area, lecture_groups);
    draw_files(files);
  }

  /// What is not a lecture; it scrolls where the card is low.
  void draw_own(const Rect& area) {
    const ScrollArea scroll(ui_, "own", area, card_.own_height, ui_.theme().panel);
    Rect rest = scroll.content();
    rest.h = std::max(rest.h, area.h);
    if (card_.own_height > area.h) rest.w -= 14;  // for the scrollbar
    const float top = rest.y;
    draw_sentence(rest);
    draw_random(rest);
    draw_files(rest);
    card_.own_height = rest.y - top;
  }

  /// The first lecture that is not done, so that Enter goes on with the course.
  std::size_t row_to_go_on_with() const {
    const auto& lectures = session_.lectures();
    const auto open = std::ranges::find_if(
        lectures, [&](const auto& lecture) { return !progress_in(*lecture, *session_.state().marks).done(); });
    return open == lectures.end() ? 0 : static_cast<std::size_t>(open - lectures.begin());
  }

  std::size_t sentence_row() const { return session_.lectures().size(); }
  std::size_t random_row() const { return sentence_row() + 1; }
  std::size_t file_row() const { return random_row() + 1; }
  std::size_t last_row() const { return file_row() + recent_.size(); }

  void draw_heading(Rect line) {
    const Canvas canvas = ui_.canvas();
    canvas.logo({line.x, line.y + 4});
    const Rect below{line.x, line.y + 30, line.w - 40, 20};
    const std::string_view words =
        one_that_fits(canvas, "See every number inside multi-head attention, and know where it came from.",
                      "Every number inside attention", TextStyle::body, below.w);
    canvas.text_in(below, words, TextStyle::body, ui_.theme().text2);
    const float size = ui_.reach(28);
    closed_ = icon_button(ui_, "close", {line.right() - size, line.y, size, size}, Icon::cross,
                          {.kind = ButtonKind::quiet, .tooltip = "Close", .keys = "Esc"});
  }

  /// The arrow keys and Tab move through the rows. Typed letters are added to the sentence from any row.
  void take_keys() {
    const bool back = ui_.take_key({.key = Key::tab, .shift = true});
    const bool up = ui_.take_key(Key::up) || back;
    const bool down = ui_.take_key(Key::down) || ui_.take_key(Key::tab);
    enter_ = ui_.take_key(Key::enter);
    if (up && card_.row > 0) go_to(card_.row - 1);
    if (down && card_.row < last_row()) go_to(card_.row + 1);
    if (ui_.typing()) return;
    std::string typed = ui_.typed();
    if (ui_.take_key({.key = Key::v, .ctrl = true})) typed += ui_.pasted();
    if (typed.find_first_not_of(" \t\n") == std::string::npos) return;
    card_.sentence += typed;
    if (card_.row != sentence_row()) go_to(sentence_row());
  }

  void go_to(std::size_t row) {
    card_.row = row;
    if (row != sentence_row()) ui_.stop_typing();
    ui_.request_frame();
  }

  /// A row that can be chosen. Draws its background and returns its item.
  Item draw_row(std::string_view id, const Rect& r, std::size_t row) {
    const Item item = ui_.item(id, r, {.focusable = false});
    const bool chosen = card_.row == row;
    if (chosen || item.hovered) ui_.canvas().fill(r, ui_.theme().hover, 6);
    if (chosen) ui_.canvas().fill({r.x, r.y + 8, 3, r.h - 16}, ui_.theme().lamp, 1.5f);
    if (item.clicked) open(row);
    return item;
  }

  void draw_title(Rect& area, std::string_view title) {
    ui_.canvas().text_in(area.cut_top(28), title, TextStyle::control_strong, ui_.theme().text);
  }

  /// The lists of these groups below each other.
  void draw_lectures(std::string_view id, const Rect& area, std::span<const LectureGroup> groups) {
    float content = 0;
    const float width = area.w - 10;
    for (const LectureGroup group : groups) content += height_of(group, width);
    ScrollArea scroll(ui_, id, area, content, ui_.theme().panel);
    Rect rest{scroll.content().x, scroll.content().y, width, content};
    for (const LectureGroup group : groups) draw_group(scroll, rest.cut_top(height_of(group, width)), group);
  }

  std::size_t count_of(LectureGroup group) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        session_.lectures(), [&](const auto& lecture) { return lecture->list_position.group == group; }));
  }

  /// A lecture of the course has a line below its title. One that follows a document has the document's name there, in
  /// as many lines as the longest of its list needs.
  float row_height_of(LectureGroup group, float width) const {
    if (group == LectureGroup::course) return 52;
    std::size_t lines = 2;
    for (const auto& lecture : session_.lectures())
      if (lecture->list_position.group == group)
        lines =
            std::max(lines, ui_.canvas().wrapped(lecture->source, TextStyle::caption, width - beside_source).size());
    return 34 + source_line * static_cast<float>(lines);
  }

  /// The title, the rows, and the space below them; nothing of an empty list.
  float height_of(LectureGroup group, float width) const {
    const std::size_t count = count_of(group);
    return count == 0 ? 0 : group_title + row_height_of(group, width) * static_cast<float>(count) + below_group;
  }

  void draw_group(ScrollArea& scroll, Rect area, LectureGroup group) {
    if (area.empty()) return;
    const auto& lectures = session_.lectures();
    const Rect title = area.cut_top(group_title);
    ui_.canvas().text_in(title, title_of(group), TextStyle::control_strong, ui_.theme().text);
    std::size_t done = 0, number = 0;
    for (std::size_t i = 0; i < lectures.size(); ++i) {
      if (lectures[i]->list_position.group != group) continue;
      const LectureProgress progress = progress_in(*lectures[i], *session_.state().marks);
      done += progress.done();
      const Rect row = area.cut_top(row_height_of(group, area.w));
      if (card_.row == i && shown_row_ != i) scroll.reveal(row);
      ui_.push_id(static_cast<int>(i));
      draw_lecture({row.x, row.y, row.w, row.h - 2}, i, ++number, progress);
      ui_.pop_id();
    }
    if (done > 0)
      ui_.canvas().text_in(title, fmt::format("{} of {} done", done, number), TextStyle::caption, ui_.theme().text2,
                           Align::right);
  }

  /// The title, and the user's progress as words and a bar; for one outside the course also the document that it
  /// follows.
  void draw_lecture(const Rect& row, std::size_t index, std::size_t number, const LectureProgress& progress) {
    const Canvas canvas = ui_.canvas();
    const Theme& theme = ui_.theme();
    const Lecture& lecture = *session_.lectures()[index];
    const Item item = draw_row("lecture", row, index);
    const bool in_course = lecture.list_position.group == LectureGroup::course;
    if (in_course && progress.done()) canvas.icon(Icon::check, {row.x + 10, row.y + 6}, theme.ok, 2, 14);
    else if (in_course)
      canvas.text_in({row.x + 8, row.y + 4, 18, 18}, fmt::format("{}", number), TextStyle::mono, theme.text3,
                     Align::right);
    const float left = in_course ? 36 : beside_source / 2;
    const Rect words{row.x + left, row.y + 4, row.w - left - beside_source / 2, 18};
    const std::string far = short_words_of(progress);
    const float beside = canvas.width(far, TextStyle::caption) + 12;
    const Rect below{words.x, row.y + 22, words.w, 16};
    // A long title takes the line for itself.
    const bool is_long = in_course && canvas.width(lecture.title, TextStyle::control_strong) > words.w - beside;
    const float beside_title = is_long ? 0 : beside;
    canvas.text_in({words.x, words.y, words.w - beside_title, words.h}, lecture.title, TextStyle::control_strong,
                   theme.text);
    canvas.text_in(is_long ? below : words, far, TextStyle::caption, theme.text2, Align::right);
    if (in_course)
      canvas.text_in({below.x, below.y, below.w - (is_long ? beside : 0), below.h}, about(lecture, progress),
                     TextStyle::caption, theme.text2);
    else canvas.paragraph({words.x, row.y + 35}, lecture.source, TextStyle::caption, theme.text2, words.w, source_line);
    if (progress.begun() && !progress.done()) {
      const Rect bar{words.x, row.bottom() - 6, words.w, 3};
      const float share = static_cast<float>(progress.seen) / static_cast<float>(progress.steps);
      canvas.fill(bar, theme.line, 1.5f);
      canvas.fill({bar.x, bar.y, bar.w * share, bar.h}, theme.text3, 1.5f);
    }
    ui_.tooltip(item, in_course ? std::string_view(lecture.source) : std::string_view("Click to step through it"));
  }

  /// "about 20 minutes", or how its questions went.
  static std::string about(const Lecture& lecture, const LectureProgress& progress) {
    if (progress.answered > 0)
      return fmt::format("{} of {} questions right, {} at the first try", progress.first_try + progress.second_try,
                         progress.questions, progress.first_try);
    return lecture.minutes > 0 ? fmt::format("about {} minutes", lecture.minutes) : std::string();
  }

  void draw_sentence(Rect& area) {
    const Canvas canvas = ui_.canvas();
    const Theme& theme = ui_.theme();
    draw_title(area, "Try your sentence");
    const float below =
        canvas.paragraph({area.x, area.y + 13}, "Whom does each word look at? Four heads that Google trained.",
                         TextStyle::control, theme.text2, area.w, 19);
    area.cut_top(below - 6 - area.y);
    Rect line = area.cut_top(ui_.reach(32));
    const Rect go = line.cut_right(76);
    line.cut_right(8);
    const bool chosen = card_.row == sentence_row();
    const TextEdit edit = text_field(ui_, "sentence", line, card_.sentence,
                                     {.style = TextStyle::body,
                                      .focus_now = chosen && !ui_.typing() && !ui_.mouse_down(),
                                      .caret_at_end = !ui_.typing(),
                                      .hint = example_sentence});
    if (edit.active && !chosen) card_.row = sentence_row();
    if (button(ui_, "go", go, "Show it",
               {.kind = ButtonKind::primary,
                .tooltip = "In the first layer of the Universal Sentence Encoder Lite, which was really trained"}))
      open(sentence_row());
    draw_chips(area.cut_top(44));
    area.cut_top(6);
  }

  void draw_random(Rect& area) {
    const Canvas canvas = ui_.canvas();
    const Theme& theme = ui_.theme();
    const Rect row = area.cut_top(50);
    const Item item = draw_row("random", row, random_row());
    canvas.icon(Icon::dice, {row.x + 12, row.y + 8}, theme.text2);
    const std::string_view words =
        one_that_fits(canvas, "The same with random weights", "Random weights", TextStyle::control_strong, row.w - 44);
    canvas.text_in({row.x + 38, row.y + 5, row.w - 44, 20}, words, TextStyle::control_strong, theme.text);
    canvas.text_in({row.x + 38, row.y + 25, row.w - 44, 20}, "To see the arithmetic: the numbers mean nothing",
                   TextStyle::caption, theme.text2);
    ui_.tooltip(item, "A layer small enough to read, drawn at random");
    area.cut_top(14);
  }

  std::vector<std::string> tokens() const { return with_sentence(Setup{}, card_.sentence).tokens; }

  /// The tokens of the sentence, as many as fit, and how many more there are.
  void draw_chips(Rect area) {
    const Canvas canvas = ui_.canvas();
    const Theme& theme = ui_.theme();
    const std::vector<std::string> words = tokens();
    area.y += 8;
    area.h = 26;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const float wide = chip_width(canvas, words[i]);
      const std::string rest = fmt::format("+ {}", words.size() - i);
      const bool last = i + 1 == words.size();
      if (wide + (last ? 0 : 56) > area.w) {
        canvas.text_in(area, rest, TextStyle::control, theme.text2);
        return;
      }
      const Rect chip = area.cut_left(wide);
      area.cut_left(6);
      canvas.stroke(chip, theme.control, 1, 6);
      canvas.text_in(chip, words[i], TextStyle::control, theme.text2, Align::center);
    }
  }

  float file_height() const { return ui_.reach(low_row); }

  void draw_files(Rect& area) {
    const Canvas canvas = ui_.canvas();
    const Theme& theme = ui_.theme();
    draw_title(area, "Open a file");
    const Rect first = area.cut_top(file_height());
    draw_row("open", first, file_row());
    canvas.icon(Icon::folder, {first.x + 12, first.center().y - 8}, theme.text2);
    canvas.text_in(first.inset(38, 0), "A setup, a lecture or a picture…", TextStyle::control, theme.text);
    const std::string keys = ui_.serves_finger() ? "" : action_named("file.open")->keys();
    if (!keys.empty())
      key_cap(canvas,
              {first.right() - 10 - key_cap_width(canvas, keys), canvas.centered_baseline(first, TextStyle::caption)},
              keys);
    for (std::size_t i = 0; i < recent_.size() && area.h >= file_height(); ++i) {
      const Rect row = area.cut_top(file_height());
      ui_.push_id(static_cast<int>(i));
      const Item item = draw_row("recent", row, file_row() + 1 + i);
      ui_.pop_id();
      canvas.icon(Icon::file, {row.x + 12, row.center().y - 8}, theme.text3);
      canvas.text_in(row.inset(38, 0), std::filesystem::path(recent_[i]).filename().string(), TextStyle::control,
                     theme.text);
      ui_.tooltip(item, recent_[i]);
    }
  }

  /// Whether the setup of a sentence was opened; if it can't be computed, says why.
  bool is_done(std::vector<Problem> problems) {
    if (problems.empty()) return true;
    context_.memory.get<ProblemsCard>() = {"This sentence cannot be computed", std::move(problems), {}};
    return false;
  }

  void open(std::size_t row) {
    if (row < sentence_row()) {
      const Lecture& lecture = *session_.lectures()[row];
      Lesson(session_).open(lecture.id, step_to_go_on_at(lecture, *session_.state().marks));
    } else if (row == sentence_row()) {
      if (sentence_encoder::arrival() == sentence_encoder::Arrival::here) {
        if (!is_done(show_trained(session_, card_.sentence))) return;
      } else {
        session_.request(WithTrainedLayer{[words = card_.sentence](Session& s) { return show_trained(s, words); }});
      }
    } else if (row == random_row()) {
      if (!is_done(session_.open_setup(setup_of(tokens().empty() ? std::string(example_sentence) : card_.sentence))))
        return;
      session_.when_shown([](Session& shown) { show_who_looks(shown); });
    } else if (row == file_row()) {
      perform(context_, *action_named("file.open"));
      return;  // the card stays behind the one that asks for the path, and closes when something is opened
    } else {
      context_.memory.get<FilesMemory>().chosen = ChosenPath{PathPurpose::open, recent_[row - file_row() - 1]};
    }
    chosen_ = true;
  }

  ViewContext& context_;
  Ui& ui_;
  Session& session_;
  StartCard& card_;
  std::vector<std::string> recent_;
  std::size_t shown_row_ = std::exchange(card_.shown_row, card_.row);
  bool enter_ = false;
  bool chosen_ = false;
  bool closed_ = false;
};

/// Whether something was opened behind the card: a dropped file, or a lecture from the palette.
bool is_overtaken(StartCard& card, const Session& session) {
  if (session.state().computing) return false;
  const std::uint64_t version = session.trace().version;
  if (card.version == 0) card.version = version;
  return card.version != version;
}

}  // namespace

void draw_start_card(ViewContext& context) {
  std::optional<StartCard>& card = context.memory.opened<StartCard>();
  if (!card) return;
  if (is_overtaken(*card, context.session)) return card.reset();
  if (!Card(context).draw()) return;
  card.reset();
  context.ui.request_frame();
}

}  // namespace headlight
