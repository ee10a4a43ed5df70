#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "app/heatmap/numbers.hpp"
#include "app/session/selecting.hpp"
#include "app/session/session.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/frame_tools.hpp"
#include "app/views/base/motion.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/equation/buildup.hpp"
#include "app/views/menus/context_menu.hpp"
#include "app/views/pictures/blend.hpp"
#include "app/views/pictures/step_pictures.hpp"
#include "app/views/tensors/asked_cells.hpp"
#include "app/views/tensors/picture_cells.hpp"
#include "app/views/tensors/tensor_picture.hpp"
#include "app/views/tensors/tensor_scale.hpp"
#include "core/lecture/question.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/explain.hpp"
#include "core/text/wording.hpp"

namespace headlight {
namespace {

constexpr float words_height = 24;
constexpr float words_pitch = 18;     ///< of two lines of words
constexpr float above_query = 9;      ///< between the words' features and the rows of the query
constexpr float band_around = 4;      ///< of a row of the query
constexpr float query_height = 1.2f;  ///< of a row of the query, in rows of features; with its band
constexpr float between_states = 26;
constexpr float between_cells = 4;
constexpr float roomy_column = 40;  ///< from here cells are so far apart
constexpr float roomy_row = 18;
constexpr float caption_height = 20;
constexpr float beside_labels = 10;
constexpr float overhang = 8;  ///< of a word over its column
constexpr float before_blend = 16;
constexpr float blend_width = 1.25f;  ///< in columns
constexpr std::string_view blend_title = "the blend";
constexpr std::string_view short_blend_title = "blend";
constexpr std::string_view mostly = "mostly";
constexpr float readable_column = 36;  ///< for two digits and a point; a narrower one shortens the title
constexpr float widest_column = 112;
constexpr float highest_row = 56;
constexpr float larger_in_lesson = 1.2f;
constexpr float wide_as_high = 1.6f;
constexpr double clearly = 1.5;  ///< the blend is mostly the feature that is so many times the next one

/// One of the states: its trace, and whether the step asks about it.
struct SentenceState {
  const Trace* trace;
  bool asked = true;

  const Setup& setup() const { return trace->setup; }
  TensorId words() const { return numbers_of_words(*trace); }
  Index word_count() const { return setup().key_length(); }
};

/// What is drawn, in the order from top to bottom.
struct Sentence {
  const ViewContext& context;
  const SentencePicture& picture;
  QueryRow row = query_row(context);
  std::vector<SentenceState> states = {};
  std::vector<Index> features = {};

