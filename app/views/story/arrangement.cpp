#include "app/views/story/arrangement.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "app/session/session.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/view_memory.hpp"

namespace headlight {
namespace {

/// How far concessions are made for how well the cells are read. Where nothing makes them readable, the words come
/// first, and the picture takes what they leave.
struct Level {
  Cells cells;
  Concession last;
};
constexpr std::array ladder{Level{Cells::comfortable, Concession::code}, Level{Cells::readable, Concession::one_row},
                            Level{Cells::unreadable, Concession::goals}};

constexpr float below_words = 12;
constexpr float beside_words = 24;
constexpr float narrow_column = 300;
constexpr float wide_column = 450;
constexpr float least_share_beside_goals = 0.4f;  ///< of the height, for the picture
constexpr float lowest_picture = 60;
constexpr float most_scrolled = 42;  ///< of the words, so that cells keep their numbers: two lines

/// An arrangement, and how good it is.
struct Trial {
  Arrangement arrangement;
  float hidden = 0;  ///< how much of the words' height does not show
  PictureFit fit;

  bool does() const { return hidden == 0 && fit.cells >= arrangement.rung.cells; }
};

class Arranger {
 public:
  Arranger(const ViewContext& context, const Rect& area, const Story& story, const ArrangedPicture& picture)
      : context_(context), canvas_(context.ui.canvas()), area_(area), story_(story), picture_(picture) {}

  Arrangement best() const {
    std::optional<Trial> readable;  // the one that hides least of the words
    Trial last;
    for (const Level& level : ladder) {
      Rung rung{level.cells};
      if (context_.presenting) rung = rung.with(Concession::labels);  // a slide is drawn twice as large
      last = best_on(rung);
      for (int i = 0; i <= static_cast<int>(level.last) && !last.does(); ++i) {
        const auto concession = static_cast<Concession>(i);
        if (rung.gives(concession) || !is_needed(concession)) continue;
        rung = rung.with(concession);
        last = best_on(rung);
        if (last.fit.cells >= Cells::readable && (!readable || last.hidden < readable->hidden)) readable = last;
      }
      if (last.does()) return with_less_given(last).arrangement;
      if (level.cells == Cells::readable && readable && readable->hidden <= most_scrolled) return readable->arrangement;
    }
    return last.arrangement;
  }

 private:
  /// Takes back the concessions that turned out not to be needed.
  Trial with_less_given(Trial trial) const {
    for (int i = static_cast<int>(Concession::one_row); i >= 0; --i) {
      const auto concession = static_cast<Concession>(i);
      const Rung& rung = trial.arrangement.rung;
      if (!rung.gives(concession) || (context_.presenting && concession == Concession::labels)) continue;
      if (Trial less = best_on(rung.without(concession)); less.does()) trial = std::move(less);
    }
    return trial;
  }

  /// Whether the concession changes anything for this story and picture.
  bool is_needed(Concession concession) const {
    switch (concession) {
      case Concession::rows: return picture_.has_quadrant;
      case Concession::code: return !context_.presenting && !story_.code.empty();
      case Concession::goals: return story_.goals != nullptr;
      case Concession::heads: return picture_.beside > 0;
      case Concession::one_row: return context_.presenting && picture_.has_rows;
      default: return true;
    }
  }

  Story told(const Rung& rung) const {
    Story told = story_;
    if (rung.gives(Concession::goals)) told.goals.reset();
    return told;
  }

  Rect room(const Rung& rung) const {
    Rect room = area_;
    if (picture_.beside > 0 && !rung.gives(Concession::heads)) room.cut_right(picture_.beside);
    return room;
  }

  /// The best arrangement on a rung.
  Trial best_on(const Rung& rung) const {
    const Story story = told(rung);
    std::optional<Trial> best;
    const auto take = [&](const Arrangement& arrangement) {
      Trial trial = tried(arrangement, story);
      if (!best || is_better(trial, *best)) best = std::move(trial);
    };
    if (context_.still) take({WordsAt::none, StoryForm::words, rung, {}, room(rung)});
    else if (story.folded) take(above(WordsAt::line, StoryForm::line, rung, story));
    else {
      if (picture_.has_quadrant) take({WordsAt::quadrant, column_form(), rung, {}, room(rung)});
      if (context_.presenting) take(above(WordsAt::above, StoryForm::words, rung, story));
      else take(above(WordsAt::band, StoryForm::band, rung, story));
      for (float width : widths_beside(rung)) take(beside(width, rung));
    }
    return *best;
  }

  StoryForm column_form() const { return context_.presenting ? StoryForm::words : StoryForm::column; }

  Arrangement above(WordsAt at, StoryForm form, const Rung& rung, const Story& story) const {
    Arrangement arrangement{at, form, rung, {}, room(rung)};
    Rect& rest = arrangement.picture;
    arrangement.story = rest.cut_top(story_height(canvas_, rest.w, story, form, rung.type()));
    rest.cut_top(below_words);
    return arrangement;
  }

  /// The widths that words beside the picture may have.
  std::vector<float> widths_beside(const Rung& rung) const {
    const float width = room(rung).w;
    if (!context_.presenting) {
      std::vector<float> widths{std::min(narrow_column, 0.5f * width)};
      if (width > 2 * narrow_column) widths.push_back(std::min(wide_column, 0.42f * width));
      return widths;
    }
    std::vector<float> widths;
    for (float share : {0.26f, 0.3f, 0.36f, 0.42f, 0.48f}) widths.push_back(share * width);
    return widths;
  }

