#include "app/views/story/arrangement.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <memory>
#include <vector>

#include "app/session/session.hpp"
#include "app/ui/text/markdown.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/story/slide_code.hpp"
#include "core/model/shapes.hpp"

namespace headlight {
namespace {

/// What an arrangement aims at, and how far things give way for it.
struct Aim {
  Cells cells;
  bool in_quadrant;  ///< the words are in the quadrant
  bool one_row;      ///< a slide shows one row
  Concession last;
};
constexpr std::array aims{Aim{Cells::readable, true, false, Concession::small_type},
                          Aim{Cells::comfortable, false, false, Concession::code_lines},
                          Aim{Cells::readable, false, false, Concession::asked},
                          Aim{Cells::tight, true, false, Concession::small_type},
                          Aim{Cells::tight, false, false, Concession::asked},
                          Aim{Cells::readable, false, true, Concession::asked},
                          Aim{Cells::tight, false, true, Concession::asked},
                          Aim{Cells::unreadable, false, false, Concession::asked}};

constexpr float below_words = 12;
constexpr float beside_words = 24;
constexpr float above_code = 8;
constexpr float narrow_column = 300;
constexpr float wide_column = 450;
/// Of the height of the area, for the picture below words: a third of a whole slide.
constexpr float least_picture = 0.41f;
/// Of the size of cells, where a question has room for what will be said about it.
constexpr float least_pitch = 0.8f;

/// An arrangement, and how good it is.
struct Trial {
  Arrangement arrangement;
  float hidden = 0;  ///< how much of the words' height does not show
  PictureFit fit;

  bool does() const { return hidden == 0 && fit.cells >= arrangement.rung.cells; }
};

/// The story without the parts that the rung gives up.
Story shortened(Story story, const Rung& rung) {
  if (rung.gives(Concession::goals)) story.goals.reset();
  if (rung.gives(Concession::code)) {
    story.code_left_out = !story.code.empty();
    story.code.clear();
  }
  story.card = rung.gives(Concession::asked)      ? CardForm::answer
               : rung.gives(Concession::question) ? CardForm::brief
               : rung.gives(Concession::buttons)  ? CardForm::compact
                                                  : CardForm::whole;
  return story;
}

class Arranger {
 public:
  Arranger(const ViewContext& context, const Rect& area, const Story& story, const ArrangedPicture& picture)
      : context_(context), canvas_(context.ui.canvas()), area_(area), story_(story), picture_(picture) {}

  Trial best() const {
    Trial last;
    for (const Aim& aim : aims) {
      if (aim.in_quadrant && (!picture_.has_quadrant || story_.folded || is_wordless())) continue;
      if (aim.one_row && !is_needed(Concession::one_row)) continue;
      Rung rung{aim.cells, aim.in_quadrant};
      if (context_.presenting) rung = rung.with(Concession::labels);  // a slide is drawn twice as large
      if (aim.one_row) rung = rung.with(Concession::one_row);
      // What gives way only later is the first that gives way.
      if (story_.possible) rung = rung.with(Concession::question).with(Concession::asked);
      last = best_on(rung);
      for (int i = 0; i <= static_cast<int>(aim.last) && !last.does(); ++i) {
        const auto concession = static_cast<Concession>(i);
        if (rung.gives(concession) || !is_needed(concession)) continue;
        rung = rung.with(concession);
        last = best_on(rung);
      }
      if (last.does()) return with_less_given(last);
    }
    return last;
  }

 private:
  /// Code, type and question give way in this order, and come back in the opposite one.
  static bool may_come_back(Concession concession, const Rung& rung) {
    constexpr std::array in_order{Concession::code, Concession::medium_type, Concession::small_type,
                                  Concession::question, Concession::asked};
    const auto* const own = std::ranges::find(in_order, concession);
    return own == in_order.end() ||
           std::none_of(own + 1, in_order.end(), [&](Concession later) { return rung.gives(later); });
  }

  /// Takes back the concessions that turned out not to be needed.
  Trial with_less_given(Trial trial) const {
    for (int i = static_cast<int>(Concession::asked); i >= 0; --i) {
      const auto concession = static_cast<Concession>(i);
      const Rung& rung = trial.arrangement.rung;
      if (!rung.gives(concession) || (context_.presenting && concession == Concession::labels)) continue;
      if (!may_come_back(concession, rung)) continue;
      if (const Trial less = best_on(rung.without(concession)); less.does()) trial = less;
    }
    return trial;
  }