  Sentence(const ViewContext& in, const SentencePicture& of) : context(in), picture(of) {
    const Session& session = in.session;
    const ModelTrace& before = session.lesson().traces.before;
    if (of.mirrored && !before.empty()) states.push_back({&before.first(), false});
    states.push_back({&session.trace()});
    const Index count = session.setup().d_source();
    for (const Index feature : of.features)
      if (feature < count) features.push_back(feature);
  }
  Index most_words() const {
    Index most = 0;
    for (const SentenceState& state : states) most = std::max(most, state.word_count());
    return most;
  }
  bool is_part() const { return static_cast<Index>(features.size()) < context.session.setup().d_source(); }
  bool has_blend() const {
    return picture.blend && context.session.setup().d_out() == context.session.setup().d_source();
  }
  /// In both states, so that they are set in one size.
  float widest_word(const Canvas& canvas, TextStyle style) const {
    float widest = 0;
    for (const SentenceState& state : states)
      for (Index i = 0; i < state.word_count(); ++i)
        widest = std::max(widest, canvas.width(state.setup().key_label(i), style));
    return widest;
  }
  /// Whether neighbouring words would touch above columns of this width.
  bool words_touch(const Canvas& canvas, TextStyle style, float column) const {
    constexpr float between = 6;
    return std::ranges::any_of(states, [&](const SentenceState& state) {
      for (Index i = 1; i < state.word_count(); ++i)
        if ((canvas.width(state.setup().key_label(i - 1), style) + canvas.width(state.setup().key_label(i), style)) /
                    2 +
                between >
            column)
          return true;
      return false;
    });
  }
  /// "two of the four features", or where that is too wide, "2 of 4 features".
  std::string caption(const Canvas& canvas, float room) const {
    const std::string words = caption_in_words();
    if (canvas.width(words, TextStyle::caption) <= room) return words;
    return fmt::format("{} of {} features", features.size(), context.session.setup().d_source());
  }
  std::string caption_in_words() const {
    static constexpr std::array<std::string_view, 13> counts{
        "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"};
    const auto word = [&](Index count) {
      return count < 13 ? std::string(counts[static_cast<std::size_t>(count)]) : fmt::format("{}", count);
    };
    return fmt::format("{} of the {} features", word(static_cast<Index>(features.size())),
                       word(context.session.setup().d_source()));
  }
  /// Of a state whose temperature is another one than the other's: "temperature 0.1"; else empty.
  std::string temperature_of(const SentenceState& state) const {
    const auto is_other = [&](const SentenceState& each) {
      return each.setup().attention.temperature != state.setup().attention.temperature;
    };
    return std::ranges::any_of(states, is_other) ? fmt::format("temperature {:g}", state.setup().attention.temperature)
                                                 : std::string();
  }
  std::string query_word() const { return context.session.setup().query_label(row.query); }
};

/// "weights", "dot products".
std::string plain_name(TensorId tensor) {
  std::string words(name(tensor));
  std::ranges::replace(words, '_', ' ');
  return words;
}

/// Where everything of one state is.
struct StateLayout {
  Rect words;
  std::vector<Rect> features;
  std::vector<Rect> rows;  ///< of the query, in the order of the picture; without their bands

  Rect all_rows() const {
    Rect all;
    for (const Rect& row : rows) all = all.joined(row);
    return all;
  }
};

struct SentenceLayout {
  float column = 0;
  float row = 0;
  bool in_two_lines = false;  ///< every other word is above its neighbours, which it would touch
  bool narrow_blend = false;  ///< with a short title
  Rect cells;                 ///< of all states
  Rect labels;
  Rect blend;
  std::vector<StateLayout> states;
  Rect caption;

