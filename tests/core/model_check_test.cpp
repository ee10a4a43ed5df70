#include <doctest/doctest.h>

#include "core/diagnose/arrays/by_layer.hpp"
#include "core/diagnose/mend.hpp"
#include "core/diagnose/mistakes/model.hpp"
#include "core/diagnose/model_check.hpp"
#include "core/engine/engine.hpp"
#include "core/model/cell.hpp"
#include "core/setup/edits.hpp"
#include "core/setup/validity.hpp"
#include "setups.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

/// Two layers with everything around attention, which learn a text.
Setup stack(NormPlacement placement = NormPlacement::before) {
  Setup setup = offered_setup(TaskName::text);
  setup.sizes.batch = 2;
  setup.sizes.query_length = 6;
  setup.sizes.heads = 2;
  setup.sizes.d_model = 12;
  setup.sizes.d_mlp = 10;
  setup.norm.kind = NormKind::layer;
  setup.norm.placement = placement;
  setup.block.mlp = Mlp::gelu;
  setup.random.draws.clear();
  for (const char* draw :
       {"seed 3", "W_E normal", "P normal",
        "L*: W_q normal, W_k normal, W_v normal, W_o normal, W_in normal, W_out normal", "W_U normal"})
    setup.random.draws.push_back(*parse_draw(draw));
  require_valid(setup);
  return setup;
}

std::vector<GivenArray> arrays_of(const ModelTrace& model, std::initializer_list<TensorId> tensors) {
  std::vector<GivenArray> arrays;
  for (const auto& layer : model.layers)
    for (const TensorId id : tensors)
      if (layer->has(id)) arrays.push_back({std::string(name_in_model(id, layer->setup)), (*layer)[id], {}});
  return arrays;
}

ModelReport tried(const ModelTrace& ours, const ModelReport& report, std::string_view mistake) {
  const auto chosen = std::ranges::find_if(
      report.diagnoses, [&](const ModelDiagnosis& each) { return each.what.explains && each.what.mistake == mistake; });
  REQUIRE(chosen != report.diagnoses.end());
  Threads threads;
  const std::vector<GivenArray> arrays = mended(ours, report, *chosen, threads);
  Naming names;
  for (const GivenArray& array : arrays) names.emplace_back(array.name, array.name);
  return diagnose_model(ours, arrays, {names, {}}, "mine");
}

std::vector<std::string> explanations(const ModelReport& report) {
  std::vector<std::string> names;
  for (const ModelDiagnosis& diagnosis : report.diagnoses)
    if (diagnosis.what.explains) names.emplace_back(diagnosis.what.mistake);
  return names;
}

}  // namespace

TEST_CASE("the name of an array says its layer") {
  const Setup setup = stack();
  const auto named = [&](std::string_view name) {
    const LayerName found = layer_name(name, setup);
    return std::pair(found.layer.value_or(-1), found.name);
  };
  using Named = std::pair<Index, std::string>;
  CHECK(named("L1.scores") == Named{1, "scores"});
  CHECK(named("blocks.1.attn.hook_pattern") == Named{1, "weights"});
  CHECK(named("blocks.0.hook_resid_post") == Named{0, "resid_post"});
  CHECK(named("blocks.0.ln2.hook_normalized") == Named{0, "N_mlp"});
  CHECK(named("transformer.h.1.attn.scores") == Named{1, "attn.scores"});
  CHECK(named("layers/1/weights") == Named{1, "weights"});
  CHECK(named("scores_1") == Named{1, "scores"});
  CHECK(named("weights[0]") == Named{0, "weights"});
  CHECK(named("scores.1") == Named{1, "scores"});
  CHECK(named("logits") == Named{-1, "logits"});
  CHECK(named("mine_1") == Named{-1, "mine_1"});
}

TEST_CASE("arrays go to their layers, stacked ones to each") {
  const Setup setup = stack();
  const auto array = [](const char* name, const Shape& shape) {
    return GivenArray{name, Tensor::zeros(Precision::float64, shape), {}};
  };
  std::vector<std::string> unrecognised;
  const std::vector<GivenArray> arrays{array("resid_pre", {2, 2, 6, 12}), array("L1.scores", {2, 2, 6, 6}),
                                       array("scores", {2, 2, 6, 6}),     array("logits", {2, 6, 26}),
                                       array("L2.scores", {2, 2, 6, 6}),  array("mine", {2, 2, 6, 6})};
  const auto layers = by_layer(arrays, setup, {{"mine", "L1.weights"}}, unrecognised);
  REQUIRE(layers.size() == 2);
  CHECK(layers[0].yours == std::vector<std::string>{"resid_pre[0]", "scores"});
  CHECK(layers[1].yours == std::vector<std::string>{"resid_pre[1]", "L1.scores", "logits", "mine"});
  CHECK(layers[1].arrays[0].values.shape() == Shape{2, 6, 12});
  CHECK(layers[1].by_hand == Naming{{"mine", "weights"}});
  CHECK(unrecognised == std::vector<std::string>{"L2.scores"});
}

