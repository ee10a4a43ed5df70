// The attention layers of a model's file: what is recognised by names and shapes, and what is said of the rest.
#include <algorithm>

#include <doctest/doctest.h>

#include "core/formats/arrays/npz.hpp"
#include "core/formats/files.hpp"
#include "core/formats/layers/attention_layers.hpp"
#include "core/formats/layers/captured.hpp"
#include "core/formats/layers/given_weights.hpp"
#include "core/formats/layers/layer_setup.hpp"
#include "core/formats/layers/model_arrays.hpp"
#include "core/formats/layers/model_config.hpp"
#include "core/formats/layers/model_types.hpp"
#include "core/formats/layers/open_model.hpp"
#include "core/formats/values/array_reference.hpp"
#include "core/model/mask.hpp"
#include "core/setup/validity.hpp"
#include "tests/core/temporary_folder.hpp"

using namespace headlight;
using headlight::testing::TemporaryFolder;

namespace {

using Arrays = std::vector<StoredArray>;

StoredArray stored(const std::string& name, std::vector<Index> extents) {
  return {"model.safetensors", {name, std::move(extents), "F32"}};
}

Arrays bert(const std::string& path) {
  Arrays arrays;
  for (const char* name : {"self.query", "self.key", "self.value", "output.dense"}) {
    arrays.push_back(stored(path + "." + name + ".weight", {8, 8}));
    arrays.push_back(stored(path + "." + name + ".bias", {8}));
  }
  return arrays;
}

Arrays llama(const std::string& path, Index kv_columns = 4) {
  return {stored(path + ".q_proj.weight", {16, 16}), stored(path + ".k_proj.weight", {kv_columns, 16}),
          stored(path + ".v_proj.weight", {kv_columns, 16}), stored(path + ".o_proj.weight", {16, 16})};
}

Arrays without(Arrays arrays, const std::string& name) {
  std::erase_if(arrays, [&](const StoredArray& each) { return each.info.name == name; });
  return arrays;
}

Arrays with_extents(Arrays arrays, const std::string& name, std::vector<Index> extents) {
  for (StoredArray& each : arrays)
    if (each.info.name == name) each.info.extents = extents;
  return arrays;
}

Arrays together(Arrays a, const Arrays& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::vector<AttentionLayer> found(const Arrays& arrays, std::optional<Index> heads = 2,
                                  const ModelConfig& config = {}) {
  return attention_layers(arrays, {heads, std::nullopt, config}, "model.safetensors");
}

AttentionLayer only(const Arrays& arrays, std::optional<Index> heads = 2, const ModelConfig& config = {}) {
  const auto layers = found(arrays, heads, config);
  REQUIRE(layers.size() == 1);
  return layers.front();
}

std::string complaint(const AttentionLayer& layer) {
  REQUIRE(layer.problems.size() == 1);
  return layer.problems.front().message();
}

std::string complaint(const auto& action) {
  try {
    action();
  } catch (const InputError& error) {
    REQUIRE(error.problems().size() == 1);
    return error.problems().front().message();
  }
  FAIL("not refused");
  return {};
}

const LayerArray& array_of(const AttentionLayer& layer, TensorId tensor) {
  const auto place = std::ranges::find(layer.arrays, tensor, &LayerArray::tensor);
  REQUIRE(place != layer.arrays.end());
  return *place;
}

bool says(const std::string& message, const std::string& words) { return message.find(words) != std::string::npos; }

/// (batch, query, key) from rows of characters: 'x' is hidden.
Tensor hidden(const std::vector<std::vector<std::string>>& batch) {
  const Shape shape{static_cast<Index>(batch.size()), static_cast<Index>(batch[0].size()),
                    static_cast<Index>(batch[0][0].size())};
  Tensor tensor = Tensor::uninitialized(Precision::float64, shape);
  double* to = tensor.writable<double>();
  for (const auto& item : batch)
    for (const auto& row : item)
      for (const char c : row) *to++ = c == 'x' ? 1 : 0;
  return tensor;
}

/// The masks, after a check that they hide what they should.
MaskSettings masks(const Tensor& tensor, bool causal = false) {
  const auto settings = masks_that_hide(tensor, causal);
  REQUIRE(settings.has_value());
  Setup setup;
  setup.sizes.batch = tensor.shape()[0];
  setup.sizes.query_length = tensor.shape()[1];
  setup.attention.source = Source::cross;
  setup.sizes.key_length = tensor.shape()[2];
  setup.mask = *settings;
  require_valid(setup);
  const Mask mask(setup);
  for (Index b = 0; b < tensor.shape()[0]; ++b)
    for (Index q = 0; q < tensor.shape()[1]; ++q)
      for (Index k = 0; k < tensor.shape()[2]; ++k)
        CHECK(mask.visible(b, q, k) == (tensor.at({b, q, k}) == 0 && !(causal && k > q)));
  return *settings;
}

}  // namespace

namespace {

/// The arrays of a layer of a family, behind a path: 8 features, 2 heads.
Arrays arrays_of(const Family& family, const std::string& path) {
  Arrays arrays;
  for (const std::string_view name : weight_names(family)) {
    Index parts = 1;
    for (const ProjectionArrays& each : family.projections)
      if (each.weight.name == name) parts = each.weight.parts;
    const bool is_output = name == family.projections[of_output].weight.name;
    const auto add = [&](const std::string& array, std::vector<Index> extents) {
      arrays.push_back(stored((path.empty() ? "" : path + ".") + array, std::move(extents)));
    };
    if (family.head_modules && !is_output) {
      for (const Index head : {0, 1}) add(of_head(name, head), {4, 8});
    } else if (family.axes == WeightAxes::out_in) {
      add(std::string(name), {8 * parts, 8});
    } else if (family.axes == WeightAxes::in_out) {
      add(std::string(name), {8, 8 * parts});
    } else {
      const bool heads_first = is_output || family.axes == WeightAxes::heads_in_out;
      add(std::string(name), is_output     ? std::vector<Index>{2, 4, 8}
                             : heads_first ? std::vector<Index>{2, 8, 4}
                                           : std::vector<Index>{8, 2, 4});
    }
  }
  return arrays;
}

}  // namespace

TEST_CASE("layers: every family of the table is found behind any path, and by itself") {
  for (const Family& family : families()) {
    for (const std::string start : {"", "model.layers.7"}) {
      const std::string end(family.path_end.empty() && !start.empty() ? "block" : family.path_end);
      const std::string path = start + (start.empty() || end.empty() ? "" : ".") + end;
      const Arrays arrays = arrays_of(family, path);
      const AttentionLayer layer = only(arrays);
      CHECK(layer.path == path);
      CHECK(weight_names(*layer.family) == weight_names(family));
      CHECK(layer.problems.empty());
      CHECK(layer.heads == 2);
      const std::size_t of_heads = family.head_modules ? 6 : 3;
      CHECK(layer.arrays.size() == of_heads + (family.ends_with_heads() ? 0 : 1));
      for (const LayerArray& each : layer.arrays) {
        const auto reference = parse_array_reference("model.safetensors:" + arrays[each.array].info.name + each.steps);
        REQUIRE(reference.has_value());
        CHECK(reference->steps == each.steps);
        CHECK(reference->name == arrays[each.array].info.name);
      }
    }
  }
}

TEST_CASE("layers: every model type of the table is found by its config.json, with names that its files have") {
  for (const ModelType& type : model_types()) {
    REQUIRE(!type.names.empty());
    for (const Names names : type.names) {
      const auto family = std::ranges::find(families(), names, &Family::names);
      REQUIRE(family != families().end());
      CHECK(type.types.find("  ") == std::string_view::npos);
    }
  }
  const auto type_of = [](const std::string& config, std::string_view path = "model.layers.0.attn") {
    const ModelConfig parsed = parse_model_config(config, "config.json");
    const ModelType* const type = model_type_of(parsed.part_of(path));
    return type == nullptr ? "" : std::string(type->name);
  };
  CHECK(type_of(R"({"model_type": "gpt_neox"})") == "GPT-NeoX");
  CHECK(type_of(R"({"architectures": ["GPTNeoXForCausalLM"]})") == "GPT-NeoX");
  CHECK(type_of(R"({"architectures": ["XLMRobertaModel"]})") == "BERT, RoBERTa");
  CHECK(type_of(R"({"model_type": "xlm-roberta"})") == "BERT, RoBERTa");
  CHECK(type_of(R"({"model_type": "foo"})").empty());
  CHECK(type_of("{}").empty());
  CHECK(type_of(R"({"model_type": "falcon", "multi_query": true})") == "Falcon 7B");
  CHECK(type_of(R"({"model_type": "falcon", "alibi": true})") == "Falcon RW");
  CHECK(type_of(R"({"model_type": "mpt", "attn_config": {"alibi_bias_max": 4}})") == "MPT");
  const std::string clip = R"({"model_type": "clip", "text_config": {}, "vision_config": {"num_heads": 3}})";
  CHECK(type_of(clip, "text_model.encoder.layers.0.self_attn") == "CLIP, text");
  CHECK(type_of(clip, "vision_model.encoder.layers.0.self_attn") == "CLIP, images");
  const std::string llava =
      R"({"model_type": "llava", "text_config": {"model_type": "mistral"}, "vision_config": {"model_type": "clip_vision_model"}})";
  CHECK(type_of(llava, "language_model.model.layers.0.self_attn") == "Mistral");
  CHECK(type_of(llava, "vision_tower.vision_model.encoder.layers.0.self_attn") == "CLIP, images");
}

TEST_CASE("layers: a model_type that nobody has checked is said, and so are names that its files do not have") {
  const auto of_type = [](const std::string& type) {
    return only(llama("a"), 4,
                parse_model_config(fmt::format(R"({{"model_type": "{}", "rope_theta": 7}})", type), "c.json"));
  };
  CHECK(of_type("llama").doubt().empty());
  CHECK(of_type("llama").name() == "Llama");
  CHECK(of_type(R"(a\nb)").unchecked == R"(a\u000Ab)");  // one line of a comment
  CHECK(of_type("foo").doubt() ==
        "A layer of foo: opened as one of Llama, Mistral, Qwen2, Qwen3, Gemma, OLMo 2; not checked");
  CHECK(says(of_type("gpt2").doubt(), "A layer of gpt2"));
  CHECK(only({stored("a.in_proj_weight", {24, 8}), stored("a.out_proj.weight", {8, 8})}, 2,
             parse_model_config(R"({"model_type": "foo"})", "c.json"))
            .doubt() == "A layer of foo: opened as one of nn.MultiheadAttention; not checked");
  CHECK(only(llama("a"), 4).doubt().empty());  // without a config.json there is no other word for it
  CHECK(only(bert("a"), 2, parse_model_config(R"({"architectures": ["FooForMaskedLM"]})", "c.json")).unchecked ==
        "FooForMaskedLM");
}

TEST_CASE("layers: what is doubtful is said in the order of its weight, and in the title of the setup") {
  AttentionLayer layer = only(llama("a"), 4, parse_model_config(R"({"model_type": "foo"})", "config.json"));
  CHECK(layer.remarks() == std::vector{layer.doubt()});
  layer.findings = {"It differs"};
  layer.not_computed = {"a norm of the values"};
  CHECK(layer.remarks() ==
        std::vector<std::string>{"It differs", layer.doubt(), "The setup does not compute a norm of the values"});
  CHECK(only(llama("a"), 4, parse_model_config(R"({"model_type": "llama"})", "config.json")).remarks().empty());
}

TEST_CASE("layers: a rope_ratio is read where the vocabulary tells whose it is, and MPT's tables by its rope_impl") {
  const auto layer_of = [](const Arrays& arrays, const std::string& config) {
    return only(arrays, 2, parse_model_config(config, "config.json"));
  };
  const Arrays glm{stored("a.query_key_value.weight", {16, 8}), stored("a.dense.weight", {8, 8})};
  const std::string start = R"({"model_type": "chatglm", "multi_query_attention": true, "rope_ratio": 500)";
  const AttentionLayer read = layer_of(glm, start + R"(, "padded_vocab_size": 151552})");
  CHECK(read.position.base == 5e6);
  CHECK(read.remarks().empty());
  CHECK(layer_of(glm, start + "}").position.encoding == Encoding::none);
  CHECK(says(layer_of(glm, start + "}").remarks().front(), "rope_ratio, which families read differently"));

  const Arrays mpt{stored("a.Wqkv.weight", {24, 8}), stored("a.out_proj.weight", {8, 8})};
  const auto with = [&](const std::string& attention) {
    return layer_of(mpt, R"({"model_type": "mpt", "attn_config": {"rope": true, "rope_theta": 7, )" + attention + "}}");
  };
  const std::string tables = R"("rope_dail_config": {"type": "xpos"}, "rope_hf_config": {"type": "no_scaling"})";
  CHECK(with(R"("rope_impl": "hf", )" + tables).position.base == 7);
  CHECK(with(R"("rope_impl": "hf", )" + tables).remarks().empty());
  CHECK(says(with(R"("rope_impl": "dail", )" + tables).remarks().front(), "(xPos)"));
  CHECK(says(with(R"("rope_impl": "hf", "rope_hf_config": {"type": "linear"})").remarks().front(), "rescaled"));
  CHECK(with(R"("sliding_window_size": -1)").remarks().empty());
  CHECK(says(with(R"("sliding_window_size": 4)").remarks().front(), "a sliding window"));
  CHECK(says(with(R"("attn_logit_softcapping": 30.0)").remarks().front(), "a soft cap"));
}

TEST_CASE("layers: the features that turn are as many as config.json says, whatever their share rounds to") {
  for (Index d_head = 2; d_head <= 130; ++d_head) {
    for (Index turned = 2; turned <= d_head; turned += 2) {
      Arrays arrays;
      for (const char* name : {"a.q_proj.weight", "a.k_proj.weight", "a.v_proj.weight", "a.o_proj.weight"})
        arrays.push_back(stored(name, {d_head, d_head}));
      const std::string text = fmt::format(R"({{"rope_theta": 7, "rotary_dim": {}}})", turned);
      const double fraction = only(arrays, 1, parse_model_config(text, "c.json")).position.fraction;
      REQUIRE(fraction <= 1);
      REQUIRE(static_cast<Index>(fraction * static_cast<double>(d_head)) == turned);
    }
  }
}

TEST_CASE("layers: the sinks of a layer are its own, or said where there is another number of them") {
  const Arrays arrays = together(llama("a"), {stored("a.sinks", {4})});
  const AttentionLayer layer = only(arrays, 4);
  CHECK(layer.sink == Sink::learned);
  CHECK(array_of(layer, TensorId::sinks).steps.empty());
  CHECK(only(llama("a"), 4).sink == Sink::none);
  const AttentionLayer other = only(together(llama("a"), {stored("a.sinks", {3})}), 4);
  CHECK(other.sink == Sink::none);
  CHECK(std::ranges::count(other.not_computed, "a sink of each head in the softmax") == 1);
}

TEST_CASE("layers: weights of few bits and parts in an unknown order say what they are and what to do") {
  Arrays four_bits = llama("a");
  for (StoredArray& each : four_bits) each.info = {each.info.name, {128, 1}, "U8"};
  const std::string said = complaint(only(four_bits));
  CHECK(says(said, "quantised weights: numbers of 8 bits or fewer (U8)"));
  CHECK(says(said, "headlight capture"));
  CHECK(says(complaint(only({stored("a.q_proj.qweight", {2, 16}), stored("a.o_proj.qweight", {2, 16})})), "GPTQ"));
  CHECK(says(complaint(only({stored("a.qkv_proj.weight", {48, 16}), stored("a.out_proj.weight", {16, 16})})),
             "in an order that is not known"));
  CHECK(says(complaint(only({stored("a.kv_a_proj_with_mqa.weight", {8, 16}), stored("a.o_proj.weight", {16, 16})})),
             "latent attention"));
}

TEST_CASE("layers: norms after the rotation are said, and no half of queries with a gate is taken for queries") {
  Arrays hunyuan = llama("a");
  hunyuan.push_back(stored("a.query_layernorm.weight", {8}));
  CHECK(only(hunyuan).not_computed ==
        std::vector<std::string_view>{"a norm of the queries after their rotation, as in Hunyuan"});
  const std::string said = complaint(only(with_extents(llama("a"), "a.q_proj.weight", {32, 16})));
  CHECK(says(said, "a gate beside each head"));
  CHECK_FALSE(says(said, "would make it fit"));
}

TEST_CASE("layers: one module for each head, and layers that end with their heads") {
  const Arrays heads = {stored("sa.heads.0.query.weight", {4, 8}),
                        stored("sa.heads.0.key.weight", {4, 8}),
                        stored("sa.heads.0.value.weight", {4, 8}),
                        stored("sa.heads.1.query.weight", {4, 8}),
                        stored("sa.heads.1.key.weight", {4, 8}),
                        stored("sa.heads.1.value.weight", {4, 8}),
                        stored("sa.heads.0.tril", {16, 16}),
                        stored("sa.proj.weight", {8, 8}),
                        stored("sa.proj.bias", {8})};
  const AttentionLayer layer = only(heads, std::nullopt);
  CHECK(layer.heads == 2);
  CHECK(layer.is_causal);
  CHECK(to_string(array_of(layer, TensorId::W_k).part) == "[:,0:4]");
  CHECK(array_of(layer, TensorId::W_o).steps == ".T");
  const AttentionLayer alone = only(without(without(heads, "sa.proj.weight"), "sa.heads.0.tril"), std::nullopt);
  CHECK(alone.family->ends_with_heads());
  CHECK_FALSE(alone.is_causal);
  CHECK(alone.assumed.size() == 1);  // no mask
  const Arrays keras{stored("mha/query/kernel:0", {8, 2, 3}), stored("mha/query/bias:0", {2, 3}),
                     stored("mha/key/kernel:0", {8, 2, 3}), stored("mha/value/kernel:0", {8, 2, 3}),
                     stored("mha/attention_output/kernel:0", {2, 3, 8})};
  const AttentionLayer of_keras = only(keras, std::nullopt);
  CHECK(of_keras.path == "mha");
  CHECK(of_keras.heads == 2);
  CHECK(of_keras.d_head() == 3);
  CHECK(array_of(of_keras, TensorId::b_q).steps == ".reshape(6)");
}

TEST_CASE("layers: names alike are told apart by what follows the path, and sorted as people count") {
  Arrays all;
  for (const char* path : {"layer.10.attention", "layer.2.attention", "layer.2.crossattention"})
    all = together(all, bert(path));
  const auto layers = found(all);
  REQUIRE(layers.size() == 3);
  CHECK(layers[0].path == "layer.2.attention");
  CHECK(layers[0].is_causal);  // a decoder, because it also looks at another text
  CHECK(layers[1].path == "layer.2.crossattention");
  CHECK(layers[1].is_cross);
  CHECK_FALSE(layers[1].is_causal);
  CHECK(layers[2].path == "layer.10.attention");
  CHECK_FALSE(layers[2].is_causal);
  CHECK(found({stored("mlp.dense.weight", {8, 8}), stored("x.output.dense.weight", {8, 8})}).empty());
}

TEST_CASE("layers: heads come from where they are known, and are asked for where they are not") {
  const ModelConfig config = parse_model_config(R"({"num_attention_heads": 4})", "config.json");
  CHECK(only(bert("a"), 8, config).heads == 8);
  CHECK(only(bert("a"), std::nullopt, config).heads == 4);
  CHECK(only(llama("a"), std::nullopt, config).kv_heads == 1);
  CHECK(only(together(llama("a"), {stored("a.rotary_emb.inv_freq", {2})}), std::nullopt, config).heads == 4);
  CHECK(only(together(llama("a"), {stored("a.rotary_emb.inv_freq", {16})}), std::nullopt, config).heads == 4);
  CHECK(only(together(bert("a"), {stored("weights", {1, 2, 4, 4})}), std::nullopt, config).heads == 2);
  CHECK(only(llama("a", 1), std::nullopt).heads == 16);  // one number for each head is all that a key of one leaves

  CHECK(
      complaint(only(bert("a"), std::nullopt)) ==
      "model.safetensors: found d_model = 8, but neither a config.json beside the file nor the shapes give the number "
      "of heads that share it; allowed: --heads with one of 1, 2, 4, 8");
  CHECK(complaint(only(bert("a"), 3)) ==
        "--heads: found 3 heads; allowed: one of 1, 2, 4, 8, which divide d_model = 8");
  CHECK(says(complaint(only(llama("a"), 2)), "one of 4, 8, 16, which divide d_model = 16 and keys of 4"));
  CHECK(says(complaint(only(bert("a"), std::nullopt, parse_model_config(R"({"n_head": 5})", "config.json"))),
             "config.json: n_head: found 5 heads"));
}

TEST_CASE("layers: what lacks an array or has another shape is listed with what would help") {
  const AttentionLayer layer = only(without(llama("a"), "a.v_proj.weight"));
  CHECK(layer.d_model == 0);
  CHECK(says(complaint(layer), "a.q_proj.weight, a.k_proj.weight, a.o_proj.weight without a.v_proj.weight"));
  CHECK(says(complaint(layer), "as in Llama, Mistral, Qwen2"));
  CHECK(says(complaint(only({stored("in_proj_weight", {24, 8})})), "in_proj_weight without out_proj.weight"));

  const Arrays torch{stored("in_proj_weight", {24, 8}), stored("in_proj_bias", {24}),
                     stored("out_proj.weight", {8, 8})};
  CHECK(complaint(only(with_extents(torch, "in_proj_weight", {8, 24}))) ==
        "model.safetensors: in_proj_weight: found shape (8, 24); allowed: shape (24, 8), as in nn.MultiheadAttention; "
        "\".T\" would make it fit");
  CHECK(says(complaint(only(with_extents(torch, "in_proj_bias", {48}))), "\"[0:24]\" would make it fit"));
  CHECK(says(complaint(only(with_extents(torch, "out_proj.weight", {1, 1, 8, 8, 1}))), "found 5 axes"));
  CHECK(says(complaint(only(with_extents(bert("a"), "a.self.key.weight", {8, 24}))), "\"[:, 0:8]\" would make it fit"));
  const Arrays huge = with_extents(torch, "in_proj_weight", {Index{1} << 62, Index{1} << 62});
  CHECK(says(complaint(only(huge)), "allowed: shape (24, 8)"));
  CHECK(says(complaint(only(with_extents(huge, "out_proj.weight", {0, 0}))), "a matrix of 3 equal parts"));
  CHECK(says(complaint(only(llama("a", 6))), "keys of 6 numbers for all heads"));
}

TEST_CASE("layers: parts of packed arrays are written as in NumPy") {
  const AttentionLayer torch = only({stored("in_proj_weight", {24, 8}), stored("in_proj_bias", {24}),
                                     stored("out_proj.weight", {8, 8}), stored("out_proj.bias", {8})});
  CHECK(array_of(torch, TensorId::W_k).steps == "[8:16].T");
  CHECK(array_of(torch, TensorId::b_v).steps == "[16:24]");
  CHECK(array_of(torch, TensorId::W_o).steps == ".T");
  CHECK(array_of(torch, TensorId::b_o).steps.empty());
  const AttentionLayer gpt2 = only({stored("c_attn.weight", {8, 24}), stored("c_proj.weight", {8, 8})});
  CHECK(array_of(gpt2, TensorId::W_k).steps == "[:, 8:16]");
  CHECK(array_of(gpt2, TensorId::W_o).steps.empty());
  const AttentionLayer neox = only({stored("query_key_value.weight", {24, 8}), stored("dense.weight", {8, 8})});
  CHECK(array_of(neox, TensorId::W_k).steps == ".reshape(2, 3, 4, 8)[:, 1].reshape(8, 8).T");
  CHECK(neox.not_computed == std::vector<std::string_view>{"rotary positions of a part of each head"});
  CHECK(neox.position.encoding == Encoding::none);
}

TEST_CASE("layers: keys and values from other features make Y as wide as they need") {
  const auto with_features = [](Index keys, Index values) {
    return only({stored("q_proj_weight", {8, 8}), stored("k_proj_weight", {8, keys}),
                 stored("v_proj_weight", {8, values}), stored("out_proj.weight", {8, 8})});
  };
  const AttentionLayer same = with_features(3, 3);
  CHECK(same.is_cross);
  CHECK(same.d_source() == 3);
  CHECK(array_of(same, TensorId::W_k).part.empty());
  CHECK(array_of(same, TensorId::W_v).part.empty());
  for (const Index values : {Index{5}, Index{20}}) {
    const AttentionLayer different = with_features(3, values);
    CHECK(different.problems.empty());
    CHECK(different.d_source() == 3 + values);
    CHECK(to_string(array_of(different, TensorId::W_k).part) == "[0:3]");
    CHECK(to_string(array_of(different, TensorId::W_v).part) == fmt::format("[3:{}]", 3 + values));
  }
}

TEST_CASE("layers: heads may be wider or narrower than their share of d_model") {
  const auto wide = [](const std::string& path) {
    return Arrays{stored(path + ".q_proj.weight", {32, 16}), stored(path + ".k_proj.weight", {8, 16}),
                  stored(path + ".v_proj.weight", {8, 16}), stored(path + ".o_proj.weight", {16, 32})};
  };
  const AttentionLayer asked = only(wide("a"), 4);
  CHECK(asked.problems.empty());
  CHECK(asked.head_columns == 32);
  CHECK(asked.d_head() == 8);
  CHECK(asked.kv_heads == 1);
  CHECK(only(wide("a"), std::nullopt, parse_model_config(R"({"head_dim": 8})", "c.json")).heads == 4);
  Arrays t5;
  for (const char* name : {"q", "k", "v"})
    t5.push_back(stored(fmt::format("EncDecAttention.{}.weight", name), {24, 8}));
  t5.push_back(stored("EncDecAttention.o.weight", {8, 24}));
  CHECK(only(t5, std::nullopt, parse_model_config(R"({"d_kv": 6})", "c.json")).heads == 4);
  CHECK(says(complaint(only(wide("a"), 3)),
             "found 3 heads; allowed: one of 4, 8, 16, 32, which divide queries of 32 "
             "and keys of 8"));
  const char* config = R"({"num_attention_heads": 4, "head_dim": 4})";
  CHECK(says(complaint(only(wide("a"), std::nullopt, parse_model_config(config, "c.json"))),
             "columns of the queries / heads = 32 / 4 = 8"));
}

TEST_CASE("layers: norms of queries and keys are known by their shapes, and those of Gemma by what is beside them") {
  const auto normed = [](Index of_queries, Index of_keys) {
    return together(llama("l.a", 8),
                    {stored("l.a.q_norm.weight", {of_queries}), stored("l.a.k_norm.weight", {of_keys})});
  };
  const AttentionLayer each = only(normed(4, 4), std::nullopt);
  CHECK(each.heads == 4);
  CHECK(each.qk_norm == NormSpan::head);
  CHECK(array_of(each, TensorId::q_gain).added == 0);
  CHECK(each.not_computed.empty());
  CHECK(each.assumed.size() == 2);  // the base of the positions, and epsilon
  const AttentionLayer all = only(normed(16, 8), 4);
  CHECK(all.qk_norm == NormSpan::heads);
  CHECK(array_of(all, TensorId::q_head_gains).steps == ".reshape(4, 4)");
  CHECK(array_of(all, TensorId::k_head_gains).steps == ".reshape(2, 4)");
  for (const auto& [of_queries, of_keys] : {std::pair<Index, Index>{4, 8}, {3, 3}, {16, 16}}) {
    const AttentionLayer other = only(normed(of_queries, of_keys), 4);
    CHECK_FALSE(other.qk_norm);
    CHECK(other.not_computed == std::vector<std::string_view>{"a norm of the queries and keys"});
  }
  CHECK_FALSE(only(together(normed(4, 4), {stored("l.a.q_norm.bias", {4})}), 4).qk_norm);

  const ModelConfig gemma = parse_model_config(
      R"({"model_type": "gemma3_text", "rms_norm_eps": 1e-5, "query_pre_attn_scalar": 16, "attn_logit_softcapping": 50})",
      "c.json");
  const AttentionLayer known = only(normed(4, 4), 4, gemma);
  CHECK(array_of(known, TensorId::k_gain).added == 1);
  CHECK(known.epsilon == 1e-5);
  CHECK(known.soft_cap == 50);
  CHECK(known.scale == Scale{0.25});
  const Arrays beside{stored("l.pre_feedforward_layernorm.weight", {16})};
  CHECK(array_of(only(together(normed(4, 4), beside), 4), TensorId::q_gain).added == 1);
  CHECK(only(together(llama("l.a"), beside), 4).assumed.size() == 2);  // whether it caps its scores
}

TEST_CASE("config.json: layers of Gemma see a window or all, each with its own angles") {
  const auto layer = [](const std::string& text, int number) {
    return only(llama(fmt::format("model.layers.{}.self_attn", number)), 4, parse_model_config(text, "config.json"));
  };
  const std::string second = R"({"model_type": "gemma2", "sliding_window": 5, "rope_theta": 10000.0})";
  CHECK(layer(second, 0).sliding_window == 5);
  CHECK_FALSE(layer(second, 1).sliding_window);
  const std::string third =
      R"({"model_type": "gemma3", "text_config": {"model_type": "gemma3_text", "sliding_window": 7, "rope_theta": 1000000.0,
          "rope_local_base_freq": 10000.0, "rope_scaling": {"rope_type": "linear", "factor": 8.0}}})";
  CHECK(layer(third, 4).sliding_window == 7);
  CHECK(layer(third, 4).position.base == 10000);
  CHECK_FALSE(layer(third, 5).sliding_window);
  CHECK(layer(third, 5).not_computed == std::vector<std::string_view>{"rotary positions with rescaled angles"});
  const std::string lists = R"({"model_type": "gemma3_text", "sliding_window": 7,
      "layer_types": ["sliding_attention", "full_attention"], "rope_parameters": {
          "sliding_attention": {"rope_theta": 10000.0, "rope_type": "default"},
          "full_attention": {"rope_theta": 1000000.0, "rope_type": "default"}}})";
  CHECK(layer(lists, 0).position.base == 10000);
  CHECK(layer(lists, 1).position.base == 1000000);
}