  /// To the right end of the blend, if there is one.
  float caption_width() const { return (blend.empty() ? cells : cells.joined(blend)).w; }
  /// Between cells.
  float gap() const { return column >= roomy_column && row >= roomy_row ? between_cells : 1; }
};

float labels_width_of(const Canvas& canvas, const Sentence& sentence, float width) {
  constexpr float most = 120, roomy = 480;
  // The length of a temperature must not move the cells, where there is room to spare: on a slide there isn't.
  const bool is_slide = sentence.context.presenting && !sentence.context.wordless;
  if (sentence.states.size() > 1 && width >= roomy && !is_slide) return most;
  float widest = canvas.width(possessive(sentence.query_word()), TextStyle::control_strong);
  for (const TensorId tensor : sentence.picture.rows)
    widest = std::max(widest, canvas.width(plain_name(tensor), TextStyle::control));
  for (const Index feature : sentence.features)
    widest =
        std::max(widest, canvas.width(sentence.context.session.setup().feature_label(feature), TextStyle::control));
  for (const SentenceState& state : sentence.states)
    widest = std::max(widest, canvas.width(sentence.temperature_of(state), TextStyle::control));
  return std::min(std::ceil(widest), most);
}

SentenceLayout layout_of(const Canvas& canvas, const Sentence& sentence, const Rect& area) {
  const auto words = static_cast<float>(sentence.most_words());
  const auto features = static_cast<float>(sentence.features.size());
  const auto rows = static_cast<float>(sentence.picture.rows.size());
  const auto states = static_cast<float>(sentence.states.size());
  const float labels = labels_width_of(canvas, sentence, area.w);
  const bool blends = sentence.has_blend();
  SentenceLayout layout;
  const float room = area.w - labels - beside_labels - (blends ? before_blend : 0) - 2 * band_around;
  const float title = std::ceil(canvas.width(blend_title, TextStyle::control));
  const float larger = sentence.context.reads ? larger_in_lesson : 1;
  layout.column = std::min(larger * widest_column, room / (words + (blends ? blend_width : 0)));
  // The blend's column is at least as wide as its title.
  float least_blend = title;
  // A slide makes room for it with its words instead.
  layout.narrow_blend = blends && sentence.context.wordless && blend_width * layout.column < title &&
                        (room - title) / words < readable_column;
  if (layout.narrow_blend) least_blend = std::ceil(canvas.width(mostly, TextStyle::control));
  if (blends && blend_width * layout.column < least_blend) layout.column = (room - least_blend) / words;
  const float blend = blends ? std::max(least_blend, blend_width * layout.column) : 0;
  layout.in_two_lines = sentence.words_touch(canvas, TextStyle::caption_strong, layout.column);
  const float above_words = words_height + (layout.in_two_lines ? words_pitch : 0);
  const float fixed = states * (above_words + (rows > 0 ? above_query + band_around : 0)) +
                      (states - 1) * between_states + (sentence.is_part() ? caption_height : 0);
  layout.row = std::min({larger * highest_row, layout.column / wide_as_high,
                         (area.h - fixed) / (states * (features + rows * query_height))});
  layout.row = std::max(layout.row, 1.0f);
  const float width = labels + beside_labels + words * layout.column + (blends ? before_blend + blend : 0);
  const float height = fixed + states * (features + rows * query_height) * layout.row;
  Rect rest{area.x + std::max(0.0f, area.w - width) / 2, area.y + std::max(0.0f, area.h - height) / 3, width, height};
  if (sentence.is_part()) layout.caption = rest.cut_bottom(caption_height);
  layout.labels = rest.cut_left(labels);
  rest.cut_left(beside_labels);
  if (blends) {
    layout.blend = rest.cut_right(blend);
    rest.cut_right(before_blend);
  }
  layout.cells = rest;
  layout.caption.x = rest.x;
  for (std::size_t i = 0; i < sentence.states.size(); ++i) {
    StateLayout state;
    const bool below = i > 0;
    const float wide = layout.column * static_cast<float>(sentence.states[i].word_count());
    const auto cut = [&](float h) {
      const Rect strip = rest.cut_top(h);
      return Rect{strip.x, strip.y, wide - layout.gap(), strip.h - layout.gap()};
    };
    const auto cut_words = [&] {
      state.words = cut(above_words);
      for (std::size_t f = 0; f < sentence.features.size(); ++f) state.features.push_back(cut(layout.row));
    };
    const auto cut_rows = [&] {
      for (std::size_t r = 0; r < sentence.picture.rows.size(); ++r)
        state.rows.push_back(cut(query_height * layout.row));
    };
    if (below) {
      rest.cut_top(between_states);
      cut_rows();
      std::ranges::reverse(state.rows);
      if (rows > 0) rest.cut_top(above_query + band_around);
      cut_words();
    } else {
      cut_words();
      if (rows > 0) rest.cut_top(above_query);
      cut_rows();
      if (rows > 0) rest.cut_top(band_around);
    }
    layout.states.push_back(std::move(state));
  }
  return layout;
}

class SentenceDrawing : FrameTools {
 public:
  SentenceDrawing(ViewContext& context, const SentencePicture& picture, const Rect& area)
      : FrameTools(context),
        sentence_(context, picture),
        layout_(layout_of(canvas_, sentence_, area)),
        scale_(word_scale()) {}

  void draw() {
    for (std::size_t i = 0; i < sentence_.states.size(); ++i) {
      context_.ui.push_id(static_cast<int>(i));
      draw_state(i);
      context_.ui.pop_id();
    }
    if (sentence_.states.size() > 1 && !session_.lesson().asks()) draw_equals();
    if (sentence_.is_part()) draw_caption();
  }

