// Writes the layers of random setups as traces with every stage's lines of Python, for stage_code.py to run:
//   stage_code FOLDER COUNT
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "../core/setups.hpp"
#include "core/engine/engine.hpp"
#include "core/formats/arrays/npz.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/graph.hpp"

using namespace headlight;

namespace {

nlohmann::json lines_of(const Stage& stage, const Setup& setup, Framework framework) {
  nlohmann::json lines = nlohmann::json::array();
  for (const CodeLine& line : stage.code({setup, framework})) lines.push_back(line.code);
  return lines;
}

nlohmann::json stages_of(const Setup& setup) {
  nlohmann::json list = nlohmann::json::array();
  for (const Stage& stage : stages()) {
    if (!exists(stage.result, setup)) continue;
    nlohmann::json operands = nlohmann::json::array();
    for (const Operand& operand : operands_of(stage, setup)) operands.push_back(name(operand.tensor));
    list.push_back({{"result", name(stage.result)},
                    {"operands", operands},
                    {"takes_chances", stage.operation->takes_chances},
                    {"numpy", lines_of(stage, setup, Framework::numpy)},
                    {"torch", lines_of(stage, setup, Framework::torch)}});
  }
  return list;
}

// A layer by itself, under the names that its lines of code have for it.
void write_layer(const std::filesystem::path& folder, const std::string& stem, const Trace& layer) {
  std::vector<NamedTensor> tensors;
  for (const TensorInfo& tensor : all_tensors())
    if (layer.has(tensor.id)) tensors.push_back({std::string(name(tensor.id)), layer[tensor.id]});
  write_npz(folder / (stem + ".npz"), std::span<const NamedTensor>(tensors));
  const Setup& setup = layer.setup;
  const nlohmann::json text{{"sizes",
                             {{"batch", setup.sizes.batch},
                              {"past", setup.past()},
                              {"query_length", setup.sizes.query_length},
                              {"key_length", setup.key_length()},
                              {"d_model", setup.sizes.d_model},
                              {"heads", setup.sizes.heads},
                              {"kv_heads", setup.kv_heads()},
                              {"d_head", setup.d_head()},
                              {"d_out", setup.d_out()},
                              {"d_source", setup.d_source()}}},
                            {"dropout", setup.attention.dropout},
                            {"stages", stages_of(setup)}};
  std::ofstream(folder / (stem + ".json")) << text;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return 2;
  for (unsigned seed = 0; seed < static_cast<unsigned>(std::atoi(arguments[2])); ++seed)
    for (const auto& layer : compute_model(testing::random_setup(seed)).layers)
      write_layer(arguments[1], "setup-" + std::to_string(seed) + "-layer-" + std::to_string(layer->setup.layer),
                  *layer);
}
