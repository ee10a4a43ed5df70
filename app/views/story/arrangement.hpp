// Where a story's words and its picture share an area.
//
// Folded words are a line above the picture. Others are in a band above it or in a column at its left, or beside a
// product in the quadrant that its operands leave empty. On a slide they are above or beside the picture.
//
// The rules, the strongest first:
//  1. The picture keeps 41 % of the height of the area, which is a third of a slide.
//  2. All the words show, and every cell of a matrix that is small enough to be read has room for its number. For that,
//     things give way one after the other (Concession): first what only takes another form or place, then the code,
//     then the size of the type, then the question once it is answered. Readable cells have room for as many digits as
//     tell numbers apart, and for the decimals that a step chooses; where nothing else helps, they have room for fewer.
//  3. If that is not enough, a slide shows a single row of the result. If even that is not enough, the words scroll.
//  4. Nothing gives way in vain, and the code comes back only with the type in its usual size.
//  5. Words are in the quadrant if they fit there, without their code or in smaller type if need be: it is empty
//     without them, so they take no room from the picture. Else they are where the cells are largest, and then where
//     their lines are longest.
//  6. Cells are comfortable to read, rather than just readable, where only forms have to change for it.
//  7. In the window a question has room from the start for its hint, for what is said about a wrong guess, and for its
//     answer, if the picture can afford it (RoomFor).
//
// An arrangement is kept until sizes, words or labels change (ArrangementKey). Numbers take part in it, but only when
// it is made: nothing jumps while the user drags a slider.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/session/display/display.hpp"
#include "app/session/state/lesson_state.hpp"
#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"
#include "app/views/story/draw_story.hpp"
#include "app/views/story/story.hpp"
#include "app/views/tensors/picture_fit.hpp"
#include "core/model/setup.hpp"

namespace headlight {

/// `none`: a picture that is taken away has no words.
enum class WordsAt : std::uint8_t { none, line, band, column, quadrant, above, beside };

/// What gives way, in this order.
enum class Concession : std::uint8_t {
  labels,       ///< labels of columns have one line: the token without its index
  buttons,      ///< a question's buttons share a line with its choices or its answer
  rows,         ///< the rows of a product's result leave more height to the words above them
  code_lines,   ///< lines of code continue on the next line
  code_place,   ///< the code is below the picture instead of below the words; on a slide, the other way round
  code,         ///< the code is left out; it shows over the picture on request
  medium_type,  ///< the words are smaller
  small_type,   ///< and smaller still
  goals,        ///< what the lecture is for, below its first words, is left out
  heads,        ///< the column of all heads is left out
  question,     ///< a question that has its answer takes a single line; the words about a first guess replace the hint
  asked,        ///< an answered question's words are left out, unless they fit on one line
  one_row,      ///< a slide shows only the lit row of the result, and what it is computed from
};

/// How well the cells must be read, and what gives way for it.
struct Rung {
  Cells cells = Cells::comfortable;
  bool in_quadrant = false;  ///< the words may be nowhere else
  unsigned given = 0;        ///< a bit for each concession

  bool gives(Concession concession) const { return (given & bit(concession)) != 0; }
  Rung with(Concession concession) const { return {cells, in_quadrant, given | bit(concession)}; }
  Rung without(Concession concession) const { return {cells, in_quadrant, given & ~bit(concession)}; }
  StoryType type() const;

 private:
  static unsigned bit(Concession concession) { return 1U << static_cast<unsigned>(concession); }
};

struct Arrangement {
  WordsAt at = WordsAt::none;
  StoryForm form = StoryForm::words;
  Rung rung;
  Rect story;
  Rect picture;
  Rect code;  ///< below the picture; empty where it is below the words
};

/// What a picture says about itself, so that words can be put beside it.
struct ArrangedPicture {
  /// How well it can be read in `arrangement.picture`. Where the words are in its quadrant, puts that into
  /// `arrangement.story`.
  std::function<PictureFit(Arrangement& arrangement, const Story& story)> fit = {};
  bool has_quadrant = false;
  bool has_rows = false;  ///< it can show one row of its result alone
  float band = 0;         ///< if not 0, words in the window are above it, with at most this share of the height
  float beside = 0;       ///< the width of a column at its right that gives way late
  std::vector<Index> depends_on = {};  ///< what decides how large its parts are, besides setup, step and tensor
};

/// Everything that an arrangement depends on.
struct ArrangementKey {
  View view = View::pipeline;
  Rect area;
  float scale = 1;
  bool presenting = false;
  bool wordless = false;
  LectureStep step;
  TensorId tensor = TensorId::X;
  std::vector<bool> story;  ///< which of its parts show
  /// What has been said to the question.
  struct Said {
    bool hint = false, missed = false, about_miss = false, shown = false, wrong = false, end = false;
    friend bool operator==(const Said&, const Said&) = default;
  } said = {};
  std::string outline;  ///< the words of a stage without a lecture, without their numbers
  Sizes sizes;
  TokenAxis token_axis = TokenAxis::rows;
  std::size_t labels = 0;  ///< a hash of the tokens and features
  std::vector<Index> picture;

  friend bool operator==(const ArrangementKey&, const ArrangementKey&) = default;
};

/// For which words of a question there is room: for those that show, for all until its answer, or for the answer, too.
enum class RoomFor : std::uint8_t { shown, tries, answer };

struct KeptArrangement {
  std::optional<ArrangementKey> key;
  Arrangement arrangement;
  RoomFor room = RoomFor::shown;
};

/// The arrangement of story and picture in an area: the one that is kept, or another one where something changed that
/// it depends on.
Arrangement arranged(ViewContext& context, const Rect& area, const Story& story, const ArrangedPicture& picture);

/// Draws the words of an arrangement.
void draw_arranged(ViewContext& context, const Arrangement& arrangement, const Story& story);

/// Whether the picture that was drawn last left out the code.
bool leaves_out_code(const ViewContext& context);

/// Takes the code of a slide that has no words off the area and draws it.
void cut_slide_code(ViewContext& context, Rect& area);

/// For the other views: takes the lecture's step off the area and draws it. In the window it is a band, at most `share`
/// of the height; on a slide it is above or beside the picture. Does nothing without a lecture, except on a slide.
void cut_lecture_story(ViewContext& context, Rect& area, float share, ArrangedPicture picture = {});

}  // namespace headlight
