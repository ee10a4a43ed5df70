// A question of a lecture: the learner predicts before the numbers show. Its answer is computed from the trace, so that
// it stays right when the setup changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/lecture/live_number.hpp"
#include "core/lecture/live_text.hpp"
#include "core/model/array_part.hpp"
#include "core/model/cell.hpp"

namespace headlight {

/// A tensor, or a part of it.
struct TensorPart {
  TensorId tensor = TensorId::X;
  ArrayPart part;  ///< empty for the whole tensor
  Index layer = 0;
};

struct Question {
  enum class Kind : std::uint8_t {
    cell,    ///< one of the cells of a part of a tensor; the answer is its index in the part, counted through it
    row,     ///< one of the rows of a part; the answer is the row's index
    choice,  ///< one of several texts; the answer is the index of one, or its text
    number,  ///< a number; the answer is right within a tolerance
    find,    ///< one of the cells of a part, as for a cell, but their numbers show: the reader finds it among them
    order,   ///< several texts to be put in order; the answer and a guess are an arrangement as one number
    draw,    ///< a row of weights, drawn as bars; the answer is that row, and it and a guess are shares as one number
  };
  Kind kind = Kind::choice;
  LiveText ask;                      ///< Markdown, as all its words but the choices
  TensorId tensor = TensorId::X;     ///< of a cell, a row, a cell to find, or a row to draw
  Index layer = 0;                   ///< of the tensor
  ArrayPart among;                   ///< of these: the part of the tensor
  std::vector<LiveText> choices;     ///< of a choice or an order: labels, as they are written
  std::vector<std::size_t> order;    ///< of these: which of them is offered in each place; empty: as written
  std::vector<Expression> sizes;     ///< of an order: what each is ordered by, the smallest first
  std::vector<TensorPart> hides;     ///< other cells that would give the answer away, hidden until it shows
  double within = 0;                 ///< of a number, or of each share of a row
  std::optional<LiveFormat> format;  ///< of a number: how it is written; none: with the digits that `within` allows
  Expression answer = Expression("0");
  LiveText hint;   ///< may be empty
  LiveText right;  ///< why the answer is right; may be empty
  /// One of several choices.
  struct Choice {
    std::string label;    ///< its words; of a cell or a row those beside it in the picture: "sat", "q2, d1"
    std::string indices;  ///< of a cell or a row its bare indices, another name for it in a file: "2, 1"

    bool is_called(std::string_view name) const { return name == label || (!indices.empty() && name == indices); }
  };
  struct Wrong {
    /// The label or the indices of a choice, as choices_of() gives it; of an order what the guess puts first, of a row
    /// what it gives most. Empty: every other.
    std::string choice;
    LiveText words;
  };
  std::vector<Wrong> wrong;            ///< why a guess is wrong; may be empty
  std::vector<std::string> set;        ///< assignments: showing the answer changes these settings first
  std::optional<Setup> changed_setup;  ///< the step's setup with them; none where there are none
  int line = 0;                        ///< of its block in the file; 0 where it is not known

  /// Whether the answer is one of several choices, and neither typed nor made from several parts.
  bool is_chosen() const {
    return kind == Kind::cell || kind == Kind::row || kind == Kind::choice || kind == Kind::find;
  }
  /// Whether the answer is a share that people type in percent.
  bool is_percentage() const { return format && format->kind == '%'; }
};

/// Whether the answer is chosen in the picture.
constexpr bool is_pointed_at(Question::Kind kind) {
  return kind == Question::Kind::cell || kind == Question::Kind::row || kind == Question::Kind::find;
}

/// The cells that are chosen among, of a question about cells or rows. Empty where the setup has no such part.
std::vector<Cell> cells_of(const Question& question, const Setup& setup);

/// The parts of a tensor of the setup's layer that are hidden until the answer shows, and whether a cell is in one.
/// Each part has a cell. A question about cells or rows hides what is chosen among, unless they are to be found.
std::vector<AxisRanges> hidden_parts_of(const Question& question, TensorId tensor, const Setup& setup);
bool hides(const Question& question, const Cell& cell, const Setup& setup);

/// The choices, or what is to be put in order. Their words have their live numbers. Empty for a number.
std::vector<Question::Choice> choices_of(const Question& question, const Scope& scope);
/// Their labels alone.
std::vector<std::string> labels_of(const Question& question, const Scope& scope);

/// Which choice is offered in each place, for this many choices. Guesses and answers count them as they are written.
std::vector<std::size_t> order_of(const Question& question, std::size_t count);

/// An order that follows from these words alone, so that everybody in a room has the same.
std::vector<std::size_t> shuffled_order(std::size_t count, std::string_view words);

/// The parts of a tensor in which the answer is marked: those that are hidden, and cells to be found.
std::vector<AxisRanges> marked_parts_of(const Question& question, TensorId tensor, const Setup& setup);

/// The choice that a cell belongs to, from 0; none if it belongs to none.
std::optional<std::size_t> choice_at(const Question& question, const Cell& cell, const Setup& setup);

/// Whether the cell is one that the question asks for: among those that it hides, or read by its answer.
bool asks_for(const Question& question, const Cell& cell, const Setup& setup);

/// The answer: the position of a choice, or a number. Throws InputError if there is not exactly one.
double answer_of(const Question& question, const Scope& scope);

/// Which item an arrangement of so many has in each place, and the number that stands for it as a guess.
std::vector<std::size_t> arrangement_of(double guess, std::size_t count);
double guess_of(const std::vector<std::size_t>& arrangement);

/// The most keys of a row that is to be drawn.
inline constexpr std::size_t most_drawn = 8;

/// The shares of a row of so many, in steps of 2 %, and the number that stands for them as a guess. They are 1
/// together.
std::vector<double> row_of(double guess, std::size_t count);
double guess_of_row(const std::vector<double>& shares);

/// A row of 1 in which this share is another one, and the others give way in proportion.
std::vector<double> with_share(std::vector<double> shares, std::size_t which, double share);

/// The row that is to be drawn.
std::vector<double> row_to_draw(const Question& question, const ModelTrace& model);

/// Wrong guesses: every wrong choice; of a number one too small and one too large; of an order one with each item
/// first; of a row one with all of it in each place. `scope` has the answer.
std::vector<double> wrong_guesses(const Question& question, const Scope& scope);

/// A choice, an arrangement or a row in words: "sat", "a, b, c", or "The 26 %, cat 74 %".
std::string words_of_choice(const Question& question, double choice, const Scope& scope);

/// Whether a guess is right.
bool is_right(const Question& question, double guess, double answer);

/// A number as an answer, with the digits that matter: "33 %".
std::string words_of_number(const Question& question, double answer);
/// A number as the user has typed it: all its digits, in percent where the answer is a percentage.
std::string words_of_typed(const Question& question, double guess);

/// What this typed text guesses: "0,5", "33 %", or where the answer is a percentage "33"; none if it is not a
/// number.
std::optional<double> typed_guess(const Question& question, std::string_view typed);

/// Whether words about a wrong guess tell the answer, so that they must wait for it: they name the choice that is
/// right, or hold its number. `scope` has the answer.
bool gives_away(const Question& question, const LiveText& words, const Scope& scope);

/// The words for a wrong guess; empty where there are none.
const LiveText& words_for_wrong(const Question& question, double guess, const Setup& setup);

}  // namespace headlight
