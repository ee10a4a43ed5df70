// A model as a whole, by the headers of its arrays: which layers are in the chain, and where it is cut. PyTorch judges
// the numbers in tests/library/whole.py.
#include <algorithm>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "core/formats/layers/attention_layers.hpp"
#include "core/formats/layers/blocks.hpp"
#include "core/formats/layers/model_types.hpp"
#include "core/formats/layers/read_whole.hpp"

using namespace headlight;
using enum TensorId;

namespace {

using Arrays = std::vector<StoredArray>;

StoredArray held(const std::string& name, std::vector<Index> extents, const std::string& type = "F32") {
  return {"model.safetensors", {name, std::move(extents), type}};
}

/// A Llama of 8 features, 2 heads and so many layers.
Arrays llamas(Index layers) {
  Arrays arrays{held("model.embed_tokens.weight", {20, 8}), held("model.norm.weight", {8}),
                held("lm_head.weight", {20, 8})};
  for (Index layer = 0; layer < layers; ++layer) {
    const std::string block = "model.layers." + std::to_string(layer) + ".";
    for (const char* name : {"q_proj", "k_proj", "v_proj", "o_proj"})
      arrays.push_back(held(block + "self_attn." + name + ".weight", {8, 8}));
    for (const char* name : {"gate_proj", "up_proj"})
      arrays.push_back(held(block + "mlp." + name + ".weight", {24, 8}));
    arrays.push_back(held(block + "mlp.down_proj.weight", {8, 24}));
    for (const char* name : {"input_layernorm", "post_attention_layernorm"})
      arrays.push_back(held(block + name + ".weight", {8}));
  }
  return arrays;
}

OpenModel opened(Arrays arrays, const std::string& config = R"({"model_type": "llama", "num_attention_heads": 2})") {
  OpenModel model{.path = "model.safetensors",
                  .arrays = {std::make_shared<const NamedArrays>(std::move(arrays))},
                  .layers = {},
                  .config = parse_model_config(config, "config.json")};
  for (AttentionLayer& layer :
       attention_layers(*model.arrays.front(), {std::nullopt, std::nullopt, model.config}, "model.safetensors")) {
    std::string name = layer.path;
    model.layers.push_back({std::move(name), model.path, model.arrays.front(), std::move(layer), {}, {}});
  }
  return model;
}

WholeModel whole(Arrays arrays) { return whole_model(opened(std::move(arrays)), {}); }

Arrays changed(Arrays arrays, const std::string& name, std::vector<Index> extents, const std::string& type = "F32") {
  for (StoredArray& each : arrays)
    if (each.info.name == name) each.info = {name, extents, type};
  return arrays;
}

}  // namespace

TEST_CASE("the blocks that are known are those of model types that are known, each once") {
  std::set<std::string> seen;
  for (const BlockFamily& family : block_families()) {
    CHECK_FALSE(family.block.norm.empty());
    CHECK_FALSE(family.block.mlp_norm.empty());
    CHECK_FALSE(family.block.in.empty());
    CHECK_FALSE(family.block.out.empty());
    const std::string types(family.types);
    for (std::size_t at = 0; at < types.size();) {
      const auto end = std::min(types.find(' ', at), types.size());
      const std::string type = types.substr(at, end - at);
      CAPTURE(type);
      CHECK(seen.insert(type).second);
      const auto config = parse_model_config(R"({"model_type": ")" + type + R"("})", "config.json").part_of("");
      const ModelType* const known = model_type_of(config);
      REQUIRE(known != nullptr);
      CHECK(std::ranges::find(known->names, family.names) != known->names.end());
      CHECK(block_family_of(family.names, config) == &family);
      at = end + 1;
    }
  }
}

TEST_CASE("a whole model has every array of its layers and of its ends, and no other chain is shorter") {
  const WholeModel all = whole(llamas(3));
  CHECK(all.problems.empty());
  CHECK(all.cut.empty());
  CHECK(all.layers == 3);
  CHECK(all.d_mlp == 24);
  CHECK(all.columns == 20);
  CHECK(all.has_last_norm());
  CHECK(all.numbers.size() == 3 * 9);
  CHECK(all.in_words() == "layers 0 to 2 of 3, computed from one another, and their logits");
  const auto gate = std::ranges::find_if(
      all.numbers, [](const ChainArray& each) { return each.layer == 2 && each.array.tensor == W_gate; });
  REQUIRE(gate != all.numbers.end());
  CHECK(gate->array.steps == ".T");
  CHECK((*all.arrays)[gate->array.array].info.name == "model.layers.2.mlp.gate_proj.weight");
}

TEST_CASE("an array that doesn't fit, or that nobody knows, cuts the chain before its layer") {
  const std::string two = "model.layers.2.";
  for (const auto& [arrays, why] : std::vector<std::pair<Arrays, std::string>>{
           {changed(llamas(4), two + "mlp.up_proj.weight", {23, 8}),
            "model.layers.2.mlp.up_proj.weight has shape (23, 8), not (24, 8)"},
           {changed(llamas(4), two + "input_layernorm.weight", {7}),
            "model.layers.2.input_layernorm.weight has shape (7,), not (8,)"},
           {changed(llamas(4), two + "mlp.down_proj.weight", {8, 24}, "I8"),
            "model.layers.2.mlp.down_proj.weight is I8, no numbers of 16 bits or more"},
           {changed(llamas(4), two + "self_attn.q_proj.weight", {7, 8}), "shape (7, 8)"}}) {
    const WholeModel cut = whole(arrays);
    CHECK(cut.layers == 2);
    CHECK(cut.cut == "The chain is cut before layer 2 of 4: " + why);
    CHECK(cut.columns == 0);
    CHECK_FALSE(cut.has_last_norm());
    CHECK(std::ranges::none_of(cut.numbers, [](const ChainArray& each) { return each.layer > 1; }));
  }
  Arrays more = llamas(3);
  more.push_back(held("model.layers.1.mlp.experts.0.weight", {8, 8}));
  CHECK(whole(more).cut ==
        "The chain is cut before layer 1 of 3: nobody knows what model.layers.1.mlp.experts.0.weight does");
  more = llamas(3);
  more.push_back(held("model.layers.0.pre_feedforward_layernorm.weight", {8}));
  CHECK(whole(more).layers == 0);
  REQUIRE(whole(more).problems.size() == 1);
}

TEST_CASE("captured results that would take too long to compute are not compared, and that is said") {
  Arrays captured = llamas(2);
  captured.push_back(held("X", {1, 3, 8}));
  captured.push_back(held("L0.resid_post", {1, 3, 8}));
  const auto findings = [&](double seconds) { return whole_model(opened(captured), {.seconds = seconds}).findings; };
  CHECK(findings(0) == std::vector<std::string>{"It is too large to be compared with its captured results at once"});
  CHECK(findings(1).empty());  // there is time, but no such file
}

TEST_CASE("layers in no known block are no whole model") {
  const OpenModel granite = opened(llamas(2), R"({"model_type": "granite", "num_attention_heads": 2})");
  CHECK_FALSE(has_blocks(granite));
  CHECK(whole_model(granite, {}).problems.front().found == "layers of granite, whose norms and MLP nobody has checked");
  CHECK(has_blocks(opened(llamas(2))));
  CHECK_THROWS_AS(whole_model(opened(llamas(2)), {.symbols = {20}}), InputError);
  CHECK(whole_model(opened(llamas(2)), {.symbols = {19, 0}}).length == 2);
}
