// "Check my work" for a model of several layers: the layers one by one, and the mistakes between them.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/session/checking.hpp"
#include "app/session/selecting.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/compare/check_study.hpp"
#include "core/compute/workspace.hpp"
#include "core/diagnose/mistakes/model.hpp"
#include "core/engine/engine.hpp"
#include "core/model/cell.hpp"
#include "core/setup/edits.hpp"
#include "core/setup/validity.hpp"
#include "legibility.hpp"
#include "probe.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

/// Layers with everything around attention.
Setup blocks(Index layers = 3) {
  Setup setup = offered_setup(TaskName::text);
  setup.sizes.batch = 2;
  setup.sizes.layers = layers;
  setup.sizes.query_length = 6;
  setup.sizes.heads = 2;
  setup.sizes.d_model = 12;
  setup.sizes.d_mlp = 10;
  setup.norm.kind = NormKind::layer;
  setup.block.mlp = Mlp::gelu;
  setup.random.draws.clear();
  for (const char* draw :
       {"seed 3", "W_E normal", "P normal",
        "L*: W_q normal, W_k normal, W_v normal, W_o normal, W_in normal, W_out normal", "W_U normal"})
    setup.random.draws.push_back(*parse_draw(draw));
  require_valid(setup);
  return setup;
}

std::vector<GivenArray> handed_of(const ModelTrace& model, std::initializer_list<TensorId> tensors) {
  std::vector<GivenArray> arrays;
  for (const auto& layer : model.layers)
    for (const TensorId id : tensors)
      if (layer->has(id)) arrays.push_back({name_in_model(id, layer->setup), (*layer)[id], {}});
  return arrays;
}

struct LayersDesk : Scripted {
  explicit LayersDesk(const Setup& setup = blocks(), int width = 1440, int height = 900)
      : Scripted(Session(setup), width, height) {
    session().set_timed(false);
  }

  void hand_in(std::vector<GivenArray> arrays) {
    HandedIn given{.title = "mine.npz", .file = {}, .arrays = std::move(arrays)};
    CheckedWork work = with_arrays(session().state().checking.work(), std::move(given));
    work.shown = true;
    Checking(session()).set_work(work);
    session().show(View::compare);
    surface.settle();
  }
  const CheckFindings& findings() {
    const CheckFindings* const found = app.memory().get<CheckMemory>().study.findings(session());
    REQUIRE(found);
    return *found;
  }
  bool shows(std::string_view words) {
    const DisplayList drawing = surface.settled_drawing();
    return shows_text(drawing, {0, 0, drawing.width, drawing.height}, words);
  }
};

/// Softmax of all scores, as somebody computes it who forgot the mask.
Tensor softmax_of_all(const Tensor& scores) {
  std::vector<double> numbers;
  const Index keys = scores.shape()[3];
  for (Index row = 0; row < scores.elements() / keys; ++row) {
    const Shape at = scores.shape().index_at(row * keys);
    double sum = 0;
    for (Index key = 0; key < keys; ++key) sum += std::exp(scores.at({at[0], at[1], at[2], key}));
    for (Index key = 0; key < keys; ++key) numbers.push_back(std::exp(scores.at({at[0], at[1], at[2], key})) / sum);
  }
  return tensor_of(scores.shape(), numbers);
}

/// The arrays of the student who forgot the mask in layer 1, and went on with ours.
std::vector<GivenArray> without_a_mask_in_layer_1(const ModelTrace& right) {
  std::vector<GivenArray> arrays = handed_of(right, {TensorId::scores, TensorId::weights});
  for (GivenArray& array : arrays)
    if (array.name == "L1.weights") array.values = softmax_of_all(right.at(1)[TensorId::scores]);
  return arrays;
}

}  // namespace

TEST_CASE("a check of all layers to which nothing was handed in says that there is no array") {
  LayersDesk desk;
  REQUIRE_FALSE(desk.session().state().checking.work().given);
  const std::vector<Problem>& problems = desk.findings().problems;
  REQUIRE(problems.size() == 1);
  CHECK(problems.front().source.empty());
  CHECK(problems.front().found == "no array that is recognised");
}

TEST_CASE("arrays of all layers are checked layer by layer, and the first difference is shown in its own") {
  const ModelTrace right = compute_model(blocks());
  LayersDesk desk;
  desk.hand_in(handed_of(right, {TensorId::scores, TensorId::weights, TensorId::resid_post}));
  CHECK(desk.shows("Everything agrees"));
  CHECK(desk.findings().model->layers.size() == 3);
  for (Index layer = 0; layer < 3; ++layer) {
    desk.click_item(fmt::format("layers/{}/chip", layer));
    CHECK(desk.session().setup().layer == layer);
    CHECK(desk.findings().layer == layer);
    CHECK(desk.findings().report.tensors.size() == 3);
    CHECK(desk.shows(fmt::format("Layer {}: All 3 tensors match ours", layer)));
  }

  desk.hand_in(without_a_mask_in_layer_1(right));
  CHECK(desk.session().setup().layer == 1);  // where they first differ
  CHECK(desk.session().selection().tensor == TensorId::weights);
  CHECK(desk.shows("The first difference is in your L1.weights"));
  REQUIRE_FALSE(desk.findings().diagnoses.empty());
  CHECK(desk.findings().diagnoses.front().what.mistake == "mask_missing");
  CHECK(desk.findings().diagnoses.front().layer == 1);
  CHECK(desk.shows("This explains it"));
  CHECK(desk.has_item("yours/cells"));
  desk.click_item("try");
  CHECK(desk.shows("With it, all 6 tensors match"));
  desk.click_item("try");
  CHECK(desk.shows("Try the fix"));
  desk.press({.key = Key::left_bracket, .shift = true});
  CHECK(desk.session().setup().layer == 0);
  CHECK(desk.shows("Layer 0: All"));
  CHECK(desk.shows("The first difference is in your L1.weights"));
}