 private:
  /// Of the words and of what they blend to, in both states.
  ColorScale word_scale() const {
    ColorScale scale = color_scale_of(context_, sentence_.states.back().words(), sentence_.row.head);
    if (sentence_.states.size() < 2 || scale.lo != -scale.hi) return scale;
    const SentenceState& first = sentence_.states.front();
    const TensorStatistics other = statistics_of(context_, *first.trace, first.words());
    return ColorScale::symmetric(std::max({scale.hi, std::abs(other.min), std::abs(other.max)}));
  }

  TensorPicture picture_of_state(const SentenceState& state, TensorId tensor, const ColorScale& scale) const {
    const Selection at{.tensor = tensor, .batch = sentence_.row.batch, .head = sentence_.row.head};
    TensorPicture picture = picture_in(context_, *state.trace, fitting(at, state.setup()), scale);
    if (state.asked) return picture;
    picture.slice = slice_of(*state.trace, tensor, picture.batch, picture.head);
    picture.shade.reset();
    return picture;
  }

  void draw_cells_in(std::string_view id, const Rect& area, const TensorPicture& picture, const SentenceState& state) {
    const CellsOptions options{
        .paints = state.asked, .asked = state.asked, .of = state.asked ? "" : "before:", .ring = true, .glides = false};
    // The step's own cell only says which query the picture is about.
    PictureLight light = light_of(context_, picture);
    if (!session_.state().pinned && session_.state().hovered != session_.cell()) light.ring.reset();
    Heatmap heatmap = picture.heatmap(area, canvas_.scale());
    heatmap.layout = HeatmapLayout(area, heatmap.layout.shape(), canvas_.scale(), std::optional(layout_.gap()));
    draw_cells(context_, id, picture, heatmap, light, options);
  }

  void draw_state(std::size_t index) {
    const SentenceState& state = sentence_.states[index];
    const StateLayout& at = layout_.states[index];
    draw_words(state, at.words, index);
    draw_label(at.words, sentence_.temperature_of(state));
    const TensorPicture words = picture_of_state(state, state.words(), scale_);
    for (std::size_t i = 0; i < sentence_.features.size(); ++i) {
      const Index feature = sentence_.features[i];
      TensorPicture row = part_of(words, {{0, words.slice.rows()}, IndexRange::one(feature)});
      row.transposed = true;
      draw_label(at.features[i], state.setup().feature_label(feature));
      draw_cells_in(fmt::format("feature {}", feature), at.features[i], row, state);
    }
    draw_query(state, at);
    if (sentence_.has_blend()) draw_blend(state, at);
  }

  /// Labels in the middle of a row, right-aligned beside it.
  void draw_label(const Rect& row, const std::string& words) const {
    const Rect box{layout_.labels.x, row.y, layout_.labels.w, row.h};
    canvas_.text_in(box, canvas_.ellipsized(words, TextStyle::control, box.w), TextStyle::control, theme_.text2,
                    Align::right);
  }

  void draw_words(const SentenceState& state, const Rect& strip, std::size_t index) {
    const bool small = sentence_.widest_word(canvas_, TextStyle::body_strong) > layout_.column + overhang ||
                       sentence_.words_touch(canvas_, TextStyle::body_strong, layout_.column);
    const TextStyle plain = small ? TextStyle::caption : TextStyle::body;
    const TextStyle strong = small ? TextStyle::caption_strong : TextStyle::body_strong;
    for (Index i = 0; i < state.word_count(); ++i) {
      const std::string word = state.setup().key_label(i);
      Rect box{strip.x + layout_.column * static_cast<float>(i), strip.y, layout_.column, strip.h};
      const bool is_above = layout_.in_two_lines && i % 2 == 1;
      box = is_above ? box.cut_top(words_pitch) : box.cut_bottom(std::min(words_height, box.h));
      const float around = layout_.in_two_lines ? layout_.column : overhang / 2;
      const bool is_query = i == sentence_.row.query && !state.setup().is_cross();
      const bool is_new = index > 0 && is_new_word(i);
      const TextStyle style = is_query || is_new ? strong : plain;
      canvas_.text_in(box.inset(-around, 0), word, style,
                      is_query ? theme_.identity(Role::query)
                      : is_new ? theme_.text
                               : theme_.text2,
                      Align::center);
      choose_query(state, box, i);
    }
    if (!sentence_.has_blend()) return;
    Rect title{layout_.blend.x, strip.y, layout_.blend.w, strip.h};
    if (layout_.in_two_lines) title = title.cut_bottom(words_height);
    canvas_.text_in(title, layout_.narrow_blend ? short_blend_title : blend_title, TextStyle::control, theme_.text2);
  }

