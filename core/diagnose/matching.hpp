// Which of somebody's arrays is which tensor.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/compute/workspace.hpp"
#include "core/diagnose/agreement.hpp"
#include "core/diagnose/layout.hpp"
#include "core/diagnose/report.hpp"
#include "core/model/trace.hpp"

namespace headlight {

struct Match {
  TensorId tensor = TensorId::X;
  std::string yours;
  Shape shape;             ///< as handed over
  Theirs theirs;           ///< in the axes of the names table
  bool exchanged = false;  ///< its shape fits only where batch items and positions have changed places
};

struct Matches {
  std::vector<Match> matches;  ///< in the order of TensorId, each tensor once
  std::vector<std::string> unrecognised;
};

/// Whether both take the same numbers of the same arrays for the same tensors.
bool same_matches(const Matches& a, const Matches& b);

/// The conventions that a file may follow, most likely first: those that the shapes and values of its arrays show. If
/// they show none, the setup's own before the names table's.
std::vector<ArrayLayout> likely_layouts(const Trace& ours, std::span<const GivenArray> arrays,
                                        const Tolerance& tolerance, Workspace& workspace);

/// Matches arrays with the tensors of a trace: by hand, by their usual names, by shape, and, if the name is not known,
/// by value. A single array with an unknown name is the output if its shape allows it. An array that does not fit the
/// layout may have the other one.
///
/// Throws InputError naming `source` if a name given by hand does not exist, a recognised array has another shape, or
/// nothing is recognised.
Matches match(const Trace& ours, std::span<const GivenArray> arrays, const ArrayLayout& layout, const Naming& by_hand,
              const Tolerance& tolerance, const std::string& source, Workspace& workspace);

}  // namespace headlight