TEST_CASE("config.json: the keys of many models, and what is none") {
  const auto heads = [](const std::string& text, std::string_view path) {
    const ModelConfig config = parse_model_config(text, "config.json");
    const auto found = config.heads_of(path);
    return found ? found->heads : 0;
  };
  CHECK(heads(R"({"n_head": 12})", "h.0.attn") == 12);
  CHECK(heads(R"({"n_head": null})", "h.0.attn") == 0);
  const std::string bart = R"({"encoder_attention_heads": 2, "decoder_attention_heads": 3})";
  CHECK(heads(bart, "encoder.layers.0.self_attn") == 2);
  CHECK(heads(bart, "decoder.layers.0.encoder_attn") == 3);
  const std::string clip =
      R"({"text_config": {"num_attention_heads": 8}, "vision_config": {"num_attention_heads": 16}})";
  CHECK(heads(clip, "text_model.encoder.layers.0.self_attn") == 8);
  CHECK(heads(clip, "vision_model.encoder.layers.0.self_attn") == 16);
  CHECK(heads("{}", "a") == 0);
  for (const char* text : {"", "[]", "{", "12"})
    CHECK(says(complaint([&] { parse_model_config(text, "c.json"); }), "c.json: found no JSON object"));
  CHECK(says(complaint([&] { parse_model_config(R"({"n_head": "12"})", "c.json"); }), R"(n_head: found "12")"));
  CHECK(says(complaint([&] { parse_model_config(R"({"n_head": 1e9999})", "c.json"); }), "c.json: found no JSON"));
  for (const char* number : {"0", "-3", "2.5", "18446744073709551615", "[1]"})
    CHECK(says(complaint([&] { parse_model_config(fmt::format("{{\"n_head\": {}}}", number), "c.json"); }),
               "c.json: n_head: found " + std::string(number)));
}