  /// Whether the word at this place is another one than in the state before.
  bool is_new_word(Index position) const {
    const SentenceState& first = sentence_.states.front();
    return position >= first.word_count() ||
           first.setup().key_label(position) != sentence_.states.back().setup().key_label(position);
  }

  /// The cell of a word among those that the step asks to choose from; none if it asks for something else.
  std::optional<Cell> choice_of(Index position) const {
    if (!session_.lesson().asks()) return std::nullopt;
    for (const TensorId tensor : sentence_.picture.rows) {
      const Cell cell{tensor, {sentence_.row.batch, sentence_.row.head, sentence_.row.query, position}};
      if (contains(session_.setup(), cell) && choice_at(*session_.lesson().question(), cell, session_.setup()))
        return cell;
    }
    return std::nullopt;
  }

  /// A click on a word chooses it where the step asks for a word. Otherwise it shows its row, of a tensor that is in
  /// the picture.
  void choose_query(const SentenceState& state, const Rect& box, Index position) {
    const Index query = position - session_.setup().past();  // a past word makes none
    if (state.setup().is_cross() || context_.still || query < 0 || query >= session_.setup().sizes.query_length) return;
    const Item item = context_.ui.item(fmt::format("word {}", position), box, {.focusable = false});
    const std::optional<Cell> choice = state.asked ? choice_of(position) : std::nullopt;
    if (choice && item.hovered) canvas_.fill({box.x + 4, box.bottom() - 3, box.w - 8, 2}, theme_.text, 1);
    const TensorId tensor = sentence_.picture.rows.empty() ? TensorId::weights : sentence_.picture.rows.back();
    const Selection at{tensor, sentence_.row.batch, sentence_.row.head, query, position};
    if (item.clicked && !item.dragged) {
      if (choice) Selecting(session_).pin(*choice);
      else Selecting(session_).select(at);
    }
    offer_menu(context_, box, token_target(session_, position, true));
  }

  /// The rows of the query in one band.
  void draw_query(const SentenceState& state, const StateLayout& at) {
    if (at.rows.empty() || sentence_.row.query >= state.setup().sizes.query_length) return;
    const Rect band = at.all_rows().outset(band_around);
    const Color query = theme_.identity(Role::query);
    canvas_.band_tint(band, query);
    for (std::size_t i = 0; i < at.rows.size(); ++i) draw_query_row(state, sentence_.picture.rows[i], at.rows[i]);
    canvas_.band_outline(band, query, band_width(context_));
    draw_signs_over(context_, band);
  }

  void draw_query_row(const SentenceState& state, TensorId tensor, const Rect& row) {
    if (!state.trace->has(tensor)) return;
    const ColorScale scale = color_scale_of(context_, tensor, sentence_.row.head);
    TensorPicture whole = picture_of_state(state, tensor, scale);
    whole.transposed = false;
    if (tensor == TensorId::weights && built() < 1 && !sentence_.picture.blend && state.trace->has(TensorId::scores)) {
      const TensorId seen = state.trace->has(TensorId::masked_scores) ? TensorId::masked_scores : TensorId::scores;
      const Slice scores = slice_of(*state.trace, seen, sentence_.row.batch, sentence_.row.head);
      const PartialShares shares = partial_shares(scores, sentence_.row.query, built());
      const Slice own = whole.slice;
      whole.slice = with_numbers(own, [&](Index at, Index key) {
        return at == sentence_.row.query ? shares.numbers[static_cast<std::size_t>(key)] : own.value(at, key);
      });
      whole.shade.reset();
    }
    const TensorPicture part = part_of(whole, {IndexRange::one(sentence_.row.query), {0, whole.slice.columns()}});
    draw_cells_in(name(tensor), row, part, state);
    draw_query_label(row, tensor);
  }

