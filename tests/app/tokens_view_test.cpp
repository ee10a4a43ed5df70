// The tokens view under a scripted mouse.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <variant>
#include <vector>

#include "app/session/selecting.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/heads/attention_lines.hpp"
#include "core/setup/edits.hpp"
#include "probe.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

struct TokensDesk : Scripted {
  explicit TokensDesk(Session opened = lecture_session()) : Scripted(std::move(opened), 1440, 900) {
    Selecting(session()).select({TensorId::weights, 0, 0, 0, 0});
    session().show(View::tokens);
    surface.settle();
  }
  Index count(bool keys) { return keys ? session().setup().key_length() : session().setup().sizes.query_length; }
  Point token(bool keys, Index place) {
    const Rect strip = item(keys ? "lines/keys" : "lines/queries");
    const float share = (static_cast<float>(place) + 0.5f) / static_cast<float>(count(keys));
    return {keys ? strip.x + 30 : strip.right() - 30, strip.y + strip.h * share};
  }
  const AttentionLinks& links() { return app.memory().get<TokensMemory>().links.last(); }
  double weight(Index batch, Index head, Index query, Index key) {
    return session().trace().value({TensorId::weights, {batch, head, query, key}});
  }
};

}  // namespace

TEST_CASE("a query under the mouse is isolated with the key that it looks at most, and a click keeps it") {
  TokensDesk person;
  person.surface.move_mouse({20, 880});
  const Image whole = person.surface.settled_picture();
  const Rect lines = layout_of(person, 1440, 900).centre;
  for (Index query = 0; query < 4; ++query) {
    const auto cell = cell_at(person, person.token(false, query));
    REQUIRE(cell);
    CHECK(cell->index[2] == query);
    for (Index key = 0; key < 4; ++key) CHECK(person.weight(0, 0, query, key) <= person.session().trace().value(*cell));
  }
  CHECK(pixels_off(whole, person.surface.settled_picture(), lines) > 500);
  CHECK_FALSE(person.app.memory().get<TokensMemory>().by_key);
  person.click(person.token(false, 2));
  CHECK(person.session().state().pinned);
  CHECK(person.session().cell().index[2] == 2);
  person.press(Key::escape);
  person.surface.move_mouse({20, 880});
  person.surface.settle();
  CHECK_FALSE(person.session().state().hovered);
}

TEST_CASE("the way into the sum behind a share opens at the products of its query and its key") {
  TokensDesk person(Session(lecture_session().setup()));
  person.click(person.token(false, 2));
  const Cell weight = person.session().cell();
  REQUIRE(weight.tensor == TensorId::weights);
  person.click_item("sum");
  CHECK(person.session().display().view == View::pipeline);
  CHECK(person.session().cell() == Cell{TensorId::dot_products, weight.index});
  CHECK(person.session().state().pinned);
}

TEST_CASE("a key under the mouse is isolated with the query that looks at it most") {
  TokensDesk person;
  for (Index key = 0; key < 4; ++key) {
    const auto cell = cell_at(person, person.token(true, key));
    REQUIRE(cell);
    CHECK(cell->index[3] == key);
    CHECK(person.app.memory().get<TokensMemory>().by_key);
    for (Index query = 0; query < 4; ++query)
      CHECK(person.weight(0, 0, query, key) <= person.session().trace().value(*cell));
  }
}

TEST_CASE("the threshold leaves exactly the weights that reach it, and says when there are none") {
  TokensDesk person;
  const Rect track = person.item("threshold/track");
  for (const float share : {0.1f, 0.8f, 0.9f}) {
    CAPTURE(share);
    person.surface.drag(track.center(), {track.x + track.w * share, track.center().y});
    person.surface.settle();
    const double threshold = person.session().display().tokens.threshold;
    Index expected = 0;
    for (Index query = 0; query < 4; ++query)
      for (Index key = 0; key < 4; ++key) expected += person.weight(0, 0, query, key) >= threshold;
    CHECK(person.links().above == expected);
    CHECK(static_cast<Index>(person.links().links.size()) == expected);
  }
  person.surface.wait(0.5);  // so that the press does not become a double click
  person.surface.drag(track.center(), {track.right() + 20, track.center().y});
  person.surface.settle();
  REQUIRE(person.links().links.empty());
  person.click_item("lower");
  CHECK_FALSE(person.links().links.empty());
}

TEST_CASE("the range of the colours is chosen below the lines, and colours them") {
  TokensDesk person;
  person.surface.move_mouse({20, 880});
  const Image before = person.surface.settled_picture();
  person.choose("centre/range", 2, 5);
  CHECK(person.session().display().heatmap(TensorId::weights).range == RangeKind::top);
  person.surface.move_mouse({20, 880});
  const Rect lines = person.item("lines/queries");
  const Rect keys = person.item("lines/keys");
  CHECK(pixels_off(before, person.surface.settled_picture(), {lines.x, lines.y, keys.right() - lines.x, lines.h}) >
        200);
}