TEST_CASE("JSON nested without end is refused, however it is nested and wherever it is") {
  const auto nested = [](int depth, const std::string& open, const std::string& close) {
    std::string text;
    for (int i = 0; i < depth; ++i) text += open;
    text += "1";
    for (int i = 0; i < depth; ++i) text += close;
    return text;
  };
  for (const auto& [open, close] : {std::pair{"[", "]"}, {R"({"a":)", "}"}}) {
    const std::string deep = nested(200'000, open, close);
    for (const char* key : {"num_attention_heads", "use_sliding_window", "layer_types", "unknown"}) {
      const std::string text = fmt::format("{{\"{}\": {}}}", key, deep);
      CHECK(says(complaint([&] { parse_model_config(text, "c.json"); }),
                 "c.json: found lists or objects nested more than 100 deep"));
      CHECK(says(complaint([&] { files_of_index(text, "i.json"); }),
                 "i.json: found lists or objects nested more than 100 deep"));
    }
    CHECK_NOTHROW(parse_model_config(fmt::format("{{\"unknown\": {}}}", nested(99, open, close)), "c.json"));
    CHECK_THROWS_AS(parse_model_config(fmt::format("{{\"unknown\": {}}}", nested(100, open, close)), "c.json"),
                    InputError);
  }
}

TEST_CASE("config.json: how positions turn queries and keys, and what a setup cannot say of it") {
  const auto layer = [](const std::string& text) {
    return only(llama("a"), 4, parse_model_config(text, "config.json"));
  };
  const AttentionLayer plain = layer(R"({"rope_theta": 500000})");
  CHECK(plain.position == PositionSettings{.encoding = Encoding::rotary, .base = 500000, .layout = PairLayout::half});
  CHECK(plain.not_computed.empty());
  CHECK(plain.assumed.empty());
  CHECK(layer(R"({"rope_parameters": {"rope_theta": 20000.0, "rope_type": "default"}})").position.base == 20000);
  CHECK(layer(R"({"text_config": {"rope_theta": 7}})").position.base == 7);
  CHECK(layer("{}").position.base == 10000);
  CHECK(layer("{}").assumed.size() == 1);
  for (const char* text : {R"({"rope_scaling": {"type": "linear", "factor": 2}})", R"({"partial_rotary_factor": 0.25})",
                           R"({"rope_parameters": {"rope_type": "yarn"}})", R"({"rotary_dim": 3})",
                           R"({"rotary_dim": 6})", R"({"rope_ratio": 50})"}) {
    CHECK(layer(text).position.encoding == Encoding::none);
    CHECK(layer(text).not_computed.size() == 1);
  }
  for (const char* text :
       {R"({"rope_theta": 7, "partial_rotary_factor": 0.5})", R"({"rope_theta": 7, "rotary_dim": 2})",
        R"({"rope_parameters": {"rope_theta": 7, "partial_rotary_factor": 0.5}})"}) {
    CHECK(layer(text).position ==
          PositionSettings{.encoding = Encoding::rotary, .base = 7, .layout = PairLayout::half, .fraction = 0.5});
    CHECK(layer(text).not_computed.empty());
  }
  for (const char* text : {R"({"rope_theta": 0})", R"({"rope_theta": "10000"})", R"({"rotary_pct": -1})"})
    CHECK(says(complaint([&] { parse_model_config(text, "c.json"); }), "a number above 0"));
  CHECK(says(complaint([&] { parse_model_config(R"({"rotary_dim": 2.5})", "c.json"); }), "rotary_dim: found 2.5"));
}

TEST_CASE("config.json: a sliding window becomes a mask where it hides something, and the width of heads is checked") {
  const auto layer = [](const std::string& text, const std::string& path = "model.layers.3.self_attn") {
    return only(llama(path), 4, parse_model_config(text, "config.json"));
  };
  CHECK(layer(R"({"sliding_window": 5})").sliding_window == 5);
  for (const char* text : {"{}", R"({"sliding_window": null})", R"({"sliding_window": 5, "use_sliding_window": false})",
                           R"({"sliding_window": 5, "use_sliding_window": true, "max_window_layers": 4})",
                           R"({"sliding_window": 5, "layer_types": ["sliding_attention", "full_attention"]})"})
    CHECK_MESSAGE(!layer(text).sliding_window, text);
  for (const char* text : {R"({"text_config": {"sliding_window": 5}})",
                           R"({"sliding_window": 5, "use_sliding_window": true, "max_window_layers": 3})"})
    CHECK_MESSAGE(layer(text).sliding_window == 5, text);
  const char* alternating = R"({"sliding_window": 5, "layer_types": ["full_attention", "sliding_attention"]})";
  CHECK_FALSE(layer(alternating, "layers.0.self_attn").sliding_window);
  CHECK(layer(alternating, "layers.1.self_attn").sliding_window == 5);
  CHECK(
      says(complaint([&] { parse_model_config(R"({"sliding_window": -1})", "c.json"); }), "sliding_window: found -1"));

  const ModelConfig wide = parse_model_config(R"({"num_attention_heads": 4, "head_dim": 8})", "config.json");
  CHECK(complaint(only(llama("a"), std::nullopt, wide)) ==
        "config.json: head_dim: found 8; allowed: d_model / heads = 16 / 4 = 4, to match the shapes of the weights");
  CHECK(only(llama("a"), std::nullopt, parse_model_config(R"({"head_dim": 4})", "config.json")).heads == 4);
}

TEST_CASE("layers: a sliding window hides keys in the setup, or is named above it") {
  const TemporaryFolder folder;
  const Tensor square = Tensor::zeros(Precision::float32, {8, 8});
  std::vector<NamedTensor> model;
  for (const char* name : {"q_proj.weight", "k_proj.weight", "v_proj.weight", "o_proj.weight"})
    model.push_back({name, square});
  write_npz(folder / "model.npz", model);
  const auto opened = [&](const char* config) {
    write_file(folder / "config.json", config);
    const ModelLayer layer = open_model(folder / "model.npz", 2).layers.at(0);
    return std::pair(layer_setup(layer, default_memory_limit),
                     layer_setup_text(layer, folder.path(), default_memory_limit));
  };
  const auto [narrow, narrow_text] = opened(R"({"sliding_window": 3})");
  CHECK(narrow.mask.kinds == std::vector{MaskKind::causal, MaskKind::window});
  const Mask mask(narrow);
  CHECK(mask.visible(0, 7, 5));
  CHECK_FALSE(mask.visible(0, 7, 4));
  const auto [wide, wide_text] = opened(R"({"sliding_window": 4096})");
  CHECK(wide.mask.kinds == std::vector{MaskKind::causal});
  CHECK(says(wide_text, "# Its queries see 4096 keys at most, more than there are here."));
  CHECK_FALSE(says(narrow_text, "at most"));
}

TEST_CASE("the index of a model names files beside it") {
  CHECK(files_of_index(R"({"weight_map": {"a": "2.safetensors", "b": "1.safetensors", "c": "2.safetensors"}})", "i") ==
        std::vector<std::string>{"1.safetensors", "2.safetensors"});
  for (const char* file : {"../1.safetensors", "/etc/passwd", "a/b.safetensors", "model.bin", ""}) {
    CHECK(says(complaint([&] { files_of_index(fmt::format(R"({{"weight_map": {{"a": "{}"}}}})", file), "i.json"); }),
               "i.json: a: found \"" + std::string(file)));
  }
  CHECK(says(complaint([] { files_of_index("{}", "i.json"); }), "i.json: found no weight_map"));
  CHECK(says(complaint([] { files_of_index(R"({"weight_map": {}})", "i.json"); }), "weight_map: found no arrays"));
  CHECK(says(complaint([] { list_model("model.pt"); }), "state = torch.load(\"model.pt\", map_location=\"cpu\""));
}

namespace {

/// A folder as capture.py writes it: two layers of PyTorch's module, two heads, and inputs of three positions.
void write_captured(const TemporaryFolder& folder, const std::string& index) {
  const auto zeros = [](Shape shape) { return Tensor::zeros(Precision::float32, std::move(shape)); };
  for (const std::string name : {"b", "a"}) {
    Tensor heads = zeros({});
    *heads.writable<float>() = 2;
    write_npz(folder / (name + ".npz"), std::vector<NamedTensor>{{name + ".in_proj_weight", zeros({24, 8})},
                                                                 {name + ".out_proj.weight", zeros({8, 8})},
                                                                 {"X", zeros({1, 3, 8})},
                                                                 {"num_heads", heads}});
  }
  write_file(folder / "index.headlight.json", index);
}

}  // namespace

TEST_CASE("a captured folder gives its layers in running order, with its tokens") {
  const TemporaryFolder folder;
  write_captured(folder, R"({"version": 1, "tokens": ["the", "cat", "sat"], "layers": [
      {"name": "b", "file": "b.npz"}, {"name": "a", "file": "a.npz"}, {"name": "b again", "file": "b.npz"}]})");
  for (const auto& path : {folder.path(), folder / "index.headlight.json"}) {
    const OpenModel model = open_model(path, std::nullopt);
    REQUIRE(model.layers.size() == 3);
    CHECK(model.path == folder.path());
    CHECK(model.layers[0].name == "b");
    CHECK(model.layers[1].name == "a");
    CHECK(model.layers[2].name == "b again");
    const Setup setup = layer_setup(model.layers[1], default_memory_limit);
    CHECK(setup.tokens == std::vector<std::string>{"the", "cat", "sat"});
    CHECK(setup.sizes.heads == 2);
    CHECK(setup.sizes.query_length == 3);
  }
}