  /// "bank’s" above "weights", or where the row is low, "weights" alone.
  void draw_query_label(const Rect& row, TensorId tensor) const {
    constexpr float line = 16;
    const Rect box{layout_.labels.x, row.center().y - line, layout_.labels.w, line};
    if (row.h < 1.5f * line) return draw_label(row, plain_name(tensor));
    const std::string word = canvas_.ellipsized(possessive(sentence_.query_word()), TextStyle::control_strong, box.w);
    canvas_.text_in(box, word, TextStyle::control_strong, theme_.identity(Role::query), Align::right);
    canvas_.text_in(box.moved(0, line), plain_name(tensor), TextStyle::control, theme_.text2, Align::right);
  }

  Cell blend_cell(Index feature) const {
    return {TensorId::output, {sentence_.row.batch, sentence_.row.query, feature}};
  }
  /// Where a number of the blend is explained: as the mix of the values, if the output is nothing but that, number by
  /// number.
  Cell explained_cell(const SentenceState& state, Index feature) const {
    const Cell cell = blend_cell(feature);
    const Sizes& sizes = state.setup().sizes;
    const bool could_be = sizes.heads == 1 && state.trace->has(TensorId::context) &&
                          state.setup().d_head() == state.setup().d_out() && !hides_blend(state, feature);
    if (!could_be) return cell;
    const Cell mix{TensorId::context, {sentence_.row.batch, 0, sentence_.row.query, feature}};
    return state.trace->value(mix) == state.trace->value(cell) ? mix : cell;
  }
  bool hides_blend(const SentenceState& state, Index feature) const {
    return state.asked && session_.lesson().hides(blend_cell(feature), session_.setup());
  }
  double blend_of(const SentenceState& state, Index feature) const { return state.trace->value(blend_cell(feature)); }
  bool has_blend(const SentenceState& state) const {
    return state.trace->has(TensorId::output) && sentence_.row.query < state.setup().sizes.query_length &&
           sentence_.row.batch < state.setup().sizes.batch && state.setup().d_out() == state.setup().d_source();
  }

  /// The largest magnitude of all blends that show: the length of a whole bar.
  double longest_bar() const {
    double longest = 0;
    for (const SentenceState& state : sentence_.states)
      for (const Index feature : sentence_.features)
        if (has_blend(state) && !hides_blend(state, feature))
          longest = std::max(longest, std::abs(moving_blend(state, feature)));
    return longest;
  }

  double built() const { return context_.still ? 1 : context_.memory.get<Motion>().built(); }

  /// The words flow into the blend one after the other: what each gives moves from its cell to the end of the bar.
  /// Returns whether they are on the way.
  bool draw_flow(const SentenceState& state, const StateLayout& at, double longest) {
    if (built() >= 1 || longest <= 0) return false;
    const auto blend = headlight::blend_of(*state.trace, sentence_.row.batch, sentence_.row.query, sentence_.features);
    if (!blend) return false;
    const Turn turn = turn_at(built(), std::ssize(blend->words));
    for (std::size_t i = 0; i < sentence_.features.size(); ++i) {
      const Rect row = at.features[i];
      const std::vector<double>& numbers = blend->numbers[i];
      double sum = 0;
      for (Index word = 0; word < turn.index; ++word)
        sum += blend->shares[static_cast<std::size_t>(word)] * numbers[static_cast<std::size_t>(word)];
      const auto now = static_cast<std::size_t>(turn.index);
      const double given = blend->shares[now] * numbers[now];
      const Rect box{layout_.blend.x, row.y, layout_.blend.w, row.h};
      draw_bar(box, sum + (turn.share >= 1 ? given : 0), longest);
      if (turn.share >= 1 || given <= 0 || sum < 0) continue;
      const auto length = [&](double value) { return static_cast<float>(value / longest) * box.w; };
      const Rect from{row.x + layout_.column * static_cast<float>(now), row.y, layout_.column - layout_.gap(), row.h};
      const Rect to{box.x + length(sum), box.y, std::max(2.0f, length(given)), box.h};
      canvas_.fill(rect_between(from, to, turn.share), faded(scale_.color(theme_, numbers[now]), 0.9f), 3);
    }
    return true;
  }

