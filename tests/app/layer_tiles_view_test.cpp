// The map of several layers: going from layer to layer by its tiles, by the buttons beside it and by keys.
#include <doctest/doctest.h>

#include <string>

#include <fmt/format.h>

#include "app/session/selecting.hpp"
#include "core/setup/edits.hpp"
#include "legibility.hpp"
#include "probe.hpp"

using namespace headlight;
using headlight::testing::layout_of;
using headlight::testing::Scripted;
using headlight::testing::shows_text;

namespace {

Session stack(Index layers) {
  Setup setup = offered_setup(TaskName::induction);
  setup.sizes.batch = 2;
  setup.sizes.layers = layers;
  Session session(setup);
  session.set_timed(false);
  return session;
}

bool shows(Scripted& person, std::string_view text) {
  return shows_text(person.surface.settled_drawing(), layout_of(person, 1280, 720).map, text);
}

}  // namespace

TEST_CASE("a click on a tile of the map opens its layer, and keeps view, head and cell") {
  Scripted person(stack(4), 1280, 720);
  Session& session = person.session();
  CHECK(shows(person, "layer 0"));
  CHECK(shows(person, "of 4"));
  Selecting(session).pin({TensorId::weights, {1, 1, 7, 3}});
  person.surface.settle();
  for (const Index layer : {2, 3, 0, 1}) {
    CAPTURE(layer);
    CHECK_FALSE(person.has_item(fmt::format("layers/{}/tile", session.setup().layer)));
    person.click_item(fmt::format("layers/{}/tile", layer));
    CHECK(session.setup().layer == layer);
    CHECK(session.cell() == Cell{TensorId::weights, {1, 1, 7, 3}, layer});
    CHECK(shows(person, fmt::format("layer {}", layer)));
  }
  CHECK(session.display().view == View::pipeline);
  CHECK_FALSE(session.can_undo());  // nothing has changed
}

TEST_CASE("buttons and keys go from layer to layer, as far as there are some, on every map") {
  for (const int height : {500, 720, 1000}) {
    CAPTURE(height);
    Scripted person(stack(3), 1280, height);
    Session& session = person.session();
    person.click_item("layers/model.next");
    CHECK(session.setup().layer == 1);
    person.press({.key = Key::right_bracket, .shift = true});
    CHECK(session.setup().layer == 2);
    person.click_item("layers/model.next");
    person.press({.key = Key::right_bracket, .shift = true});
    CHECK(session.setup().layer == 2);
    person.click_item("layers/model.previous");
    CHECK(session.setup().layer == 1);
    person.press({.key = Key::left_bracket, .shift = true});
    CHECK(session.setup().layer == 0);
  }
}

TEST_CASE("the ends of the stream are the embedding and the scores, and open them in their layers") {
  Scripted person(stack(3), 1280, 720);
  Session& session = person.session();
  session.look_at_layer(1);
  person.surface.settle();
  person.click_item("layers/W_E/end");
  CHECK(session.setup().layer == 0);
  CHECK(session.selection().tensor == TensorId::W_E);
  CHECK_FALSE(person.has_item("layers/W_E/end"));  // it is in the open block now
  person.click_item("layers/W_U/end");
  CHECK(session.setup().layer == 2);
  CHECK(session.selection().tensor == TensorId::W_U);
  CHECK_FALSE(person.has_item("layers/W_U/end"));
}

TEST_CASE("of many layers the map shows neighbours, and how many more there are") {
  Scripted person(stack(32), 1280, 720);
  Session& session = person.session();
  session.look_at_layer(16);
  person.surface.settle();
  CHECK(person.has_item("layers/15/tile"));
  CHECK(person.has_item("layers/17/tile"));
  CHECK_FALSE(person.has_item("layers/0/tile"));
  person.click_item("layers/after");
  const Index further = session.setup().layer;
  CHECK(further > 17);
  CHECK(person.has_item(fmt::format("layers/{}/tile", further - 1)));
  person.click_item("layers/before");
  CHECK(session.setup().layer < further - 1);
}

