#include <algorithm>
#include <array>
#include <stdexcept>

#include "core/stages/list.hpp"
#include "core/stages/table.hpp"

namespace headlight {
namespace {

const std::array<Stage, 13>& table() {
  static const std::array<Stage, 13> stages{
      draw_stage(),         project_queries_stage(), project_keys_stage(), project_values_stage(), split_stage(),
      dot_products_stage(), scale_stage(),           mask_stage(),         softmax_stage(),        dropout_stage(),
      context_stage(),      concat_stage(),          output_stage(),
  };
  return stages;
}

}  // namespace

std::span<const Stage> stages() { return table(); }

const Stage& stage(StageId id) {
  const auto& all = table();
  return *std::find_if(all.begin(), all.end(), [&](const Stage& stage) { return stage.id == id; });
}

bool same_settings(const Stage& stage, const Setup& a, const Setup& b) {
  return stage.same_settings == nullptr || stage.same_settings(a, b);
}

const Stage& stage_of(TensorId id) {
  for (const Stage& stage : table()) {
    if (std::find(stage.outputs.begin(), stage.outputs.end(), id) != stage.outputs.end()) return stage;
  }
  throw std::logic_error("every tensor is the output of a stage");
}

}  // namespace headlight
