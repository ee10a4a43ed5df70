// A lecture: setups with a story. Read from Markdown by formats/lecture_file.hpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/model/cell.hpp"
#include "core/model/setup.hpp"

namespace headlight {

/// Where a fact was printed.
enum class FactOrigin : std::uint8_t {
  notebook,  ///< the document that the lecture follows
  library,   ///< the real NumPy or PyTorch, run with the lecture's setup
};

/// Something that was printed and that the trace must show again: a shape, or values to a number of decimals.
struct Fact {
  TensorId tensor = TensorId::output;
  FactOrigin origin = FactOrigin::notebook;
  std::optional<Shape> printed_shape;  ///< shape facts
  Shape at;                            ///< value facts: leading indices of the printed block; empty: the whole tensor
  Shape values_shape;                  ///< value facts: extents of the printed block, as it is printed
  std::vector<double> values;          ///< row-major, as printed
  int decimals = 0;
  /// Empty, or why nobody can compare it: "printed without a seed".
  std::string not_reproducible;

  bool is_shape() const { return printed_shape.has_value(); }
};

/// One setup of a lecture. Most lectures have a single part.
struct Part {
  std::string id;     ///< "main" for the first
  std::string title;  ///< what the setup is called
  Setup setup;
  std::vector<Fact> facts;
};

struct Step {
  std::string title;
  std::string narration;  ///< Markdown
  std::string code;       ///< the lines of code that do it; may be empty
  std::size_t part = 0;   ///< index into Lecture::parts
  Cell look_at;           ///< the cell the step selects; its tensor is what the step points at
  std::string view;       ///< "pipeline", "heads", "tokens"; empty: whichever is open
};

struct Lecture {
  std::string id;  ///< the file's name without ".md"
  std::string title;
  std::string source;  ///< the document it follows, in words
  std::vector<Part> parts;
  std::vector<Step> steps;
};

}  // namespace headlight