TEST_CASE("an index that isn't one names the place, what it found and what is allowed") {
  const auto complaint_of = [](const std::string& index) {
    const TemporaryFolder folder;
    write_captured(folder, index);
    return complaint([&] { open_model(folder.path(), std::nullopt); });
  };
  const std::string layer = R"({"name": "a", "file": "a.npz"})";
  const auto with = [&](const std::string& more) { return complaint_of(R"({"version": 1, )" + more + "}"); };
  CHECK(says(complaint_of("[]"), "index.headlight.json: found no JSON object"));
  CHECK(says(complaint_of("{}"), "index.headlight.json: version: found nothing; allowed: 1"));
  CHECK(says(complaint_of(R"({"version": 2})"), "version: found 2; allowed: 1"));
  CHECK(says(with(R"("layers": [])"), "layers: found []; allowed: a list of at least one layer"));
  CHECK(says(with(R"("layers": {"a": 1})"), "layers: found {\"a\":1}"));
  CHECK(says(with(R"("layers": ["a"])"), "layers[0].name: found nothing; allowed: a string"));
  CHECK(says(with(R"("layers": [)" + layer + R"(, {"name": "a"}])"), "layers[1].file: found nothing"));
  CHECK(says(with(R"("layers": [{"name": "a", "file": 7}])"), "layers[0].file: found 7; allowed: a string"));
  for (const char* file : {"../a.npz", "/a.npz", "x/a.npz", "a.bin", ".npz"})
    CHECK(says(with(fmt::format(R"("layers": [{{"name": "a", "file": "{}"}}])", file)),
               "the name of an .npz file beside the index"));
  CHECK(says(with(R"("layers": [{"name": "a", "file": "missing.npz"}])"), "missing.npz"));
  const std::string layers = R"("layers": [)" + layer + "]";
  CHECK(says(with(R"("tokens": "the", )" + layers), "tokens: found \"the\"; allowed: a list of strings"));
  CHECK(says(with(R"("tokens": ["the", 2, "sat"], )" + layers), "tokens[1]: found 2; allowed: a string"));
  CHECK(says(with(R"("tokens": ["the", "cat"], )" + layers), "tokens: found 2 tokens; allowed: one for each position"));
}

