// A small language for numbers in the words and questions of a lecture. It reads like Python:
//
//   weights[0,1,2,0]              one number of the trace
//   L1.weights[0,1,2,0]           the same in layer 1; without a layer it is layer 0's, or the model's only one
//   weights[0,1,2]  W_q[:, 0:4]   a part of a tensor, in NumPy's notation
//   X[0,-1]                       negative indices count from the end
//
//   max min sum mean std norm     of an array, or of several numbers: max(weights[0,1,2])
//   entropy                       the same, in bits
//   argmax argmin                 the index of the largest or smallest number, counted through the array
//   dot cos                       of two arrays of equal length: dot(Q[0,1], K[0,2])
//   diagonal                      of a matrix; diagonal(a, 1) is the one to its right
//   sqrt abs exp log              of a number, or of each number of an array
//   round                         the same; round(x, 2) to two decimals
//
//   V_heads[0,1,2] @ W_o[0:64]    the product of vectors and matrices
//   + - * / // % **               of numbers, of arrays of the same shape, of a number and an array
//   < <= > >= == !=               1 where it holds, else 0
//   and or not
//   a if condition else b
//
//   part(L1.scores[0,0,9,4], "embed", "L0H1")    what two sources give to a score, or part(logits[0,3], "L0H1") one
//                                 to a logit, by the names of core/composition; of all queries: part(L1.scores[0,0],
//                                 ...)
//
//   token(2) key_token(0) feature(3) head_name(1)    the setup's labels
//   "text" 'text'
//   heads kv_heads d_model d_head batch query_length key_length temperature scale    the setup's numbers
//   was(max(weights))             the same in the state before, where a step compares
//   yours(sum(weights[0,1,2]))    the same in the work with a mistake that the step checks
//   guess answer                  in the words of a question: indices or numbers, as its answer gives them
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/model/array_part.hpp"
#include "core/model/trace.hpp"

namespace headlight {

/// The value of an expression: a number, a text, or an array of one axis or more. An array is a window on a tensor of
/// the trace, which is never copied, or holds numbers that the expression has computed.
using Value = std::variant<double, std::string, Tensor>;

/// How much the numbers of a step may compute together, in steps: reading or making a number is one.
class Work {
 public:
  static constexpr int most = 1 << 27;        ///< about half a second: a user waits that long for words
  static constexpr int in_a_frame = 1 << 21;  ///< a few milliseconds

  explicit Work(int steps = most) : steps_(steps), left_(steps) {}
  /// Takes so many steps off. Throws InputError where no more are left.
  void take(double steps);
  /// Whether more was wanted than there was.
  bool ran_out() const { return left_ < 0; }

 private:
  int steps_;
  double left_;
};

/// The numbers that an expression can read.
struct Scope {
  const ModelTrace& model;
  const ModelTrace* before = nullptr;  ///< the state that was() is about; null where there is none
  std::optional<double> guess = {};
  std::optional<double> answer = {};
  const Trace* yours = nullptr;  ///< the work that yours() is about, of layer 0; null where there is none
  Work* work = nullptr;          ///< what all texts and numbers may compute together; null: each by itself

  const Setup& setup() const { return model.first().setup; }
};

/// The format of a number: Python's format specs .Nf .Ne .Ng .N% d, with + for a sign that is always there and a comma
/// for thousands: ,d is 333,833,500.
struct LiveFormat {
  char kind = 0;  ///< f, e, g, % or d; 0: up to four digits that matter
  int decimals = 6;
  bool sign = false;
  bool thousands = false;
};

/// Reads a format, ".1%". Throws InputError with what was found and what is allowed.
LiveFormat parse_live_format(std::string_view text);

/// An expression, read and ready to be evaluated. Whether its tensors and indices exist shows when it is evaluated.
class Expression {
 public:
  /// Throws InputError with what was found and what is allowed.
  explicit Expression(std::string_view text);

  const std::string& text() const;
  /// Throws InputError if there is no such tensor, index, state or label, if shapes do not fit, and if argmax or argmin
  /// has no single answer because two numbers are the same; also where Python does: for a division by 0, the logarithm
  /// of 0 or a root of a negative number; and if it computes too much.
  Value value(const Scope& scope) const;
  Value value(const Scope& scope, Work& work) const;
  /// The same for an expression that must give a number.
  double number(const Scope& scope) const;

  /// A tensor that the expression reads in the present state, or a part of it; empty: all of it.
  struct Reading {
    TensorId tensor = TensorId::X;
    ArrayPart part;
    Index layer = 0;  ///< as the expression names it
  };
  /// Of a part whose indices are computed the whole tensor.
  const std::vector<Reading>& readings() const;

  /// Whether it reads the work with a mistake, where numbers may be NaN because of it.
  bool reads_yours() const;

  /// The operations in the order in which they are carried out, each after its operands. There is no tree, so nothing
  /// nests more deeply where an expression is longer.
  struct Program;

 private:
  std::shared_ptr<const Program> program_;
};

/// The text between braces in the words: an expression, and its format behind a colon.
struct LiveNumber {
  /// "max(weights[0,1,2]):.1%". Throws InputError with what was found and what is allowed.
  static LiveNumber parse(std::string_view text);
  /// Throws InputError as Expression::value does, and where the value is an array.
  std::string words(const Scope& scope) const;
  std::string words(const Scope& scope, Work& work) const;

  Expression expression;
  LiveFormat format;
};

/// The number as words hold it: with a minus sign in place of a hyphen, and a narrow space before "%".
std::string to_string(double number, const LiveFormat& format);

}  // namespace headlight