  static bool can_be_brief(const AskedQuestion& asked) {
    return asked.shown || (!asked.hint.empty() && !asked.about_miss.empty());
  }

  /// Whether the concession changes anything for this story and picture.
  bool is_needed(Concession concession) const {
    switch (concession) {
      case Concession::rows: return picture_.has_quadrant;
      case Concession::code_lines: return !context_.presenting && !story_.code.empty();
      case Concession::code_place:
      case Concession::code: return !story_.code.empty();
      case Concession::buttons: return story_.asked != nullptr;
      case Concession::question:
        return story_.possible != nullptr || (story_.asked != nullptr && can_be_brief(*story_.asked));
      case Concession::asked: return story_.possible != nullptr || (story_.asked != nullptr && story_.asked->shown);
      case Concession::goals: return story_.goals != nullptr;
      case Concession::heads: return picture_.beside > 0;
      case Concession::one_row: return context_.presenting && picture_.has_rows;
      default: return true;
    }
  }

  Rect room(const Rung& rung) const {
    Rect room = area_;
    if (picture_.beside > 0 && !rung.gives(Concession::heads)) room.cut_right(picture_.beside);
    return room;
  }

  /// The best arrangement on a rung.
  Trial best_on(const Rung& rung) const {
    Story story = shortened(story_, rung);
    if (has_code_below(rung)) story.code.clear();
    std::optional<Trial> best;
    const auto take = [&](const Arrangement& arrangement) {
      const Trial trial = tried(arrangement, story);
      if (!best || is_better(trial, *best)) best = trial;
    };
    if (rung.in_quadrant) take(whole(WordsAt::quadrant, column_form(), rung));
    else if (is_wordless()) take(whole(WordsAt::none, StoryForm::words, rung));
    else if (story.folded) take(above(WordsAt::line, StoryForm::line, rung, story));
    else {
      if (context_.presenting) take(above(WordsAt::above, StoryForm::words, rung, story));
      else take(above(WordsAt::band, StoryForm::band, rung, story));
      if (picture_.band > 0) return *best;
      if (picture_.has_quadrant) take(whole(WordsAt::quadrant, column_form(), rung));
      for (float width : widths_beside(rung)) take(beside(width, rung));
    }
    return *best;
  }

  bool is_wordless() const { return context_.still || context_.wordless; }

  StoryForm column_form() const { return context_.presenting ? StoryForm::words : StoryForm::column; }

  /// On a slide the code is at the bottom, in the window with the words, unless it takes the other place.
  bool has_code_below(const Rung& rung) const {
    if (is_wordless() || story_.folded || story_.code.empty() || rung.gives(Concession::code)) return false;
    return context_.presenting != rung.gives(Concession::code_place);
  }

  Arrangement whole(WordsAt at, StoryForm form, const Rung& rung) const {
    Arrangement arrangement{at, form, rung, {}, room(rung), {}};
    if (!has_code_below(rung)) return arrangement;
    Rect& rest = arrangement.picture;
    arrangement.code = rest.cut_bottom(slide_code_height(canvas_, rest.w, story_.code));
    rest.cut_bottom(above_code);
    return arrangement;
  }

  Arrangement above(WordsAt at, StoryForm form, const Rung& rung, const Story& story) const {
    Arrangement arrangement = whole(at, form, rung);
    Rect& rest = arrangement.picture;
    const float below = below_story(at);
    const float most =
        picture_.band > 0 ? picture_.band * area_.h : std::max(0.0f, rest.h - below - least_picture * area_.h);
    arrangement.story = rest.cut_top(std::min(story_height(canvas_, rest.w, story, form, rung.type()), most));
    rest.cut_top(below);
    return arrangement;
  }

  float below_story(WordsAt at) const {
    if (picture_.band == 0) return below_words;
    return at == WordsAt::line ? 4.0f : 10.0f;  // to the line under the words
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
    if (!story_.asked) widths.push_back(0.26f * width);  // its buttons would have no room
    for (float share : {0.3f, 0.36f, 0.42f, 0.48f, 0.54f}) widths.push_back(share * width);
    return widths;
  }

  Arrangement beside(float width, const Rung& rung) const {
    Arrangement arrangement = whole(context_.presenting ? WordsAt::beside : WordsAt::column, column_form(), rung);
    arrangement.story = arrangement.picture.cut_left(width);
    arrangement.picture.cut_left(beside_words);
    return arrangement;
  }

