// Which of the arrays that were handed over is which tensor.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/compute/workspace.hpp"
#include "core/diagnose/arrays/agreement.hpp"
#include "core/diagnose/arrays/digits.hpp"
#include "core/diagnose/arrays/layout.hpp"
#include "core/diagnose/arrays/report.hpp"
#include "core/model/names.hpp"
#include "core/model/trace.hpp"

namespace headlight {

struct Match {
  TensorId tensor = TensorId::X;
  std::string yours;
  Shape shape;    ///< as handed over
  Theirs theirs;  ///< in the axes of the names table
  KnownBy by = KnownBy::name;
  bool exchanged = false;   ///< its shape fits only where batch items and positions have changed places
  std::string axes = {};    ///< those that it has, where they are not those of the names table
  bool transposed = false;  ///< its last two axes have changed places
  bool renamed = false;     ///< its name means another tensor, but its numbers are this one's
};

/// The evidence that decides which tensor a known name is.
enum class Evidence : std::uint8_t {
  names,        ///< its name, where the shape allows it
  numbers,      ///< the tensor that it equals; its name, where it equals none
  rotated,      ///< so, but queries and keys are those that were rotated or normed under the same name
  unprojected,  ///< so, but the output is what was not projected yet
};

struct Matches {
  std::vector<Match> matches;  ///< in the order of TensorId, each tensor once
  std::vector<Doubt> doubts;
  std::vector<std::string> unrecognised;
  std::vector<std::string> notes;  ///< why an array was left out
};

/// Whether both take the same numbers of the same arrays for the same tensors.
bool same_matches(const Matches& a, const Matches& b);

/// The conventions that a file may follow, most likely first: those that the shapes and values of its arrays show. If
/// they show none, the setup's own before the names table's.
std::vector<ArrayLayout> likely_layouts(const Trace& ours, std::span<const GivenArray> arrays,
                                        const Tolerance& tolerance, Workspace& workspace);

/// Matches arrays with the tensors of a trace: by hand, by their usual names or by their numbers, as `evidence` says,
/// and, if the name is not known, by value, then by shape. If several tensors fit, the likeliest is taken (of a single
/// array the output) or none, and that is a doubt. An array that does not fit the layout may have the other one, or one
/// of `arrangements`. `rounding` is how far rounding may have moved the numbers of each tensor.
///
/// An array that fits nothing is left out, with a note. Throws InputError naming `source` if a name given by hand does
/// not exist or does not fit, or nothing is recognised.
Matches match(const Trace& ours, std::span<const GivenArray> arrays, const ArrayLayout& layout, Evidence evidence,
              const Naming& by_hand, const Tolerance& tolerance, const Roundings& rounding, const std::string& source,
              Workspace& workspace);

/// The tensors that an array of this name may be, most likely first: {Q, Q_heads} for "queries", {scores,
/// masked_scores} for "attn_scores". Only letters and digits count, and case does not, except that our own names ("Y")
/// are tried first as they are. The part before a point may be the path of a module. Empty for an unknown name.
std::vector<TensorId> tensors_called(std::string_view name);

}  // namespace headlight
