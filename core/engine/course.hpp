// What is known of a layer that learns: the states that were kept in between and how it answers there, and what its
// loss and its answers would be without a head or with another number.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/model/trace.hpp"
#include "core/training/pass.hpp"

namespace headlight {

/// A state in between.
struct KeptStep {
  Index step = 0;               ///< how many steps had been made
  Verdict shown;                ///< how the sequences that are shown were answered there
  std::vector<Tensor> learned;  ///< the numbers of learned_in_model() there
};

/// The kept steps are evenly spaced, from step 0 on, and so few that their memory is bounded.
struct Course {
  std::vector<std::shared_ptr<const KeptStep>> kept;  ///< in order
  Index made = 0;                                     ///< the furthest step
  std::optional<Index> exploded_at;                   ///< the step that left numbers that are not finite; it was undone

  /// The last kept step that is not behind this one.
  const KeptStep& before(Index step) const;
  /// The number of bytes that the kept numbers take.
  std::size_t bytes() const;
};

/// The shown sequences once more through a model, under a setup that differs in what the stages read, and with other
/// numbers in learned_in_model() where these are given. The result has the wanted tensors, as far as they exist.
ModelTrace passed_again(const ModelTrace& model, const Setup& setup, std::span<const TensorId> wanted,
                        std::span<const Tensor> learned = {});

/// The weights of the shown sequences in a layer at a kept step: (batch, head, query, key).
Tensor weights_at(const ModelTrace& model, Index layer, const KeptStep& kept);

/// The effect of taking a head away, or of restoring it if it is ablated.
struct HeadPrice {
  Verdict without;    ///< how the shown sequences are answered then
  double output = 0;  ///< the mean |change| of the layer's output
};
/// For each head of a layer, in order. The model has a task.
std::vector<HeadPrice> head_prices(const ModelTrace& model, Index layer);

/// L, the mean loss over everything that is asked, where a number of a tensor of the forward pass is another one: all
/// that is made from it follows. The model has a task. Costs about a forward pass.
double loss_with(const ModelTrace& model, const Cell& cell, double number);

}  // namespace headlight
