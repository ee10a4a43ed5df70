// The text of a cell's tooltip.
#pragma once

#include <string>
#include <string_view>

#include "app/views/tensors/axis_labels.hpp"
#include "app/views/tensors/tensor_picture.hpp"

namespace headlight {

/// "scores[0,1,2,0] = 11.072808401362785" with every digit, "sat · The" if its tokens have names, and how many cells
/// the pixel shows if several. `of` is put in front if the number is not from the session's trace: "B − A".
std::string cell_tip(const TensorPicture& picture, GridCell at, const GridBlock& pixel, std::string_view of,
                     const LabelSource& words);

}  // namespace headlight