  Arrangement beside(float width, const Rung& rung) const {
    Arrangement arrangement{
        context_.presenting ? WordsAt::beside : WordsAt::column, column_form(), rung, {}, room(rung)};
    arrangement.story = arrangement.picture.cut_left(width);
    arrangement.picture.cut_left(beside_words);
    return arrangement;
  }

  /// How much of the words' height does not show.
  float hidden(const Arrangement& arrangement, const Story& story) const {
    const auto& [at, form, rung, area, picture] = arrangement;
    if (at == WordsAt::none || at == WordsAt::line) return 0;
    if (!rung.gives(Concession::code) && breaks_code(canvas_, area.w, story, form, rung.type())) return 1;
    return std::max(0.0f, story_height(canvas_, area.w, story, form, rung.type()) - area.h - 0.5f);
  }

  Trial tried(Arrangement arrangement, const Story& story) const {
    Trial trial;
    trial.fit = picture_.fit(arrangement, story);
    trial.hidden = hidden(arrangement, story);
    const float least = !story.goals ? lowest_picture : least_share_beside_goals * area_.h;
    if (!context_.still) trial.hidden += std::max(0.0f, least - arrangement.picture.h);
    trial.arrangement = std::move(arrangement);
    return trial;
  }

  static bool is_better(const Trial& a, const Trial& b) {
    if (a.does() != b.does()) return a.does();
    if (!a.does()) {
      const bool reads_a = a.fit.cells >= Cells::readable;
      const bool reads_b = b.fit.cells >= Cells::readable;
      if (reads_a != reads_b) return reads_a;
      return a.hidden < b.hidden;
    }
    if (b.arrangement.at == WordsAt::quadrant) return false;
    return a.fit.pitch > b.fit.pitch;
  }

  const ViewContext& context_;
  Canvas canvas_;
  Rect area_;
  const Story& story_;
  const ArrangedPicture& picture_;
};

/// The words without their numbers: "÷ 2.5" is the same as "÷ 0.5".
std::string outline_of(const Story& story) {
  std::string outline = story.title + '\n' + story.code;
  std::erase_if(outline, [](unsigned char c) { return std::isdigit(c) != 0 || c == '.' || c == '-' || c == 'e'; });
  return outline;
}

std::size_t hash_of_labels(const Setup& setup) {
  std::size_t hash = 0;
  for (const auto* words : {&setup.tokens, &setup.key_tokens, &setup.features, &setup.head_names})
    for (const std::string& word : *words) hash = 31 * hash + std::hash<std::string>{}(word);
  return hash;
}

ArrangementKey key_of(const ViewContext& context, const Rect& area, const Story& story,
                      const ArrangedPicture& picture) {
  const Session& session = context.session;
  const SessionState& state = session.state();
  const Setup& setup = session.setup();
  ArrangementKey key{.view = state.display.view,
                     .area = area,
                     .scale = context.ui.scale(),
                     .presenting = context.presenting,
                     .still = context.still,
                     .step = session.lesson().at,
                     .tensor = state.selection.tensor,
                     .story = {story.folded, story.elsewhere, story.asked != nullptr},
                     .outline = {},
                     .sizes = setup.sizes,
                     .token_axis = setup.attention.token_axis,
                     .labels = hash_of_labels(setup),
                     .picture = picture.depends_on};
  if (story.asked) {
    const AskedQuestion& asked = *story.asked;
    key.story.insert(key.story.end(), {!asked.hint.empty(), asked.shown, !asked.guess_words.empty()});
  }
  if (!session.lesson().lecture() || story.elsewhere) key.outline = outline_of(story);
  return key;
}

}  // namespace

StoryType Rung::type() const {
  if (gives(Concession::small_type)) return StoryType::small;
  return gives(Concession::medium_type) ? StoryType::medium : StoryType::large;
}

Arrangement arranged(ViewContext& context, const Rect& area, const Story& story, const ArrangedPicture& picture) {
  KeptArrangement& kept = context.memory.get<KeptArrangement>();
  const ArrangementKey key = key_of(context, area, story, picture);
  if (kept.key != key) kept = {key, Arranger(context, area, story, picture).best()};
  return kept.arrangement;
}

void cut_lecture_story(ViewContext& context, Rect& area, float share, ArrangedPicture picture) {
  if (context.still || (context.session.lesson().step() == nullptr && !context.presenting)) return;
  Story story = step_story(context.session);
  if (context.presenting) {
    if (!picture.fit)
      picture.fit = [](const Arrangement& one, const Story&) {
        return PictureFit{.pitch = std::min(one.picture.w / 2, one.picture.h)};
      };
    const Arrangement arrangement = arranged(context, area, story, picture);
    draw_story(context, arrangement.story, story, arrangement.form, arrangement.rung.type());
    area = arrangement.picture;
    return;
  }
  const Canvas canvas = context.ui.canvas();
  const auto height = [&](StoryType type) { return story_height(canvas, area.w, story, StoryForm::band, type); };
  if (height(StoryType::small) > share * area.h) story.goals.reset();
  area.cut_top(10);
  StoryForm form = StoryForm::line;
  StoryType type = StoryType::large;
  Rect words;
  if (story.folded) {
    words = area.cut_top(folded_height);
    area.cut_top(4);
  } else {
    form = StoryForm::band;
    const auto fits = [&](StoryType one) { return height(one) <= share * area.h; };
    type = fits(StoryType::large) ? StoryType::large : fits(StoryType::medium) ? StoryType::medium : StoryType::small;
    words = area.cut_top(std::min(height(type), share * area.h));
    area.cut_top(10);
  }
  canvas.fill({area.x, area.y, area.w, 1}, canvas.theme().line);
  draw_story(context, words, story, form, type);
}

}  // namespace headlight
