// Reads a model as a whole: which of its layers are in known blocks, and what is at its ends.
#pragma once

#include <vector>

#include "core/formats/layers/open_model.hpp"
#include "core/formats/layers/whole_model.hpp"

namespace headlight {

struct WholeOptions {
  std::vector<Index> symbols = {};  ///< the text, as rows of the embedding
  double seconds = 0;               ///< that computing may take, to compare with captured results
};

/// The whole model. Throws InputError where its file can't be read, or where the symbols aren't rows of its embedding.
WholeModel whole_model(const OpenModel& model, const WholeOptions& options);

/// Whether a block of a family that is known is around any of the model's layers: then it may be more than its layers.
bool has_blocks(const OpenModel& model);

}  // namespace headlight
