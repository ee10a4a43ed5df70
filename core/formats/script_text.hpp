// The vocabulary that the parts of a generated script share. Internal to script*.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/formats/script.hpp"
#include "core/names.hpp"
#include "core/setup.hpp"

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

}  // namespace headlight::script_text
