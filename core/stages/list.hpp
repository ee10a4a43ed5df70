// Every operation of the forward pass. Each is defined in the file of its name.
#pragma once

#include "core/stages/table.hpp"

namespace headlight {

Stage drawn_stage(TensorId id);
Stage queries_stage();
Stage keys_stage();
Stage values_stage();
Stage split_queries_stage();
Stage split_keys_stage();
Stage split_values_stage();
Stage dot_products_stage();
Stage scores_stage();
Stage mask_stage();
Stage softmax_stage();
Stage dropout_stage();
Stage context_stage();
Stage concat_stage();
Stage output_stage();

/// The stages of the computed tensors, in any order: each entry names its result.
inline constexpr Stage (*computed_stages[])() = {
    queries_stage,      keys_stage,         values_stage, split_queries_stage, split_keys_stage,
    split_values_stage, dot_products_stage, scores_stage, mask_stage,          softmax_stage,
    dropout_stage,      context_stage,      concat_stage, output_stage,
};

}  // namespace headlight