TEST_CASE("work of several layers that is right agrees, whatever is handed over of it") {
  const ModelTrace ours = compute_model(stack());
  for (const TensorId id : {TensorId::scores, TensorId::resid_post, TensorId::mlp_act, TensorId::logits}) {
    const ModelReport report = diagnose_model(ours, arrays_of(ours, {id}), {}, "mine");
    CHECK(report.agrees);
    CHECK(report.diagnoses.empty());
  }
}

TEST_CASE("a mistake of the whole model is named by what it gives further up") {
  Workspace workspace;
  for (const NormPlacement placement : {NormPlacement::before, NormPlacement::after}) {
    const ModelTrace ours = compute_model(stack(placement));
    for (const ModelMistake& mistake : model_mistakes()) {
      const auto wrong = with_mistake(mistake, ours, workspace);
      if (!wrong) continue;
      CAPTURE(mistake.name);
      CAPTURE(mistake.words);
      const bool is_loss = mistake.name == "targets_not_shifted";
      const ModelReport report = diagnose_model(
          ours, arrays_of(*wrong, {TensorId::weights, is_loss ? TensorId::loss : TensorId::logits}), {}, "mine");
      REQUIRE_FALSE(report.agrees);
      const std::vector<std::string> found = explanations(report);
      REQUIRE_FALSE(found.empty());
      CHECK(found.front() == mistake.name);
    }
  }
}

TEST_CASE("a mistake inside the layers is one diagnosis, and what follows from it is none") {
  const ModelTrace ours = compute_model(stack());
  Setup setup = stack();
  setup.attention.scale = NoScale{};
  const ModelTrace wrong = compute_model(setup);
  const ModelReport report =
      diagnose_model(ours, arrays_of(wrong, {TensorId::scores, TensorId::weights, TensorId::logits}), {}, "mine");
  CHECK(report.first_difference == LayerTensor{0, TensorId::scores});
  CHECK(report.layers[1].on_theirs);
  const auto found = std::ranges::find_if(
      report.diagnoses, [](const ModelDiagnosis& each) { return each.what.mistake == "scale_missing"; });
  REQUIRE(found != report.diagnoses.end());
  CHECK(found->what.explains);
  CHECK(found->at == std::vector<LayerTensor>{{0, TensorId::scores}, {1, TensorId::scores}});
}

TEST_CASE("a layer above a wrong one is judged by what it was given") {
  const ModelTrace ours = compute_model(stack());
  Workspace workspace;
  const auto& first = ours.first();
  Tensor leaving = first[TensorId::resid_post].contiguous();
  Tensor other = Tensor::uninitialized(leaving.precision(), leaving.shape());
  copy_numbers(leaving, other);
  with_element_type(other.precision(), [&](auto zero) { other.writable<decltype(zero)>()[3] += 5; });
  const Trace above = from_input(ours.last(), other, workspace);
  const std::vector<GivenArray> arrays{{"L0.resid_post", other, {}}, {"L1.scores", above[TensorId::scores], {}}};
  const ModelReport report = diagnose_model(ours, arrays, {}, "mine");
  CHECK_FALSE(report.agrees);
  CHECK(report.first_difference == LayerTensor{0, TensorId::resid_post});
  REQUIRE(report.layers.size() == 2);
  CHECK(report.layers[1].report.agrees);
}

TEST_CASE("with a mistake of the whole model mended, all that was handed over is ours") {
  Workspace workspace;
  for (const NormPlacement placement : {NormPlacement::before, NormPlacement::after}) {
    const ModelTrace ours = compute_model(stack(placement));
    for (const ModelMistake& mistake : model_mistakes()) {
      const auto wrong = with_mistake(mistake, ours, workspace);
      if (!wrong) continue;
      CAPTURE(mistake.name);
      CAPTURE(mistake.words);
      const ModelReport report = diagnose_model(
          ours, arrays_of(*wrong, {TensorId::W_q, TensorId::scores, TensorId::logits, TensorId::loss}), {}, "mine");
      REQUIRE_FALSE(report.agrees);
      const ModelReport after = tried(ours, report, mistake.name);
      CHECK(after.agrees);
      CHECK(after.layers.size() == 2);
    }
  }
}