TEST_CASE("back and forward return to the layers of the pinned cells") {
  Session session = stack(2);
  const Cell above{TensorId::X, {0, 7, 3}, 1}, below{TensorId::resid_post, {0, 7, 3}, 0};
  Selecting(session).pin(above);
  REQUIRE(session.setup().layer == 1);
  CHECK(Selecting(session).walk_upstream());  // over the seam
  CHECK(session.cell() == below);
  Selecting(session).go_back();
  CHECK(session.cell() == above);
  CHECK(session.state().pinned);
  Selecting(session).go_forward();
  CHECK(session.cell() == below);
  CHECK(Selecting(session).walk_downstream());
  CHECK(session.cell() == above);
}

TEST_CASE("links of the inspector lead down into the layer below and up again, and name the layers") {
  Scripted person(stack(2), 1366, 1500);
  Session& session = person.session();
  const auto in_inspector = [&](std::string_view text) {
    return shows_text(person.surface.settled_drawing(), layout_of(person, 1366, 1500).inspector, text);
  };
  const Cell above{TensorId::X, {0, 7, 3}, 1}, below{TensorId::resid_post, {0, 7, 3}, 0};
  Selecting(session).pin(above);
  person.surface.settle();
  CHECK(in_inspector("L0.resid_post[0,7,3]"));
  person.click_item("source 0");
  CHECK(session.cell() == below);
  CHECK(in_inspector("L1.X[0,7,3]"));
  person.click_item("into 0");
  CHECK(session.cell() == above);
  // The same backwards, where gradients come from above.
  const Cell gradient{gradient_of(TensorId::resid_post), {0, 7, 3}, 0};
  Selecting(session).pin(gradient);
  person.surface.settle();
  person.click_item("source 0");
  CHECK(session.cell() == Cell{gradient_of(TensorId::X), {0, 7, 3}, 1});
  CHECK(in_inspector("L0.grad_resid_post[0,7,3]"));
  CHECK(in_inspector("L1.X[0,7,3]"));  // the value itself
  // What the query of a weight is made of goes on below the layer.
  Selecting(session).pin({TensorId::weights, {0, 1, 11, 2}, 1});
  person.surface.settle();
  std::string way;
  for (const PlacedItem& item : person.surface.items())
    if (const auto at = item.path.find("way L0."); at != std::string::npos) way = item.path.substr(at);
  REQUIRE_FALSE(way.empty());
  person.click_item(way);
  CHECK(session.setup().layer == 0);
  CHECK(text_of(session.cell(), session.setup()) == way.substr(4));
}

TEST_CASE("what is added to the stream is written once") {
  Scripted person(stack(2), 1366, 768);
  Selecting(person.session()).look_at(TensorId::resid_post);
  person.surface.settle();
  const auto drawing = person.surface.settled_drawing();
  const Rect centre = layout_of(person, 1366, 768).centre;
  CHECK(shows_text(drawing, centre, "+ output"));
  CHECK_FALSE(shows_text(drawing, centre, "+ + output"));
}

TEST_CASE("the views of heads say which layer they are of, also without the map") {
  for (const View view : {View::heads, View::tokens}) {
    CAPTURE(to_string(view));
    Scripted person(stack(2), 1366, 768);
    Session& session = person.session();
    session.look_at_layer(1);
    Selecting(session).look_at(TensorId::weights);
    session.show(view);
    person.surface.settle();
    const Rect centre = layout_of(person, 1366, 768).centre;
    const std::string_view words = view == View::tokens ? "L1.weights" : "layer 1";
    CHECK(shows_text(person.surface.settled_drawing(), centre, words));
  }
}

TEST_CASE("the words of a model of several layers are neither cut nor over each other") {
  struct Size {
    int width, height;
  };
  for (const Index layers : {2, 4, 12})
    for (const auto& [width, height] : {Size{1280, 720}, Size{1366, 768}, Size{1600, 1000}})
      for (const View view : {View::pipeline, View::learn}) {
        CAPTURE(layers);
        CAPTURE(width);
        CAPTURE(to_string(view));
        Session session = stack(layers);
        session.show(view);
        Scripted person(std::move(session), width, height);
        for (const Index layer : {Index{0}, layers / 2, layers - 1}) {
          person.session().look_at_layer(layer);
          person.surface.settle();
          const auto drawing = person.surface.settled_drawing();
          const Layout layout = layout_of(person, static_cast<float>(width), static_cast<float>(height));
          for (const Rect& area : {layout.map, view == View::pipeline ? Rect{} : layout.centre})
            for (const std::string& complaint : headlight::testing::text_complaints(drawing, area, 12))
              FAIL_CHECK(complaint);
        }
      }
}