TEST_CASE("a folder opens by the file in it that lists its layers") {
  const TemporaryFolder folder;
  CHECK(says(complaint([&] { open_model(folder.path(), std::nullopt); }), "a folder without an index.headlight.json"));
  const auto index = R"({"weight_map": {"a": "model.safetensors"}})";
  write_file(folder / "index.json", index);  // the name before desktops were to know it
  CHECK(says(complaint([&] { open_model(folder.path(), std::nullopt); }), "model.safetensors"));
}

TEST_CASE("captured masks become the simplest masks that hide the same") {
  CHECK(masks(hidden({{"...", "..."}})).kinds.empty());
  CHECK(masks(hidden({{".xx", "..x", "..."}})).kinds == std::vector{MaskKind::causal});
  CHECK(masks(hidden({{"...", "...", "..."}}), true).kinds == std::vector{MaskKind::causal});
  const MaskSettings padding = masks(hidden({{"..x", "..x"}, {"...", "..."}, {"xxx", "xxx"}}));
  CHECK(padding.kinds == std::vector{MaskKind::padding});
  CHECK(padding.valid_lengths == std::vector<Index>{2, 3, 0});
  const MaskSettings both = masks(hidden({{".xxx", "..xx", "..xx"}, {".xxx", "..xx", "...x"}}), true);
  CHECK(both.kinds == std::vector{MaskKind::padding, MaskKind::causal});
  const MaskSettings window = masks(hidden({{"..xx", "...x", "x...", "xx.."}}));
  CHECK(window.kinds == std::vector{MaskKind::window});
  CHECK(window.window == 1);
  CHECK(masks(hidden({{".xxx", "..xx", "x..x", "xx.."}})).kinds == std::vector{MaskKind::causal, MaskKind::window});
  const MaskSettings custom = masks(hidden({{"x..", ".x."}, {"x..", ".x."}}));
  CHECK(custom.kinds == std::vector{MaskKind::custom});
  CHECK(custom.blocked == std::vector<std::pair<Index, Index>>{{0, 0}, {1, 1}});
  CHECK_FALSE(masks_that_hide(hidden({{"x..", "x.."}, {"...", "..."}}), false).has_value());
}

