// A lecture: setups with a story. Read from Markdown by core/formats/lecture/lecture_file.hpp.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/lecture/expression.hpp"
#include "core/lecture/live_text.hpp"
#include "core/lecture/question.hpp"
#include "core/model/cell.hpp"
#include "core/model/names.hpp"
#include "core/model/setup.hpp"
#include "core/model/shape.hpp"

namespace headlight {

/// Where a fact was printed.
enum class FactOrigin : std::uint8_t {
  notebook,  ///< the document that the lecture follows
  library,   ///< the real NumPy or PyTorch, run with the lecture's setup
};

/// Something that was printed and that the trace must reproduce: a shape, or values to a number of decimals.
struct Fact {
  TensorId tensor = TensorId::output;
  Index layer = 0;
  FactOrigin origin = FactOrigin::notebook;
  std::optional<Shape> printed_shape;  ///< in shape facts
  Shape at;                    ///< in value facts: leading indices of the printed block; empty: the whole tensor
  Shape values_shape;          ///< in value facts: extents of the values, as printed
  std::vector<double> values;  ///< row-major, as printed
  int decimals = 0;
  /// Why the fact cannot be compared, "printed without a seed"; empty if it can.
  std::string not_reproducible;

  bool is_shape() const { return printed_shape.has_value(); }
};

/// One setup of a lecture. Most lectures have a single part.
struct Part {
  std::string id;     ///< "main" for the first
  std::string title;  ///< the name of the setup
  Setup setup;
  std::vector<Fact> facts;
};

/// The labels beside the rows or above the columns of a matrix.
struct AxisWords {
  enum class Kind : std::uint8_t {
    automatic,  ///< words and positions, or the words alone
    words,      ///< the words alone: "sat"
    positions,  ///< the positions alone: "q2"
    own,        ///< words of the step's own
  };
  Kind kind = Kind::automatic;
  std::vector<std::string> own = {};  ///< one for each index

  friend bool operator==(const AxisWords&, const AxisWords&) = default;
};

/// Rows that follow each other.
struct RowRange {
  Index first = 0;
  Index count = 0;

  bool has(Index row) const { return row >= first && row < first + count; }
  friend bool operator==(const RowRange&, const RowRange&) = default;
};

/// What a step chooses about its matrix: rows, rounding and labels. The room on the screen decides about the rest.
struct MatrixChoices {
  std::optional<RowRange> rows = {};  ///< only these show at first; the person can zoom out
  std::optional<int> decimals = {};   ///< of every number in the picture
  AxisWords row_words = {};
  AxisWords column_words = {};
  bool alone = false;          ///< without what it is made from, so that its cells are large
  bool marks_changed = false;  ///< once the answer shows, the rows that it has changed have a bar

  friend bool operator==(const MatrixChoices&, const MatrixChoices&) = default;
};

inline constexpr int most_chosen_decimals = 6;

/// Words in a row as one reads them, their features below, then the numbers of one query, and how it blends the words.
/// The query is the row of the step's cell.
struct SentencePicture {
  /// Two states: that of the step's part above, and upside down below it that of the step, so that equal numbers are
  /// side by side.
  bool mirrored = false;
  std::vector<Index> features;  ///< of X: a row for each
  std::vector<TensorId> rows;   ///< of the query, from queries to keys: scores, weights
  bool blend = true;            ///< the query's row of the output, in the same features
};

/// Numbers of the trace as functions of a number of the setup.
struct CurvePicture {
  struct Line {
    std::string label;
    Expression value = Expression("0");
    std::optional<Setup> setup = {};  ///< of this line alone; none: the one that is shown
  };
  std::string play;  ///< the number and its range: "temperature=0.1..1e6"
  std::vector<Line> lines;