TEST_CASE("one head or all of them, and hidden heads stay out") {
  TokensDesk person(lecture_session("behind-the-scenes"));
  CHECK(person.links().request.heads == std::vector<Index>{0});
  person.click_item("head/plus");
  CHECK(person.session().selection().head == 1);
  CHECK(person.links().request.heads == std::vector<Index>{1});
  person.choose("heads", 1, 2);
  CHECK(person.links().request.heads == std::vector<Index>{0, 1, 2, 3});
  Selecting(person.session()).select_head(2);
  person.press(Key::h);
  CHECK(person.links().request.heads == std::vector<Index>{0, 1, 3});
  person.choose("heads", 0, 2);
  CHECK(person.links().request.heads == std::vector<Index>{2});
}

TEST_CASE("the choice of one head or all of them shows what counts") {
  TokensDesk person(lecture_session("behind-the-scenes"));
  const Rect control = person.item("heads");
  const Rect one{control.x, control.y, control.w / 2, control.h}, all = one.moved(control.w / 2, 0);
  const auto picture_with = [&](bool only) {
    person.session().edit_display([&](Display& d) { d.tokens.selected_head_only = only; });
    person.surface.move_mouse({20, 880});
    return person.surface.settled_picture();
  };
  const Image with_one = picture_with(true), with_all = picture_with(false);
  CHECK(pixels_off(with_one, with_all, one) > one.w * one.h / 2);
  CHECK(pixels_off(with_one, with_all, all) > all.w * all.h / 2);
}

TEST_CASE("cross-attention with another number of keys, in each batch item") {
  TokensDesk person(lecture_session("valid-lengths"));
  REQUIRE(person.count(true) == 6);
  REQUIRE(person.count(false) == 4);
  person.click_item("batch/plus");
  CHECK(person.session().selection().batch == 1);
  CHECK(person.links().request.batch == 1);
  // The valid lengths are 3 and 2, so in this batch item no line may go to a key from 2 on.
  for (const AttentionLink& link : person.links().links) CHECK(link.key < 2);
  const auto key = cell_at(person, person.token(true, 5));
  REQUIRE(key);
  CHECK(key->index[0] == 1);
  CHECK(key->index[3] == 5);
  const auto query = cell_at(person, person.token(false, 3));
  REQUIRE(query);
  CHECK(query->index[2] == 3);
  CHECK(query->index[3] < 2);
}

TEST_CASE("a query of many keys has as many lines as can be told apart, and one to each key that it looks at most") {
  Setup setup = lecture_session().setup();
  setup.tokens.clear();
  setup.sizes.query_length = 600;
  TokensDesk person{Session(setup)};
  const Cell cell = *cell_at(person, person.token(false, 300));
  REQUIRE(cell.index[2] == 300);
  std::vector<float> ends;
  for (const auto& drawn : person.surface.settled_drawing().drawn) {
    const auto* line = std::get_if<PathShape>(&drawn.shape);
    const Rect strip = person.item("lines/queries");
    if (line == nullptr || !line->curve || std::abs(line->points.front().y - person.token(false, 300).y) > 0.5f)
      continue;
    if (line->points.front().x > strip.right() - 12) ends.push_back(line->points.back().y);
  }
  const float strongest = person.token(true, cell.index[3]).y;
  CHECK(std::ranges::any_of(ends, [&](float y) { return std::abs(y - strongest) < 0.5f; }));
  std::ranges::sort(ends);
  ends.erase(std::ranges::unique(ends).begin(), ends.end());
  CHECK(std::ssize(ends) > 50);
  // Each has two pixels of its own.
  CHECK(static_cast<float>(ends.size()) <= person.item("lines/keys").h / 2 + 1);
}

TEST_CASE("a token that is shown without its marks has them in a tooltip, in Tokens and beside the cells") {
  TokensDesk person;
  Setup setup = person.session().setup();
  setup.tokens = {"The", "Ġkeys", "##ing", "ĠcafÃ©"};
  person.session().edit(setup);
  person.surface.settle();
  const auto tells = [&](const std::string& words) {
    person.surface.wait(2);
    const DisplayList drawing = person.surface.settled_drawing();
    return std::ranges::any_of(drawing.drawn, [&](const Drawn& drawn) {
      const auto* const text = std::get_if<TextShape>(&drawn.shape);
      return text != nullptr && text->text.find(words) != std::string::npos;
    });
  };
  CHECK_FALSE(tells("The token is"));
  person.surface.move_mouse(person.token(true, 1));
  CHECK(tells("The token is \"Ġkeys\""));
  person.surface.move_mouse(person.token(false, 3));
  CHECK(tells("The token is \"ĠcafÃ©\""));
  person.surface.move_mouse(person.token(true, 0));
  CHECK_FALSE(tells("The token is"));
  person.session().show(View::heads);
  person.surface.settle();
  const Rect cells = person.item("cards/0/cells/cells");
  person.surface.move_mouse({cells.x + cells.w * 3.5f / 4, cells.y + cells.h * 1.5f / 4});
  CHECK(tells("keys (\"Ġkeys\") · café (\"ĠcafÃ©\")"));
}