TEST_CASE("values: a reshape gives the numbers another shape, as in NumPy") {
  const TemporaryFolder folder;
  std::string csv;
  for (int row = 0; row < 6; ++row) csv += fmt::format("{},{}\n", 2 * row, 2 * row + 1);
  write_file(folder / "a.csv", csv);
  const auto read = [&](const std::string& steps) {
    const auto reference = parse_array_reference("a.csv" + steps);
    REQUIRE(reference.has_value());
    CHECK(reference->steps == steps);
    ArrayFiles files;
    return read_given(*reference, folder.path(), files).tensor();
  };
  CHECK(read(".reshape(2, 3, 2)").at({1, 0, 1}) == 7);
  CHECK(read(".reshape(2,-1)[1]").at({0}) == 6);
  CHECK(read(".T.reshape(12)").at({1}) == 2);
  CHECK(read(".reshape(3, 2, 2)[:, 1].T").shape() == Shape{2, 3});
  CHECK(says(complaint([&] { read(".reshape(5, 2)"); }),
             ".reshape(5, 2) of shape (6, 2); allowed: extents whose product is 12"));
  CHECK(says(complaint([&] { read(".reshape(5, -1)"); }), "extents whose product is 12"));
  CHECK(says(complaint([&] { read(".reshape(0, -1)"); }), "extents whose product is 12"));
  CHECK(says(complaint([&] { read(".reshape(4611686018427387904, 4, -1)"); }), "extents whose product is 12"));
  for (const char* steps : {".reshape()", ".reshape(a)", ".reshape(-1, -1)", ".reshape(-2)", ".reshape(1,1,1,1,12)"})
    CHECK_FALSE(parse_array_reference(std::string("a.csv") + steps).has_value());
}

