#include "core/formats/layers/whole_model.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace headlight {

bool WholeModel::has_last_norm() const {
  return std::ranges::find(ends, TensorId::final_norm_gain, &LayerArray::tensor) != ends.end();
}

std::string WholeModel::in_words() const {
  if (layers == 1)
    return fmt::format("layer 0 of {}{}{}", stored, mlp == Mlp::none ? ", without its MLP" : "",
                       columns > 0 ? ", and its logits" : "");
  return fmt::format("layers 0 to {} of {}, computed from one another{}", layers - 1, stored,
                     columns > 0 ? ", and their logits" : "");
}

std::vector<std::string> WholeModel::remarks() const {
  std::vector<std::string> all = findings;
  if (!cut.empty()) all.push_back(cut);
  return all;
}

void shorten(WholeModel& whole, Index layers, std::string why) {
  whole.layers = layers;
  std::erase_if(whole.numbers, [&](const ChainArray& each) { return each.layer >= layers; });
  whole.ends.clear();
  whole.columns = 0;
  whole.cut = std::move(why);
}

}  // namespace headlight