  /// How much of the words' height does not show.
  float hidden(const Arrangement& arrangement, const Story& story) const {
    const auto& [at, form, rung, area, picture, code] = arrangement;
    if (at == WordsAt::none || at == WordsAt::line) return 0;
    if (!rung.gives(Concession::code_lines) && breaks_code(canvas_, area.w, story, form, rung.type())) return 1;
    return std::max(0.0f, story_height(canvas_, area.w, story, form, rung.type()) - area.h - 0.5f);
  }

  Trial tried(Arrangement arrangement, const Story& story) const {
    Trial trial;
    trial.fit = picture_.fit(arrangement, story);
    trial.hidden = hidden(arrangement, story);
    trial.arrangement = arrangement;
    return trial;
  }

  static bool is_better(const Trial& a, const Trial& b) {
    if (a.does() != b.does()) return a.does();
    if (!a.does()) {
      const auto seen = [](const Trial& trial) { return trial.fit.cells > Cells::missing; };
      if (seen(a) != seen(b)) return seen(a);
      return a.hidden < b.hidden;
    }
    const bool in_quadrant = a.arrangement.at == WordsAt::quadrant;
    if (in_quadrant != (b.arrangement.at == WordsAt::quadrant)) return in_quadrant;
    if (a.fit.pitch != b.fit.pitch) return a.fit.pitch > b.fit.pitch;
    return a.arrangement.story.w > b.arrangement.story.w;  // longer lines are easier to read
  }

  const ViewContext& context_;
  Canvas canvas_;
  Rect area_;
  const Story& story_;
  const ArrangedPicture& picture_;
};

/// The words without their numbers: "÷ 2.5" is the same as "÷ 0.5". The code of a tensor that is drawn or given gets a
/// line for each number that a person changes, which must not move the picture under the pointer.
std::string outline_of(const Story& story, bool is_given) {
  std::string outline = story.title + '\n' + (is_given ? std::string() : story.code);
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
                     .wordless = context.still || context.wordless,
                     .step = session.lesson().at,
                     .tensor = state.selection.tensor,
                     .story = {story.folded, story.elsewhere, story.asked != nullptr},
                     .said = {.end = story.end.has_value()},
                     .outline = {},
                     .sizes = setup.sizes,
                     .token_axis = setup.attention.token_axis,
                     .labels = hash_of_labels(setup),
                     .picture = picture.depends_on};
  if (story.asked) {
    const AskedQuestion& asked = *story.asked;
    key.said = {.hint = !asked.hint.empty(),
                .missed = !asked.missed_words.empty(),
                .about_miss = !asked.about_miss.empty(),
                .shown = asked.shown,
                .wrong = !asked.guess_words.empty(),
                .end = story.end.has_value()};
  }
  if (!session.lesson().lecture() || story.elsewhere)
    key.outline = outline_of(story, is_drawn(state.selection.tensor, setup));
  return key;
}

/// Whether the arrangement is that of another key: the same, or another state of a question for which there is room.
bool serves(const KeptArrangement& kept, const ArrangementKey& key) {
  if (!kept.key) return false;
  ArrangementKey same = *kept.key;
  same.said = key.said;
  if (same != key) return false;
  if (kept.key->said == key.said || kept.room == RoomFor::answer) return true;
  return kept.room == RoomFor::tries && !kept.key->said.shown && !key.said.shown;
}

/// Whether room for what will be said takes something from the picture or the words that they would have without.
bool costs_something(const Trial& with_room, const Trial& own) {
  const auto gives_more = [&](Concession concession) {
    return with_room.arrangement.rung.gives(concession) && !own.arrangement.rung.gives(concession);
  };
  constexpr std::array dear{Concession::code, Concession::medium_type, Concession::small_type, Concession::goals,
                            Concession::heads};
  return !with_room.does() || with_room.fit.cells < std::min(own.fit.cells, Cells::readable) ||
         with_room.fit.pitch < least_pitch * own.fit.pitch || std::ranges::any_of(dear, gives_more);
}

/// Of the states that a question can get into, those in which most is said: one with a hint, one after a miss, and so
/// on.
std::vector<AskedQuestion> longest(const std::vector<AskedQuestion>& possible) {
  const auto said = [](const AskedQuestion& asked) {
    return plain_text(asked.why).size() + plain_text(asked.about_miss).size() + asked.guess_words.size() +
           asked.missed_words.size();
  };
  std::map<std::array<bool, 3>, const AskedQuestion*> kept;
  for (const AskedQuestion& asked : possible) {
    const AskedQuestion*& one = kept[{asked.shown, asked.hint.empty(), asked.missed.has_value()}];
    if (one == nullptr || said(asked) > said(*one)) one = &asked;
  }
  std::vector<AskedQuestion> all;
  for (const auto& [kind, asked] : kept) all.push_back(*asked);
  return all;
}

/// The best arrangement, with room for what will be said about an open question if it can be afforded.
KeptArrangement newly_arranged(const ViewContext& context, const Rect& area, const Story& story,
                               const ArrangedPicture& picture) {
  const Trial own = Arranger(context, area, story, picture).best();
  KeptArrangement made{{}, own.arrangement};
  if (context.presenting || context.still || context.wordless || story.folded) return made;
  if (story.asked == nullptr || story.asked->shown) return made;
  if (area.h > context.ui.surface().h) return made;  // it would be more to scroll
  std::vector<AskedQuestion> possible = longest(possible_questions(context.session.state()));
  // What comes after a lecture's last answer is as long as what happened in it.
  const bool may_end = context.session.lesson().at.index + 1 == context.session.lesson().step_count();
  for (const RoomFor room : {RoomFor::answer, RoomFor::tries}) {
    if (room == RoomFor::answer && may_end) continue;
    if (room == RoomFor::tries) std::erase_if(possible, [](const AskedQuestion& asked) { return asked.shown; });
    Story measured = story;
    measured.possible = std::make_shared<const std::vector<AskedQuestion>>(possible);
    const Trial with_room = Arranger(context, area, measured, picture).best();
    if (!costs_something(with_room, own)) return {{}, with_room.arrangement, room};
  }
  return made;
}

}  // namespace