  /// The blend on its way from the numbers before the last change, which a drag does not wait for.
  double moving_blend(const SentenceState& state, Index feature) const {
    const double value = blend_of(state, feature);
    if (!state.asked || context_.still) return value;
    const Slice now = slice_of(session_.trace(), TensorId::output, sentence_.row.batch, 0);
    const auto moving = context_.memory.get<Motion>().morphed(session_, TensorId::output, sentence_.row.batch, 0, now);
    return moving ? moving->value(sentence_.row.query, feature) : value;
  }

  void draw_blend(const SentenceState& state, const StateLayout& at) {
    if (!has_blend(state)) return;
    const double longest = longest_bar();
    if (draw_flow(state, at, longest)) return;
    bool hidden = false;
    for (std::size_t i = 0; i < sentence_.features.size(); ++i) {
      const Index feature = sentence_.features[i];
      const Rect row = at.features[i];
      const Rect box{layout_.blend.x, row.y, layout_.blend.w, row.h};
      if (hides_blend(state, feature)) {
        hidden = true;
        draw_hidden_cell(canvas_, box);
      } else {
        draw_bar(box, blend_of(state, feature), longest, moving_blend(state, feature));
      }
      if (state.asked) point_at_cell(context_, box, explained_cell(state, feature));
    }
    if (!hidden) draw_mostly(state, at);
  }

  /// The number as a bar, with its digits inside where they fit, else behind it. It may be on its way from another
  /// number.
  void draw_bar(const Rect& box, double value, double longest, std::optional<double> moving = {}) const {
    const double drawn = moving.value_or(value);
    const auto share = longest > 0 && std::isfinite(drawn) ? static_cast<float>(std::abs(drawn) / longest) : 0.0f;
    const Rect bar{box.x, box.y, std::min(box.w, std::max(2.0f, share * box.w)), box.h};
    const Color fill = scale_.color(theme_, std::isfinite(value) ? value : 0);
    canvas_.fill(bar, fill, 3);
    NumberFormat format = format_that_fits(std::abs(value), value < 0, value < 0 ? 5 : 4, 2);
    if (!format.scientific) format.leading_zero = std::abs(value) >= 0.995;
    const std::string text = value == std::round(value) ? NumberFormat{0}(value) : format(value);
    const float behind = layout_.narrow_blend ? 3 : 7;
    const float room = std::max(bar.w, box.right() - bar.right() - behind);
    const bool large = layout_.row >= 44 && canvas_.width(text, TextStyle::large_number_lit) <= room;
    const TextStyle style = large ? TextStyle::large_number_lit : TextStyle::number_lit;
    const float wide = canvas_.width(text, style);
    const bool fits_behind = wide <= box.right() - bar.right() - behind;
    const float edge = fits_behind ? behind : std::clamp((bar.w - wide) / 2, 0.0f, 7.0f);
    if (wide + 2 * edge <= bar.w) canvas_.text_in(bar.inset(edge, 0), text, style, number_on(fill), Align::right);
    else
      canvas_.text_in({bar.right() + behind, box.y, box.right() - bar.right() - behind, box.h}, text,
                      large ? TextStyle::large_number : TextStyle::number, theme_.text);
  }

