// All layers of a captured model at a glance: opening it, going from layer to layer and into a head.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/session/display/display_entries.hpp"
#include "app/session/model/open_layer.hpp"
#include "app/session/selecting.hpp"
#include "app/session/snapshot/snapshot.hpp"
#include "app/session/studies/layer_glance.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/layers/layers_study.hpp"
#include "app/views/overlays/problems_card.hpp"
#include "app/views/window/start_page.hpp"
#include "captured.hpp"
#include "core/formats/arrays/npz.hpp"
#include "core/formats/files.hpp"
#include "core/setup/edits.hpp"
#include "core/setup/keys.hpp"
#include "legibility.hpp"
#include "probe.hpp"

using namespace headlight;
using headlight::testing::Captured;
using headlight::testing::captured_numbers;
using headlight::testing::captured_tokens;
using headlight::testing::Scripted;
using headlight::testing::shows_text;
using headlight::testing::TemporaryFolder;

namespace {

struct Person : Scripted {
  explicit Person(Session session = Session(), int width = 1280) : Scripted(std::move(session), width, 720) {}

  void open(const TemporaryFolder& folder) {
    surface.drop({folder.path()});
    surface.settle();
  }
  LayersStudy& study() { return app.memory().get<LayersStudy>(); }
  std::string place(std::size_t layer, Index head) { return fmt::format("rows/{}/{}/head", layer, head); }
};

}  // namespace

TEST_CASE("a dropped captured folder shows all its layers, and its first is the setup") {
  const Captured folder(3);
  Person person;
  person.open(folder);
  Session& session = person.session();
  CHECK(session.display().view == View::layers);
  CHECK(shown_layer(session) == 0U);
  CHECK(session.setup().tokens == std::vector<std::string>{"a", "b", "c", "d", "e"});
  CHECK(person.study().complete());
  CHECK(person.study().count() == 3);
  // What is selected first says something: the last query and the key it looks at most.
  const Selection& first = session.selection();
  CHECK(first.tensor == TensorId::weights);
  CHECK(first.row == 4);
  const Tensor row = session.trace()[TensorId::weights].selected(0, 0).selected(0, 0).selected(0, 4);
  for (Index key = 0; key < 5; ++key) CHECK(row.at({key}) <= row.at({first.column}));

  person.click_item(person.place(2, 1));
  CHECK(session.display().view == View::layers);
  CHECK(shown_layer(session) == 2U);
  CHECK(session.selection().head == 1);
  // The pictures' numbers are those of the layer.
  const LayerGlance* const glance = person.study().glance(2);
  REQUIRE(glance != nullptr);
  for (Index query = 0; query < captured_tokens; ++query)
    for (Index key = 0; key < captured_tokens; ++key)
      CHECK(glance->weights.at({1, query, key}) ==
            doctest::Approx(session.trace().value({TensorId::weights, {0, 1, query, key}})).epsilon(1e-6));

  person.session().undo();
  CHECK(shown_layer(session) == 0U);
}

TEST_CASE("a pickle is refused with the lines that convert it, and a click copies them") {
  const TemporaryFolder folder("pickle");
  write_file(folder.path() / "model.pt", "anything");
  Person person;
  person.surface.drop({folder.path() / "model.pt"});
  person.surface.settle();
  const auto& problems = person.app.memory().get<ProblemsCard>().problems;
  REQUIRE(problems.size() == 1);
  CHECK(problems.front().found.starts_with(".pt, a pickle"));
  person.click_item("problem 0");
  CHECK(person.surface.clipboard().find("torch.load(\"model.pt\"") != std::string::npos);
  CHECK(person.surface.clipboard().find("np.savez(\"model.npz\"") != std::string::npos);
  CHECK(person.app.memory().get<ProblemsCard>().problems.size() == 1);  // the card stays
}

