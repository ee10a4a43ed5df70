// A model as a whole in the window: the card's second button, the panel's, and what they say.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/session/actions/actions.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/overlays/layers_card.hpp"
#include "captured.hpp"
#include "core/formats/arrays/npz.hpp"
#include "core/formats/files.hpp"
#include "probe.hpp"
#include "whole_desk.hpp"

using namespace headlight;
using namespace headlight::testing;

TEST_CASE("a model of several layers is opened whole by a second button on the card") {
  WholeDesk person;
  const Setup before = person.session().setup();
  person.drop(gpt2());
  REQUIRE(person.has_card());
  CHECK(person.app.memory().opened<LayersCard>()->model.layers.size() == 2);
  REQUIRE(person.app.memory().opened<LayersCard>()->whole);
  person.click_item("whole");
  CHECK_FALSE(person.has_card());
  const Session& session = person.session();
  const Setup& setup = session.setup();
  CHECK(setup.sizes.layers == 2);
  CHECK(setup.block.residual);
  CHECK(setup.block.mlp == Mlp::gelu_tanh);
  CHECK(setup.norm.final);
  CHECK(setup.embedding.unembed);
  CHECK(setup.sizes.query_length == 6);
  CHECK(setup.title == "model (GPT-2, 2 layers)");
  CHECK(session.display().view == View::layers);
  CHECK(session.model_trace().layers.size() == 2);
  CHECK(session.state().notice.find("layers 0 to 1 of 2, computed from one another, and their logits") !=
        std::string::npos);
  person.press({.key = Key::z, .ctrl = true});
  CHECK(session.setup() == before);
}

TEST_CASE("where a part isn't known the card says where the chain is cut, and so do title and notice") {
  WholeDesk person;
  std::vector<NamedTensor> arrays = gpt2();
  std::erase_if(arrays, [](const NamedTensor& each) { return each.name == "h.1.ln_2.weight"; });
  person.drop(arrays);
  REQUIRE(person.has_card());
  const auto& whole = person.app.memory().opened<LayersCard>()->whole;
  REQUIRE(whole);
  CHECK(whole->cut == "The chain is cut before layer 1 of 2: there is no h.1.ln_2.weight");
  person.click_item("whole");
  CHECK(person.session().setup().title == "model (GPT-2, 1 of 2 layers)");
  CHECK(person.session().setup().sizes.layers == 1);
  CHECK_FALSE(person.session().setup().embedding.unembed);
  CHECK(person.session().state().notice.find("The chain is cut before layer 1 of 2") != std::string::npos);
}

TEST_CASE("where nothing of the first block is known, the button can't be clicked, and a layer still opens") {
  WholeDesk person;
  std::vector<NamedTensor> arrays = gpt2();
  arrays.push_back({"h.0.extra.weight", captured_numbers({8}, 1, 1)});
  person.drop(arrays);
  REQUIRE(person.has_card());
  REQUIRE(person.app.memory().opened<LayersCard>()->whole);
  CHECK(person.app.memory().opened<LayersCard>()->whole->problems.front().found ==
        "h.0: nobody knows what h.0.extra.weight does");
  person.click_item("whole");
  CHECK(person.has_card());
  person.press(Key::enter);
  CHECK_FALSE(person.has_card());
  CHECK(person.session().setup().sizes.layers == 1);
  CHECK_FALSE(person.session().setup().block.residual);
  // The panel of a model whose layers are in blocks has the button too, and it says why it can't.
  person.run("model.whole");
  CHECK(person.session().state().notice.find("nobody knows what h.0.extra.weight does") != std::string::npos);
  CHECK_FALSE(person.session().setup().block.residual);
}

TEST_CASE("a layer of a model leads to the whole of it, and attention alone doesn't") {
  WholeDesk person(1600);  // which has room for the panel
  CHECK_FALSE(action_named("model.whole")->enabled(person.session()));
  person.drop(gpt2());
  person.press(Key::enter);
  CHECK(person.session().setup().sizes.layers == 1);
  CHECK(action_named("model.whole")->enabled(person.session()));
  REQUIRE(person.has_item("model.close"));
  person.click_item("model.whole");
  CHECK(person.session().setup().sizes.layers == 2);
  person.press({.key = Key::z, .ctrl = true});
  CHECK(person.session().setup().sizes.layers == 1);
  CHECK(action_named("model.whole")->enabled(person.session()));

  const Captured captured(2);
  person.surface.drop({captured.path()});
  person.surface.settle();
  CHECK(person.session().state().model != nullptr);
  CHECK_FALSE(action_named("model.whole")->enabled(person.session()));
}