StoryType Rung::type() const {
  if (gives(Concession::small_type)) return StoryType::small;
  return gives(Concession::medium_type) ? StoryType::medium : StoryType::large;
}

Arrangement arranged(ViewContext& context, const Rect& area, const Story& story, const ArrangedPicture& picture) {
  KeptArrangement& kept = context.memory.get<KeptArrangement>();
  const ArrangementKey key = key_of(context, area, story, picture);
  if (!serves(kept, key)) {
    kept = newly_arranged(context, area, story, picture);
    kept.key = key;
  }
  return kept.arrangement;
}

void draw_arranged(ViewContext& context, const Arrangement& arrangement, const Story& story) {
  const Rung& rung = arrangement.rung;
  Story shown = shortened(story, rung);
  if (!arrangement.code.empty()) {
    draw_slide_code(context.ui.canvas(), arrangement.code, story.code);
    shown.code.clear();
  }
  if (arrangement.at != WordsAt::none) draw_story(context, arrangement.story, shown, arrangement.form, rung.type());
}

bool leaves_out_code(const ViewContext& context) {
  const auto& [key, arrangement, room] = context.memory.get<KeptArrangement>();
  const bool of_picture = key && key->view == context.session.display().view &&
                          key->step == context.session.lesson().at && key->presenting == context.presenting;
  return of_picture && arrangement.rung.gives(Concession::code);
}

void cut_slide_code(ViewContext& context, Rect& area) {
  if (context.wordless) return;
  const std::string code = beside_play(context, step_story(context.session)).code;
  if (code.empty()) return;
  const Canvas canvas = context.ui.canvas();
  draw_slide_code(canvas, area.cut_bottom(slide_code_height(canvas, area.w, code)), code);
  area.cut_bottom(above_code);
}

void cut_lecture_story(ViewContext& context, Rect& area, float share, ArrangedPicture picture) {
  if (context.still || context.wordless || (context.session.lesson().step() == nullptr && !context.presenting)) return;
  const Story story = beside_play(context, step_story(context.session));
  if (!context.presenting) {
    area.cut_top(10);
    picture = {.band = share};
  }
  if (!picture.fit)
    picture.fit = [](const Arrangement& one, const Story&) {
      return PictureFit{.pitch = std::min(one.picture.w / 2, one.picture.h)};
    };
  const Arrangement arrangement = arranged(context, area, story, picture);
  area = arrangement.picture;
  if (!context.presenting) context.ui.canvas().fill({area.x, area.y, area.w, 1}, context.ui.theme().line);
  draw_arranged(context, arrangement, story);
}

}  // namespace headlight