  /// Whether each line is of a setup of its own. Then a question may ask which is which: the lines show, and not their
  /// names.
  bool compares_setups() const { return !lines.empty() && lines.front().setup.has_value(); }
};

/// Rows of tensors as arrows in the plane of two features.
struct ArrowsPicture {
  std::vector<TensorId> tensors;  ///< one: each of its rows; two: the query's row of the first, rows of the second
  std::array<Index, 2> pair{0, 1};
  std::vector<Index> rows;  ///< of the only or the second tensor; empty: all
};

/// How the step's tensor is made, as boxes with names and shapes.
struct ShapesPicture {};

/// The step's score or logit, taken apart by who wrote it.
struct SourcesPicture {};

/// All scores of its head, or all logits, taken apart by who wrote them.
struct HeadSourcesPicture {};

/// What a step shows in place of a view: a picture that is made for what the step says. Its numbers are those of the
/// trace.
using StepPicture =
    std::variant<SentencePicture, CurvePicture, ArrowsPicture, ShapesPicture, SourcesPicture, HeadSourcesPicture>;

inline constexpr std::array<std::string_view, 7> picture_kinds{"sentence", "mirror",  "curve",       "arrows",
                                                               "shapes",   "sources", "head_sources"};

/// Parts of the workbench that a lesson opens beside a step's picture, because its words need them.
struct ShownParts {
  bool map = false;
  bool inspector = false;
  std::vector<std::string> setup = {};  ///< groups of the setup's keys: "mask"

  bool beside() const { return inspector || !setup.empty(); }
  friend bool operator==(const ShownParts&, const ShownParts&) = default;
};

/// What the reader writes in Python: the step's template computes all that comes before the one tensor, and the reader
/// hands in the other. Each is computed, and `to` is no earlier than `from`.
struct Practice {
  TensorId from = TensorId::weights;
  TensorId to = TensorId::weights;
};

struct Step {
  std::string title;
  LiveText narration;
  std::string code;                         ///< the lines of code of what the step explains; may be empty
  std::size_t part = 0;                     ///< index into Lecture::parts
  Cell look_at;                             ///< the cell that the step selects; the step points at the cell's tensor
  std::string view;                         ///< "pipeline", "heads", "tokens", "learn"; empty: keeps the open view
  std::optional<StepPicture> picture = {};  ///< shown in place of a view
  std::vector<std::string> set =
      {};  ///< assignments, "attention.scale=none": what this step changes in its part's setup
  std::optional<Setup> changed_setup = {};  ///< the part's setup with `set`; none where nothing is set
  std::string mistake = {};  ///< a known mistake, by name: the step checks work that has it; may be empty
  bool compare = false;      ///< shows the step's setup beside its part's
  MatrixChoices matrix = {};
  ShownParts shows = {};
  std::optional<Question> question = {};
  std::optional<Practice> practice = {};
  LiveText more = {};                     ///< for who learns alone and asks for more; may be empty
  double minutes = 0;                     ///< how long it takes in front of a class; 0: its share of the lecture's
  LiveText notes = {};                    ///< for the speaker alone
  int line = 0;                           ///< of the heading in the file, counted from 1; 0 where it is not known
  std::vector<int> narration_lines = {};  ///< the line in the file of each line of the narration
};

/// The lists of lectures: those for beginners, those that follow a published document, and all others.
enum class LectureGroup : std::uint8_t { course, notebook, own };
inline constexpr std::array lecture_groups{LectureGroup::course, LectureGroup::notebook, LectureGroup::own};

/// The words above a list.
constexpr std::string_view title_of(LectureGroup group) {
  constexpr std::array<std::string_view, lecture_groups.size()> titles{"The course", "Follow your notebook",
                                                                       "Your lectures"};
  return titles[static_cast<std::size_t>(group)];
}

/// Where a lecture is in the list of lectures.
struct ListPosition {
  LectureGroup group = LectureGroup::own;
  double order = std::numeric_limits<double>::infinity();  ///< in the list; those without one come last

  friend auto operator<=>(const ListPosition&, const ListPosition&) = default;
};

struct Lecture {
  std::string id;  ///< the file's name without ".md"
  std::string title;
  std::string folder = {};  ///< of its file, where its arrays are; empty: it has none
  ListPosition list_position = {};
  std::string source;                           ///< the document that the lecture follows, in words
  std::string in_short = {};                    ///< what it is about, in half a line of a list; may be empty
  std::vector<std::string> goals = {};          ///< abilities afterwards, a sentence each
  std::vector<std::string> prerequisites = {};  ///< required knowledge, in words
  Index minutes = 0;                            ///< how long it takes in front of a class; 0: unknown
  std::vector<Part> parts;
  std::vector<Step> steps;

  /// Whether it can be listed but not shown yet: it has no setups, and of each step only the title and whether it asks.
  bool is_outline() const { return parts.empty() && !steps.empty(); }

  /// The setup that a step shows: its part's, or that with what the step sets.
  const Setup& setup_of(const Step& step) const {
    return step.changed_setup ? *step.changed_setup : parts[step.part].setup;
  }
};

}  // namespace headlight