TEST_CASE("arrows go through the layers and heads at the same cell, and Enter goes in") {
  const Captured folder(3);
  Person person;
  person.open(folder);
  Session& session = person.session();
  Selecting(session).select({TensorId::weights, 0, 1, 3, 2});
  person.press(Key::down);
  CHECK(shown_layer(session) == 1U);
  CHECK(session.selection().head == 1);
  CHECK(session.selection().row == 3);
  CHECK(session.selection().column == 2);
  person.press(Key::down);
  person.press(Key::down);  // there is no layer below the last
  CHECK(shown_layer(session) == 2U);
  person.press(Key::up);
  CHECK(shown_layer(session) == 1U);
  person.press(Key::left);
  CHECK(session.selection().head == 0);
  person.press(Key::enter);
  CHECK(session.display().view == View::heads);
  CHECK(shown_layer(session) == 1U);
  // In every view, one key goes to the next layer.
  person.press({.key = Key::right_bracket, .shift = true});
  CHECK(shown_layer(session) == 2U);
  CHECK(session.selection().row == 3);
  CHECK(session.display().view == View::heads);
}

TEST_CASE("the setup panel names the model and its layer, and goes to others") {
  const Captured folder(3);
  Person person(Session(), 1600);
  person.open(folder);
  Session& session = person.session();
  REQUIRE(person.has_item("model layer"));
  person.click_item("model.next");
  CHECK(shown_layer(session) == 1U);
  person.click_item("model.previous");
  CHECK(shown_layer(session) == 0U);
  person.click_item("model layer");
  person.press(Key::down);
  person.press(Key::down);
  person.press(Key::enter);
  CHECK(shown_layer(session) == 2U);
  // Two layers side by side: the last one with the one before it.
  person.click_item("model.compare");
  CHECK(session.display().view == View::compare);
  CHECK(shown_layer(session) == 1U);
  REQUIRE(!session.state().checking.reference.empty());
  CHECK(session.state().checking.reference.first().setup.title.find("layers.2") != std::string::npos);
  const DisplayList drawing = person.surface.settled_drawing();
  CHECK(shows_text(drawing, {0, 0, drawing.width, drawing.height}, "other numbers in W_k, W_o"));
  person.click_item("model.close");
  CHECK(session.state().model == nullptr);
  CHECK_FALSE(person.has_item("model layer"));
}

TEST_CASE("the index of a captured model opens it however many of its files come with it, and one of these its layer") {
  const Captured folder(3);
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) files.push_back(entry.path());
  std::ranges::sort(files);
  for (const bool starts : {false, true}) {
    CAPTURE(starts);
    Person person;
    if (starts) person.app.memory().opened<StartPage>() = StartPage{};
    person.surface.drop(files);
    person.surface.settle();
    REQUIRE(person.session().state().model != nullptr);
    CHECK(person.session().state().model->layers.size() == 3);
    CHECK_FALSE(person.session().state().checking.work().shown);
    CHECK(person.app.memory().get<ProblemsCard>().problems.empty());
    Person another;
    if (starts) another.app.memory().opened<StartPage>() = StartPage{};
    another.surface.drop({folder.path() / "layers.1.npz"});
    another.surface.settle();
    REQUIRE(another.session().state().model != nullptr);
    CHECK(another.session().state().model->layers.front().name == "layers.1");
    CHECK_FALSE(another.session().state().checking.work().shown);
  }
}

TEST_CASE("an edit keeps the layer, another setup is none, and the view goes with the model") {
  const Captured folder(2);
  Person person;
  person.open(folder);
  Session& session = person.session();
  Setup edited = session.setup();
  edited.attention.temperature = 2;
  REQUIRE(session.edit(edited).empty());
  CHECK(shown_layer(session) == 0U);
  REQUIRE(session.open_setup(Setup{}).empty());
  CHECK_FALSE(shown_layer(session));
  CHECK(session.state().model == nullptr);  // another start closes the model, and undo brings it back
  person.press({.key = Key::z, .ctrl = true});
  CHECK(shown_layer(session) == 0U);
  session.show(View::layers);
  person.surface.settle();
  REQUIRE(person.has_item(person.place(1, 0)));
  person.click_item(person.place(1, 0));
  CHECK(shown_layer(session) == 1U);
  person.run("model.close");
  CHECK(session.display().view == View::pipeline);
  session.show(View::layers);
  CHECK(session.display().view == View::pipeline);
  CHECK(session.state().notice.find("open a captured model, first") != std::string::npos);
}