TEST_CASE("more layers than any model has are refused before anything is made for them") {
  const auto layers_of = [](Index layers, const char* name) {
    return complaint([&] {
      const Arrays arrays{{"a.npz", {name, {layers, 1, 1, 1}, "<f4"}}};
      layers_of_given_weights("a.npz", std::make_shared<const NamedArrays>(arrays));
    });
  };
  const Arrays most{{"a.npz", {"attentions", {10'000, 1, 1, 1, 1}, "<f4"}}};
  CHECK(layers_of_given_weights("a.npz", std::make_shared<const NamedArrays>(most)).size() == 10'000);
  CHECK(
      says(layers_of(1'000'000'000, "attentions"), "a.npz: attentions: found 1000000000 layers; allowed: up to 10000"));
  Arrays many;
  for (int i = 0; i <= 10'000; ++i) many.push_back(stored(fmt::format("blocks.{}.attn.hook_pattern", i), {1, 1, 1}));
  CHECK(says(complaint([&] { layers_of_given_weights("a.npz", std::make_shared<const NamedArrays>(many)); }),
             "10001 layers"));
  Arrays projected;
  for (int i = 0; i <= 10'000; ++i)
    projected = together(std::move(projected), llama(fmt::format("layers.{}.self_attn", i)));
  CHECK(says(complaint([&] { found(projected); }), "10001 layers"));
}

TEST_CASE("what is below a path is found by whole names") {
  const NamedArrays arrays(Arrays{stored("a.b.weight", {1}), stored("a.bc", {1}), stored("d", {1})});
  for (const char* path : {"", "a", "a.b"}) CHECK(arrays.has_below(path));
  for (const char* path : {"a.bc", "a.b.weight", "d", "b", "a.b.w"}) CHECK_FALSE(arrays.has_below(path));
}

TEST_CASE("a layer of more numbers than the limit is refused before any is read") {
  const TemporaryFolder folder;
  const Tensor square = Tensor::zeros(Precision::float32, {64, 64});
  std::vector<NamedTensor> model;
  for (const char* name : {"q_proj.weight", "k_proj.weight", "v_proj.weight", "o_proj.weight"})
    model.push_back({name, square});
  write_npz(folder / "model.npz", model);
  const ModelLayer layer = open_model(folder / "model.npz", 2).layers.at(0);
  CHECK_NOTHROW(layer_setup(layer, 64 * 1024));
  std::filesystem::remove(folder / "model.npz");
  CHECK(says(complaint([&] { layer_setup(layer, 64 * 1024 - 1); }),
             "a layer of 64.0 KiB of numbers; allowed: up to 64.0 KiB"));
}
