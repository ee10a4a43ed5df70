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
#include <vector>

#include "core/lecture/value.hpp"
#include "core/model/array_part.hpp"
#include "core/model/trace.hpp"

namespace headlight {

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

 private:
  struct Read;
  std::shared_ptr<const Read> read_;
};

}  // namespace headlight
