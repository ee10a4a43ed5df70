// What a cell says when the mouse rests on it.
#pragma once

#include <string>
#include <string_view>

#include "app/views/tensors/tensor_picture.hpp"

namespace headlight {

/// "scores[0,1,2,0] = 11.072808401362785" with every digit, "sat · The" where its tokens have names, and of how many
/// cells it is the one that its pixel shows. `of` comes first where the number is not the trace's own: "B − A".
std::string cell_tip(const TensorPicture& picture, GridCell place, const GridBlock& pixel, std::string_view of,
                     const Setup& setup);

}  // namespace headlight
