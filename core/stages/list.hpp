// Every operation of the forward pass, and what stands aside. Each is defined in the file of its name.
#pragma once

#include "core/stages/table.hpp"

namespace headlight {

Stage drawn_stage(TensorId id);
Stage encoding_stage();
Stage add_to_x_stage();
Stage add_to_y_stage();
Stage queries_stage();
Stage keys_stage();
Stage values_stage();
Stage split_queries_stage();
Stage split_keys_stage();
Stage split_values_stage();
Stage rotate_queries_stage();
Stage rotate_keys_stage();
Stage dot_products_stage();
Stage position_bias_stage();
Stage scores_stage();
Stage mask_stage();
Stage softmax_stage();
Stage dropout_stage();
Stage context_stage();
Stage concat_stage();
Stage output_stage();
Stage symbols_stage();
Stage logits_stage();
Stage probabilities_stage();
Stage loss_stage();
Stage loss_gradient_stage();
Stage asking_stage();
Stage writing_stage();

/// The stages of the computed tensors, and of the one gradient that does not follow from them, in any order: each entry
/// names its result.
inline constexpr Stage (*computed_stages[])() = {
    encoding_stage,    add_to_x_stage,      add_to_y_stage,      queries_stage,      keys_stage,
    values_stage,      split_queries_stage, split_keys_stage,    split_values_stage, rotate_queries_stage,
    rotate_keys_stage, dot_products_stage,  position_bias_stage, scores_stage,       mask_stage,
    softmax_stage,     dropout_stage,       context_stage,       concat_stage,       output_stage,
    symbols_stage,     logits_stage,        probabilities_stage, loss_stage,         loss_gradient_stage,
    asking_stage,      writing_stage,
};

}  // namespace headlight
