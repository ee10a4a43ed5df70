// Helpers for the Python that stages write: lines with comments, and a setup's sizes and shapes as Python.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/names.hpp"
#include "core/model/setup.hpp"

namespace headlight {

/// The library that the Python program computes with.
enum class Framework : std::uint8_t { numpy, torch };

/// A line of Python and the comment after it.
struct CodeLine {
  std::string code;
  std::string comment;
  /// The line only states a value of the setup, such as the pairs that a mask blocks. Pictures leave such lines out.
  bool is_setting = false;
};
using CodeLines = std::vector<CodeLine>;

/// The setup and library that lines are written for. Holds a reference: valid only during the call that writes them.
struct Code {
  const Setup& setup;
  Framework framework = Framework::numpy;

  bool in_torch() const { return framework == Framework::torch; }
  bool draws_in_torch() const { return setup.random.generator == GeneratorKind::torch; }
  bool draws_with_rng() const { return setup.random.generator == GeneratorKind::numpy_rng; }
  bool is_float32() const { return setup.attention.precision == Precision::float32; }
  bool has_groups() const { return setup.kv_heads() != setup.sizes.heads; }
  /// Whether keys are counted apart from queries.
  bool has_key_length() const { return setup.is_cross() || setup.past() > 0; }
};

/// A list of items between brackets, after `before`: on one line if they fit, otherwise on indented lines of their own.
std::string bracketed(std::string_view before, const std::vector<std::string>& items, std::string_view after);

/// The Python expression for the extent of an axis: "query_length", "heads * d_head".
std::string extent_code(Axis axis, const Code& code);
/// The expressions for all extents of a tensor, outermost first: {"batch", "query_length", "d_model"}.
std::vector<std::string> extents_code(TensorId id, const Code& code);
/// A tensor's shape in words, for comments: "(batch, query, d_model)".
std::string shape_words(TensorId id, const Code& code);
/// The expression for the positions on an axis of queries, keys, or positions of X: "np.arange(query_length)",
/// (position,). If they count from the first token that isn't padding, they are (batch, position), and read what
/// padding_code assigns.
std::string positions_code(Axis axis, const Code& code);
bool counts_padding(Axis axis, const Setup& setup);
CodeLines padding_code(const Code& code);
/// The call that exchanges two axes in the library's words: ".swapaxes(1, 2)".
std::string swapped(const Code& code, int a, int b);

/// The expression for K_heads or V_heads with one entry per query head: entries shared by several query heads are
/// repeated.
std::string for_each_query_head(const Code& code, TensorId heads);
/// The reverse, for an expression with one entry per query head: the entries that share a key and value head, added up.
std::string sum_of_sharing_heads(const Code& code, const std::string& product);

}  // namespace headlight
