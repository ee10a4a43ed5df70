// The vocabulary that the parts of a generated script share. Internal to script*.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/formats/script/script.hpp"
#include "core/model/names.hpp"
#include "core/model/setup.hpp"

namespace headlight::script_text {

/// What a script is written for; lives as long as the call that writes it.
struct Job {
  const Setup& setup;
  Framework framework;

  bool in_torch() const { return framework == Framework::torch; }
  bool draws_in_torch() const { return setup.random.generator == GeneratorKind::torch; }
  bool is_float32() const { return setup.attention.precision == Precision::float32; }
  bool has_groups() const { return setup.kv_heads() != setup.sizes.heads; }
  bool is_masked() const { return !setup.mask.kinds.empty(); }
  bool has_dropout() const { return setup.attention.dropout > 0; }
};

/// A line of Python and what stands in the comment behind it.
struct Line {
  std::string code;
  std::string comment;
};
using Lines = std::vector<Line>;

/// A heading comment and lines whose comments stand below each other.
std::string paragraph(std::string_view heading, const Lines& lines);

/// The text as one line that stays inside its comment, whatever is in it: no controls, and nothing but UTF-8.
std::string in_comment(std::string_view text);

/// Items between brackets: on one line after `before` where they fit, on indented lines of their own otherwise.
std::string bracketed(std::string_view before, const std::vector<std::string>& items, std::string_view after);

/// Extents as Python expressions, outermost first: {"batch", "query_length", "d_model"}.
using Extents = std::vector<std::string>;

/// The script's expression for the extent of an axis.
std::string extent(Axis axis, const Job& job);
Extents extents(TensorId id, const Job& job);
/// "(batch, query, d_model)", for comments.
std::string shape_words(TensorId id, const Job& job);

/// A Python float: "2.0", "1e-05", "0.1"; reads back as the same double.
std::string number(double value);

/// The draws, in the setup's order, after zeros for whatever no draw fills as a whole first.
std::string draws(const Job& job);

/// The tensors by name; and what becomes of them: printed, or compared with an archive.
std::string collection(const Job& job);
std::string print_or_compare(const Job& job);

}  // namespace headlight::script_text