TEST_CASE("a layer above a wrong one is compared with what ours makes of what it was given") {
  const ModelTrace right = compute_model(blocks());
  Setup colder = blocks();
  colder.attention.temperature = 2;
  const ModelTrace wrong = compute_model(colder);
  LayersDesk desk;
  std::vector<GivenArray> arrays = handed_of(right, {TensorId::scores, TensorId::resid_post});
  for (GivenArray& array : arrays)
    if (array.name == "L0.scores" || array.name == "L0.resid_post")
      array.values = wrong.first()[array.name == "L0.scores" ? TensorId::scores : TensorId::resid_post];
  desk.hand_in(arrays);
  CHECK(desk.session().setup().layer == 0);
  desk.click_item("layers/1/chip");
  const CheckFindings& findings = desk.findings();
  REQUIRE(findings.of_layer(1) != nullptr);
  CHECK(findings.of_layer(1)->on_theirs);
  CHECK(desk.shows("It is compared with what our layer makes of what yours below it gave."));
  // The picture of ours has the numbers that theirs is compared with.
  desk.click_item("scores/row");
  const CheckedMatrix* const matrix =
      desk.app.memory().get<CheckMemory>().study.matrix(desk.session(), findings, TensorId::scores);
  REQUIRE(matrix != nullptr);
  const Selection& at = desk.session().selection();
  CHECK(matrix->ours.value(2, 1) == (*findings.ours)[TensorId::scores].at({at.batch, at.head, 2, 1}));
  CHECK(matrix->ours.value(2, 1) != right.at(1)[TensorId::scores].at({at.batch, at.head, 2, 1}));
}

TEST_CASE("the mistakes between layers are named in the window, with the layers in which they were made") {
  const ModelTrace right = compute_model(blocks());
  Workspace workspace;
  std::size_t named = 0;
  std::vector<std::string_view> seen;
  for (const ModelMistake& mistake : model_mistakes()) {
    if (std::ranges::find(seen, mistake.name) != seen.end()) continue;
    const auto wrong = with_mistake(mistake, right, workspace);
    if (!wrong) continue;
    seen.push_back(mistake.name);
    CAPTURE(std::string(mistake.name));
    LayersDesk desk;
    desk.hand_in(handed_of(*wrong, {TensorId::resid_post, TensorId::logits, TensorId::loss}));
    REQUIRE_FALSE(desk.findings().agrees());
    REQUIRE_FALSE(desk.findings().diagnoses.empty());
    CHECK(desk.findings().diagnoses.front().what.mistake == mistake.name);
    CHECK(desk.shows("This explains it"));
    CHECK(desk.has_item("copy fix"));
    desk.click_item("try");
    CHECK(desk.shows("tensors match"));
    ++named;
  }
  CHECK(named == 6);
}

TEST_CASE("a layer of which nothing was handed in says so, and an array can be given to any layer") {
  const ModelTrace right = compute_model(blocks());
  LayersDesk desk;
  std::vector<GivenArray> arrays{{"mine", right.at(2)[TensorId::weights], {}},
                                 {"L0.scores", right.first()[TensorId::scores], {}}};
  desk.hand_in(arrays);
  desk.click_item("layers/1/chip");
  CHECK(desk.shows("Nothing of layer 1 was handed in."));
  CHECK_FALSE(desk.has_item("yours/cells"));
  Checking(desk.session()).set_work(with_name(desk.session().state().checking.work(), "mine", "L2.weights"));
  desk.surface.settle();
  CHECK(desk.shows("Everything agrees"));
  CHECK(desk.findings().of_layer(2) != nullptr);
  desk.press({.key = Key::right_bracket, .shift = true});
  CHECK(desk.has_item("weights/row"));
}

TEST_CASE("the check of layers fits into every window") {
  Setup six = blocks(6);
  six.sizes.batch = 1;
  const ModelTrace right = compute_model(six);
  for (const auto& [width, height] :
       {std::pair{1280, 720}, std::pair{1366, 768}, std::pair{1024, 640}, std::pair{1440, 900}}) {
    CAPTURE(width);
    LayersDesk desk(six, width, height);
    desk.hand_in(without_a_mask_in_layer_1(right));
    const DisplayList drawing = desk.surface.settled_drawing();
    const Rect centre = layout_of(desk, static_cast<float>(width), static_cast<float>(height)).centre;
    for (const std::string& complaint : text_complaints(drawing, centre, 10)) FAIL_CHECK(complaint);
  }
}