TEST_CASE("a layer that cannot be computed says why in its row, and the others are there") {
  const Captured folder(3);
  write_npz(folder.path() / "layers.1.npz",
            std::vector<NamedTensor>{{"layers.1.in_proj_weight", captured_numbers({24, 8}, 1, 1)},
                                     {"layers.1.out_proj.weight", captured_numbers({7, 8}, 1, 1)}});
  Person person;
  person.open(folder);
  CHECK(person.study().complete());
  REQUIRE(person.study().glance(1) != nullptr);
  CHECK(person.study().glance(1)->problem.find("layers.1") != std::string::npos);
  CHECK(person.study().glance(2)->problem.empty());
  person.press(Key::down);
  CHECK(shown_layer(person.session()) == 0U);  // stays, and says why
  CHECK_FALSE(person.session().state().notice.empty());
}

TEST_CASE("a folder that isn't a model is refused, and nothing changes") {
  const TemporaryFolder folder("no-model");
  Person person;
  const Setup before = person.session().setup();
  person.open(folder);
  REQUIRE_FALSE(person.app.memory().get<ProblemsCard>().problems.empty());
  CHECK(person.app.memory().get<ProblemsCard>().problems.front().found == "a folder without an index.headlight.json");
  CHECK(person.session().setup() == before);
  CHECK(person.session().state().model == nullptr);
}

TEST_CASE("a snapshot brings the model back, if it is still there") {
  const Captured folder(2);
  Person person;
  person.open(folder);
  person.click_item(person.place(1, 1));
  const Snapshot snapshot = snapshot_of(person.session());
  CHECK(snapshot.model == folder.path().string());
  Session again;
  REQUIRE(go_to(again, snapshot).empty());
  CHECK(shown_layer(again) == 1U);
  CHECK(again.display().view == View::layers);
  Snapshot moved = snapshot;
  moved.model = (folder.path() / "gone").string();
  Session without;
  REQUIRE(go_to(without, moved).empty());
  CHECK(without.state().model == nullptr);
  CHECK(without.display().view == View::pipeline);
}

TEST_CASE("many layers are computed beside the frames, the ones in sight first, until Escape") {
  const Captured folder(40);
  Session background;
  background.compute_in_background();
  Person person(std::move(background));
  person.surface.drop({folder.path()});
  person.surface.frames(3);
  person.press(Key::escape);
  const std::size_t done = person.study().done();
  person.surface.settle();
  CHECK(person.study().done() <= done + 1);
  CHECK((person.study().stopped() || person.study().complete()));
}

namespace {

/// Weights of a model of which nothing else is known, with causal zeros; a row of layer 1 isn't whole.
std::filesystem::path write_weights(const TemporaryFolder& folder, Index layers) {
  constexpr Index heads = 2, length = captured_tokens;
  Tensor weights = Tensor::zeros(Precision::float32, {layers, heads, length, length});
  float* row = weights.writable<float>();
  for (Index n = 0; n < layers * heads * length; ++n, row += length) {
    const Index query = n % length;
    for (Index key = 0; key <= query; ++key) row[key] = 1.0f / static_cast<float>(query + 1);
    if (n == heads * length + 2) row[0] = 0.75f;
  }
  const auto file = folder.path() / "attentions.npz";
  write_npz(file, std::vector<NamedTensor>{{"attentions", weights}});
  return file;
}

}  // namespace