TEST_CASE("a mistake inside the layers is mended in all of them, and what other weights gave follows from these") {
  const ModelTrace ours = compute_model(stack());
  Setup setup = stack();
  setup.attention.scale = NoScale{};
  const ModelTrace wrong = compute_model(setup);
  const ModelReport report =
      diagnose_model(ours, arrays_of(wrong, {TensorId::scores, TensorId::weights, TensorId::logits}), {}, "mine");
  CHECK(tried(ours, report, "scale_missing").agrees);
  // Of layer 1 alone something was handed over, and layer 0 is right.
  const ModelReport above =
      diagnose_model(ours, std::vector{GivenArray{"L1.scores", ours.last()[TensorId::dot_products], {}}}, {}, "mine");
  CHECK(tried(ours, above, "scale_missing").agrees);
}

TEST_CASE("a mistake that is not mended stays in the layers above") {
  const ModelTrace ours = compute_model(stack());
  Setup setup = stack();
  setup.attention.scale = NoScale{};
  ModelTrace wrong = compute_model(setup);
  std::vector<GivenArray> arrays = arrays_of(wrong, {TensorId::scores, TensorId::concat, TensorId::output});
  for (GivenArray& array : arrays)  // the output projection of layer 1 is missing
    if (array.name == "L1.output") array.values = wrong.last()[TensorId::concat];
  const ModelReport report = diagnose_model(ours, arrays, {}, "mine");
  const ModelReport scaled = tried(ours, report, "scale_missing");
  CHECK(scaled.first_difference == LayerTensor{1, TensorId::output});
  CHECK(scaled.layers[0].report.agrees);
  const ModelReport projected = tried(ours, report, "output_projection_missing");
  CHECK(projected.first_difference == LayerTensor{0, TensorId::scores});
}

TEST_CASE("weights of a model that were drawn otherwise are named, whether layer by layer or for all layers") {
  const ModelTrace ours = compute_model(stack());
  const auto named = [&](const std::vector<const char*>& draws, std::string_view mistake) {
    Setup setup = stack();
    setup.random.draws.clear();
    for (const char* const draw : draws) setup.random.draws.push_back(*parse_draw(draw));
    const ModelTrace wrong = compute_model(setup);
    const ModelReport report =
        diagnose_model(ours, arrays_of(wrong, {TensorId::W_q, TensorId::W_k, TensorId::scores}), {}, "mine");
    CHECK_FALSE(report.agrees);
    CAPTURE(mistake);
    const std::vector<std::string> found = explanations(report);
    CHECK(std::ranges::count(found, mistake) == 1);
    CHECK(tried(ours, report, mistake).agrees);
  };
  named({"seed 3", "W_E normal", "P normal",
         "L*: W_in normal, W_q normal, W_k normal, W_v normal, W_o normal, W_out normal", "W_U normal"},
        "draw_order");
  named({"seed 3", "W_E normal", "L*: W_q normal, W_k normal, W_v normal, W_o normal, W_in normal, W_out normal",
         "P normal", "W_U normal"},
        "draw_order");
  named({"seed 4", "W_E normal", "P normal",
         "L*: W_q normal, W_k normal, W_v normal, W_o normal, W_in normal, W_out normal", "W_U normal"},
        "other_seed");
  named({"seed 3", "W_E normal", "P normal",
         "L*: W_q uniform, W_k uniform, W_v uniform, W_o uniform, W_in uniform, W_out uniform", "W_U normal"},
        "rand_for_randn");
}

TEST_CASE("a mistake that was made in all layers is named by the logits alone") {
  const ModelTrace ours = compute_model(stack());
  const auto named = [&](const char* mistake, auto&& change) {
    Setup setup = stack();
    change(setup);
    const ModelTrace wrong = compute_model(setup);
    const ModelReport report = diagnose_model(ours, arrays_of(wrong, {TensorId::logits}), {}, "mine");
    REQUIRE_FALSE(report.agrees);
    const std::vector<std::string> found = explanations(report);
    REQUIRE(found.size() == 1);
    CHECK(found.front() == mistake);
    CHECK(tried(ours, report, mistake).agrees);
  };
  named("scale_missing", [](Setup& setup) { setup.attention.scale = NoScale{}; });
  named("mask_missing", [](Setup& setup) { setup.mask.kinds.clear(); });
  named("norm_epsilon", [](Setup& setup) { setup.norm.epsilon = 1e-3; });
}

TEST_CASE("arrays under names that say nothing go to the layer that has their numbers") {
  const ModelTrace ours = compute_model(stack());
  const std::vector<GivenArray> arrays{{"attn_b", ours.last()[TensorId::weights], {}},
                                       {"attn_a", ours.first()[TensorId::weights], {}},
                                       {"hidden", ours.last()[TensorId::resid_mid], {}}};
  const ModelReport report = diagnose_model(ours, arrays, {}, "mine");
  CHECK(report.agrees);
  CHECK(report.unrecognised.empty());
  REQUIRE(report.layers.size() == 2);
  CHECK(report.layers[0].report.tensors.front().yours == "attn_a");
  CHECK(report.layers[1].report.tensors.size() == 2);
}
