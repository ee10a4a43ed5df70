// The words of the Python that stages write: lines with comments, and how a setup's sizes and shapes read there.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/names.hpp"
#include "core/model/setup.hpp"

namespace headlight {

/// The library that a program computes with.
enum class Framework : std::uint8_t { numpy, torch };

/// A line of Python and the comment behind it.
struct CodeLine {
  std::string code;
  std::string comment;
  /// It only writes down what the setup says, such as the pairs that a mask blocks. A picture shows the others.
  bool is_setting = false;
};
using CodeLines = std::vector<CodeLine>;

/// What lines are written for; lives as long as the call that writes them.
struct Code {
  const Setup& setup;
  Framework framework = Framework::numpy;

  bool in_torch() const { return framework == Framework::torch; }
  bool draws_in_torch() const { return setup.random.generator == GeneratorKind::torch; }
  bool is_float32() const { return setup.attention.precision == Precision::float32; }
  bool has_groups() const { return setup.kv_heads() != setup.sizes.heads; }
};

/// Items between brackets: on one line after `before` where they fit, on indented lines of their own otherwise.
std::string bracketed(std::string_view before, const std::vector<std::string>& items, std::string_view after);

/// The expression for the extent of an axis: "query_length", "heads * d_head".
std::string extent_code(Axis axis, const Code& code);
/// Those of a tensor, outermost first: {"batch", "query_length", "d_model"}.
std::vector<std::string> extents_code(TensorId id, const Code& code);
/// "(batch, query, d_model)", for comments.
std::string shape_words(TensorId id, const Code& code);
/// The exchange of two axes, in the framework's word: ".swapaxes(1, 2)".
std::string swapped(const Code& code, int a, int b);

/// K_heads or V_heads with an entry for each query head, where neighbouring ones share one.
std::string for_each_query_head(const Code& code, TensorId heads);

}  // namespace headlight