TEST_CASE("weights alone open as layers, and every view shows them") {
  const TemporaryFolder folder("alone");
  const auto file = write_weights(folder, 3);
  Person person(Session(), 1600);
  person.surface.drop({file});
  person.surface.settle();
  Session& session = person.session();
  CHECK(session.display().view == View::layers);
  CHECK(shown_layer(session) == 0U);
  CHECK(session.setup().has_attention_alone());
  CHECK(session.setup().mask.kinds == std::vector{MaskKind::causal});
  CHECK(session.selection().tensor == TensorId::weights);
  REQUIRE(person.study().complete());
  CHECK(person.study().glance(2)->problem.empty());
  CHECK_FALSE(person.study().glance(2)->hidden.empty());

  person.click_item(person.place(1, 1));
  CHECK(shown_layer(session) == 1U);
  CHECK(session.state().notice.find("1 of 10 rows of weights add up to something other than 1") != std::string::npos);
  for (const View view : {View::pipeline, View::heads, View::tokens, View::compare, View::layers}) {
    session.show(view);
    person.surface.settle();
    CHECK(session.display().view == view);
    CHECK(session.selection().tensor == TensorId::weights);
  }
  session.show(View::pipeline);
  Selecting(session).select({TensorId::weights, 0, 1, 3, 2});
  person.surface.settle();
  person.press({.key = Key::right_bracket, .shift = true});
  CHECK(shown_layer(session) == 2U);
  CHECK(session.selection().row == 3);
  // There is no other tensor to go to.
  person.run("tensor.next");
  CHECK(session.selection().tensor == TensorId::weights);
}

TEST_CASE("what would change weights that are alone isn't offered") {
  const TemporaryFolder folder("alone");
  Person person(Session(), 1600);
  person.surface.drop({write_weights(folder, 2)});
  person.surface.settle();
  Session& session = person.session();
  for (const SetupKey& entry : setup_entries()) {
    const bool is_free = entry.group == SetupGroup::tokens || entry.name == "values" || entry.name == "title" ||
                         entry.name == "attention.token_axis" || entry.name == "attention.precision";
    if (!is_free) CHECK_MESSAGE(!can_change(entry, session.setup()), entry.name);
  }
  Selecting(session).pin({TensorId::weights, {0, 0, 3, 2}});
  person.surface.settle();
  const Setup before = session.setup();
  for (const char* const id : {"cell.type", "paste"}) CHECK_MESSAGE(!action_named(id)->enabled(session), id);
  person.type("0.5");
  person.press(Key::enter);
  CHECK(session.setup() == before);
  Setup warm = session.setup();
  warm.attention.temperature = 2;
  const auto problems = session.edit(warm);
  REQUIRE(problems.size() == 1);
  CHECK(problems.front().key == "attention.temperature");
  CHECK(problems.front().allowed.find("nothing before them is known") != std::string::npos);
}

TEST_CASE("the layers of a model that is computed are seen at a glance, gone to, and seen again as they learn") {
  Setup setup = offered_setup(TaskName::induction);
  setup.sizes.layers = 3;
  setup.sizes.batch = 2;
  Session start(setup);
  start.set_timed(false);
  start.show(View::layers);
  Person person(std::move(start));
  Session& session = person.session();
  REQUIRE(session.display().view == View::layers);
  CHECK(person.study().complete());
  CHECK(person.study().count() == 3);
  const auto seen = [&] {
    for (std::size_t layer = 0; layer < 3; ++layer) {
      const Tensor& weights = session.model_trace().layers[layer]->tensors[index_of(TensorId::weights)];
      const LayerGlance* const glance = person.study().glance(layer);
      REQUIRE(glance != nullptr);
      const Index item = session.selection().batch;
      for (Index head = 0; head < 2; ++head)
        for (Index query = 0; query < 12; ++query)
          for (Index key = 0; key < 12; ++key)
            CHECK(glance->weights.at({head, query, key}) ==
                  doctest::Approx(weights.at({item, head, query, key})).epsilon(1e-6));
    }
  };
  seen();
  person.click_item(person.place(2, 1));
  CHECK(session.setup().layer == 2);
  CHECK(session.selection().head == 1);
  CHECK(session.display().view == View::layers);
  CHECK_FALSE(session.can_undo());
  person.press(Key::up);
  CHECK(session.setup().layer == 1);
  person.click_item("same cell/0/layer");
  CHECK(session.setup().layer == 0);
  Selecting(session).select_batch(1);
  person.surface.settle();
  seen();
  session.edit(with_steps(session.setup(), 3));
  person.surface.settle();
  seen();
  person.press(Key::enter);
  CHECK(session.display().view == View::heads);
  // With a single layer there is nothing to compare, and no view.
  session.show(View::layers);
  Setup one = session.wanted();
  one.sizes.layers = 1;
  session.edit(one);
  CHECK(session.display().view == View::pipeline);
}