  /// "mostly water", where one named feature is clearly the largest.
  void draw_mostly(const SentenceState& state, const StateLayout& at) const {
    if (!state.setup().names_features() || sentence_.features.size() < 2 || at.rows.empty()) return;
    std::vector<Index> order = sentence_.features;
    std::ranges::sort(order, std::greater{}, [&](Index feature) { return blend_of(state, feature); });
    if (!(blend_of(state, order[0]) > 0) || blend_of(state, order[0]) < clearly * blend_of(state, order[1])) return;
    constexpr float line = 17;
    const Rect rows = at.all_rows();
    const Rect box{layout_.blend.x, rows.center().y - line, layout_.blend.w, line};
    canvas_.text_in(box, mostly, TextStyle::control, theme_.text2);
    const std::string feature = state.setup().feature_label(order[0]);
    const float room = box.w + overhang;
    const bool fits = canvas_.width(feature, TextStyle::heading) <= room;
    const TextStyle style = fits ? TextStyle::heading : TextStyle::control_strong;
    canvas_.text_in({box.x, box.y + line, room, line}, canvas_.ellipsized(feature, style, room), style, theme_.text);
  }

  /// Signs between the two rows that are back to back, where their numbers are equal.
  void draw_equals() const {
    const TensorId tensor = sentence_.picture.rows.back();
    const SentenceState& a = sentence_.states.front();
    const SentenceState& b = sentence_.states.back();
    if (!a.trace->has(tensor) || !b.trace->has(tensor)) return;
    const Rect above = layout_.states.front().rows.back();
    const Rect below = layout_.states.back().rows.back();
    const float middle = (above.bottom() + below.y) / 2;
    const QueryRow& at = sentence_.row;
    for (Index key = 0; key < std::min(a.word_count(), b.word_count()); ++key) {
      const Cell cell{tensor, {at.batch, at.head, at.query, key}, session_.setup().layer};
      if (!contains(a.setup(), cell) || !contains(b.setup(), cell)) return;
      const double first = a.trace->number(cell);
      const double second = b.trace->number(cell);
      if (!(std::abs(first - second) <= 1e-9 * std::max(std::abs(first), std::abs(second)))) continue;
      const float x = above.x + layout_.column * (static_cast<float>(key) + 0.5f);
      for (const float up : {-4.0f, 1.5f}) canvas_.fill({x - 8, middle + up, 16, 2.5f}, theme_.ok, 1);
    }
  }

  void draw_caption() const {
    const float room = layout_.caption_width();
    canvas_.text_in({layout_.cells.x, layout_.caption.y + 4, room, layout_.caption.h - 4},
                    sentence_.caption(canvas_, room), TextStyle::caption, theme_.text3);
  }

  Sentence sentence_;
  SentenceLayout layout_;
  ColorScale scale_;
};

}  // namespace

PictureFit fit_of(const ViewContext& context, const SentencePicture& picture, const Rect& area) {
  const Canvas canvas = context.ui.canvas();
  const Sentence sentence(context, picture);
  const SentenceLayout layout = layout_of(canvas, sentence, area);
  const Index words = sentence.most_words();
  const Rect row{0, 0, layout.column * static_cast<float>(words), layout.row};
  PictureFit fit;
  fit.add(canvas, HeatmapLayout(row, {words, 1, true}, canvas.scale()));
  const bool words_fit =
      sentence.widest_word(canvas, TextStyle::caption_strong) <= layout.column + overhang && !layout.in_two_lines &&
      (!sentence.is_part() || canvas.width(sentence.caption_in_words(), TextStyle::caption) <= layout.caption_width());
  if (!words_fit) fit.cells = std::min(fit.cells, Cells::unreadable);
  return fit;
}

void draw_picture(ViewContext& context, const SentencePicture& picture, const Rect& area) {
  SentenceDrawing(context, picture, area).draw();
}

}  // namespace headlight
