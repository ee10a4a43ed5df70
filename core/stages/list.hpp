// One file per stage; this lists what each defines for the table.
#pragma once

#include "core/stages/table.hpp"

namespace headlight {

Stage draw_stage();
Stage project_queries_stage();
Stage project_keys_stage();
Stage project_values_stage();
Stage split_stage();
Stage dot_products_stage();
Stage scale_stage();
Stage mask_stage();
Stage softmax_stage();
Stage dropout_stage();
Stage context_stage();
Stage concat_stage();
Stage output_stage();

}  // namespace headlight
