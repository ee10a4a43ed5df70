// The arrays that are handed over to be checked, and what was found: where they first differ from ours, and which known
// mistake explains that.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/setup.hpp"
#include "core/model/tensor.hpp"

namespace headlight {

/// Numbers agree where |Δ| <= absolute + relative · |ours|, or where printing or rounding alone may have moved them.
struct Tolerance {
  double absolute = 1e-6;
  double relative = 1e-5;

  friend bool operator==(const Tolerance&, const Tolerance&) = default;
};

/// Pairs of their name and ours, which are taken as they are.
using Naming = std::vector<std::pair<std::string, std::string>>;

/// The evidence for which tensor an array is.
enum class KnownBy : std::uint8_t {
  hand,   ///< chosen by hand
  name,   ///< its usual names
  value,  ///< its numbers are ours
  shape,  ///< no other tensor has its shape, or the others are less likely
};

/// An array that may be one of several tensors, as far as its name, its shape and its numbers tell.
struct Doubt {
  std::string yours;
  std::optional<TensorId> taken_for;  ///< the likeliest; none: it is left out until it is named by hand
  std::vector<TensorId> candidates;   ///< two or more, in the order of the stages
  KnownBy by = KnownBy::shape;        ///< what they have in common with it: their numbers, or only their shape
};

/// One of the arrays that were handed over, compared with ours.
struct TensorVerdict {
  TensorId tensor = TensorId::X;
  std::string yours = {};  ///< its name in the file
  KnownBy by = KnownBy::name;
  Shape shape = {};          ///< as handed over
  double max_abs = 0;        ///< the largest |Δ|; infinite if one side is infinite or NaN and the other is not
  Index cells_off = 0;       ///< how many cells do not agree
  bool agrees = true;        ///< with ours
  bool step_agrees = true;   ///< our step, fed with their tensors, gives theirs
  bool by_rounding = false;  ///< it agrees only because float32 or the printed digits round
  Tensor theirs = {};        ///< in the axes of the names table, where its shape allows it
  bool printed = false;      ///< its numbers were rounded to be printed
  bool averaged = false;     ///< it is the mean over the heads: `theirs` has one head, and is compared with our mean
};

/// A known mistake, replayed on the inputs that were handed over.
struct Diagnosis {
  TensorId tensor = TensorId::X;  ///< the (first) tensor at which the mistake was put in
  TensorId given = TensorId::X;   ///< the (first) tensor that it should explain
  std::string_view mistake;       ///< "scale_missing"
  std::string words;              ///< "the division by √d_head is missing"
  /// The largest |Δ| that remains; of a large tensor that in a part of it, where that is too much already.
  double misfit = 0;
  bool explains = false;                       ///< what remains is within tolerance
  std::vector<TensorId> at = {};               ///< all tensors at which the mistake was put in
  std::vector<TensorId> mended = {};           ///< the tensors whose lines of code mend it; empty: those of `at`
  std::string fix_numpy = {}, fix_torch = {};  ///< the line that mends it, where it is not the line of the stages `at`
  std::vector<Draw> draws = {};                ///< of mistakes in drawing: the setup's draws, which mend it
  std::shared_ptr<const Setup> drawn_as = {};  ///< of mistakes in drawing: the setup with the draws that were made
  int variant = 0;                             ///< which of the ways to make the mistake it was
  std::vector<TensorId> also_given = {};       ///< more tensors that it explains, if it was made in several places

  bool is_about(TensorId id) const { return id == given || std::ranges::find(also_given, id) != also_given.end(); }
};

struct CheckReport {
  bool agrees = true;
  std::optional<TensorId> first_difference;  ///< in the order of the stages, among what was handed over
  std::vector<TensorVerdict> tensors;        ///< in the order of the stages
  std::vector<Diagnosis> diagnoses;          ///< best first; empty where everything agrees
  std::vector<Doubt> doubts = {};            ///< in the order in which the arrays were handed over
  std::vector<std::string> unrecognised;     ///< names of arrays that were left out
  std::vector<std::string> notes = {};       ///< what is no mistake, but worth knowing; a sentence each
  Tensor leaving =
      {};  ///< what the layer above reads if it reads theirs; empty where everything agrees, and at the top

  /// The doubt about an array; null if there is none.
  const Doubt* doubt_about(std::string_view yours) const;
  /// Whether a known mistake explains what was handed over as this tensor.
  bool explains(TensorId given) const;
};

struct GivenArray {
  std::string name;  ///< as in the file: "attn_scores"; empty where a printout has none
  Tensor values;     ///< in the shape that the file has
  /// Of a printout: half a unit of each number's last printed digit, in the shape of `values`. Empty where the numbers
  /// are complete.
  Tensor half_digits;
  bool called_by_file = false;  ///< the name is that of the file, which need not describe its content
};

}  // namespace headlight
