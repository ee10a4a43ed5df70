// A known mistake: a small function that computes a stage's result wrongly, from the operands that the stage reads.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/compute/workspace.hpp"
#include "core/diagnose/arrays/agreement.hpp"
#include "core/model/trace.hpp"

namespace headlight {

/// The input of a replay.
struct Attempt {
  Trace trace;           ///< holds the operands; a copy, in which a replay may change what the stage reads
  TensorId at;           ///< the tensor that is computed wrongly
  TensorId given;        ///< the tensor that was handed over, and that the mistake should explain
  const Theirs& theirs;  ///< its numbers
  int variant = 0;       ///< which of the ways to make this mistake
  Workspace& workspace;
  /// How far what follows from this result at `at` is from theirs: the root of the mean square. Null: there is no rest.
  std::function<double(const Tensor&)> misfit_of = {};
  std::string said = {};  ///< what a replay adds to the words of the mistake, such as the number that fits

  Tensor& operator[](TensorId id) { return trace[id]; }
  const Setup& setup() const { return trace.setup; }
  /// Their numbers for a tensor, if they are those of each head; null if it was not handed over.
  const Tensor* handed_over(TensorId id) const;
  /// The result of our stage for the operands as they are now.
  Tensor computed();
  /// Softmax of the rows of a contiguous tensor, or of rows of so many numbers. Where theirs has NaN, so has a row of
  /// −inf alone: 0 / 0.
  Tensor softmax(const Tensor& scores, Index columns);
  Tensor softmax(const Tensor& scores) { return softmax(scores, scores.shape().back(0)); }
};

struct Mistake {
  std::string_view name;     ///< "scale_missing"
  std::string_view words;    ///< what was done, as a sentence: "the dot products are not scaled"
  std::vector<TensorId> at;  ///< the tensors that can be computed so; several of them may be wrong at once
  /// The result of the variant; none from the first variant on that does not exist under the setup.
  std::optional<Tensor> (*replay)(Attempt& attempt) = nullptr;
  /// Between scores and weights: an axis along which each part can be computed by itself, so that a large tensor can be
  /// tried on its first part. None: there is no such axis.
  std::optional<int> parts = 1;
  /// The tensors whose lines of code mend it, where those of `at` are not enough.
  std::vector<TensorId> mended = {};
  /// The line that mends it, where the stage's own line of code is not enough.
  std::string_view fix_numpy = {}, fix_torch = {};
  /// More tensors that may be wrong too, but not alone: that would be another mistake's name.
  std::vector<TensorId> also = {};
  /// It is only possible at all of `at` that exist.
  bool everywhere = false;
  /// It has numbers that can be chosen to fit, so it is only tried where no other mistake explains the difference.
  bool fitted = false;
};

/// Every mistake but those of drawing (draws.hpp), in the order of the stages.
const std::vector<Mistake>& mistakes();

// The rows of the table, a file for each part of the forward pass.
std::vector<Mistake> projection_mistakes();
std::vector<Mistake> sharing_mistakes();
std::vector<Mistake> split_mistakes();
std::vector<Mistake> position_mistakes();
std::vector<Mistake> score_mistakes();
std::vector<Mistake> mask_mistakes();
std::vector<Mistake> softmax_mistakes();
std::vector<Mistake> context_mistakes();
std::vector<Mistake> concat_mistakes();
std::vector<Mistake> output_mistakes();
std::vector<Mistake> dropout_mistakes();

}  // namespace headlight
