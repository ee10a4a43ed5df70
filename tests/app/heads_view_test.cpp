// The heads view under a scripted mouse.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "../core/setups.hpp"
#include "app/session/selecting.hpp"
#include "app/session/studies/head_statistics.hpp"
#include "app/ui/ui.hpp"
#include "app/views/heads/head_column.hpp"
#include "probe.hpp"
#include "tests/app/sheet_app.hpp"
#include "tests/core/some_threads.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

struct HeadsDesk : Scripted {
  explicit HeadsDesk(std::string_view lecture = "behind-the-scenes") : Scripted(lecture_session(lecture), 1440, 900) {
    Selecting(session()).select({TensorId::weights, 0, 0, 0, 0});
    session().show(View::heads);
    surface.settle();
  }
  std::string card(Index head, std::string_view what) {
    return "cards/" + std::to_string(head) + "/" + std::string(what);
  }
  Rect cells(Index head) { return item(card(head, "cells/cells")); }
  /// The heads whose cards are on the screen, in reading order.
  std::vector<Index> in_reading_order() {
    std::vector<std::pair<Point, Index>> found;
    for (Index head = 0; head < session().setup().sizes.heads; ++head)
      if (const auto r = surface.item(card(head, "title"))) found.push_back({{r->x, std::round(r->y)}, head});
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
      return std::pair{a.first.y, a.first.x} < std::pair{b.first.y, b.first.x};
    });
    std::vector<Index> heads;
    for (const auto& [at, head] : found) heads.push_back(head);
    return heads;
  }
};

}  // namespace

TEST_CASE("a head hides with the eye in its card, comes back with its chip, and all come back at once") {
  HeadsDesk person;
  REQUIRE(person.in_reading_order() == std::vector<Index>{0, 1, 2, 3});
  const auto hide = [&](Index head) {
    person.surface.move_mouse(person.item(person.card(head, "title")).center());
    person.surface.settle();
    person.click_item(person.card(head, "hide"));
  };
  hide(2);
  CHECK(person.session().display().heads.hidden == std::vector<Index>{2});
  CHECK(person.in_reading_order() == std::vector<Index>{0, 1, 3});
  person.click_item("2/hidden");
  CHECK(person.session().display().heads.hidden.empty());
  CHECK(person.in_reading_order() == std::vector<Index>{0, 1, 2, 3});
  hide(0);
  hide(3);
  CHECK(person.in_reading_order() == std::vector<Index>{1, 2});
  person.click_item("show all");
  CHECK(person.in_reading_order() == std::vector<Index>{0, 1, 2, 3});
}

TEST_CASE("a head is ablated in its card, says so, and comes back") {
  HeadsDesk person;
  const auto press_in_card = [&](Index head) {
    person.surface.move_mouse(person.item(person.card(head, "title")).center());
    person.surface.settle();
    person.click_item(person.card(head, "ablate"));
  };
  press_in_card(2);
  CHECK(person.session().setup().attention.ablated_heads == std::vector<LayerHead>{2});
  CHECK(person.session().trace()[TensorId::context].at({0, 2, 1, 0}) == 0);
  CHECK(person.in_reading_order() == std::vector<Index>{0, 1, 2, 3});
  press_in_card(2);
  CHECK(person.session().setup().attention.ablated_heads.empty());
}

TEST_CASE("the map above the heads shows another tensor's heads, and leads to what has none") {
  HeadsDesk person;
  person.click_item("map/context/2/thumb");
  CHECK(person.session().display().view == View::heads);
  CHECK(person.session().selection().tensor == TensorId::context);
  CHECK(person.session().selection().head == 2);
  person.click_item("map/W_o/0/thumb");
  CHECK(person.session().display().view == View::pipeline);
  CHECK(person.session().selection().tensor == TensorId::W_o);
}

TEST_CASE("a click on a card's title picks the head, and H hides it") {
  HeadsDesk person;
  person.click_item(person.card(3, "title"));
  CHECK(person.session().selection().head == 3);
  person.press(Key::h);
  CHECK(person.session().display().heads.hidden == std::vector<Index>{3});
}

TEST_CASE("the cards stand in the order of each measure") {
  HeadsDesk person("shapes");
  const HeadStatistics statistics = head_statistics(some_threads(), person.session().trace(), 0, TensorId::weights);
  using Field = double HeadMeasures::*;
  int place = 1;
  for (Field field : {&HeadMeasures::entropy, &HeadMeasures::distance, &HeadMeasures::diagonal, &HeadMeasures::peak}) {
    CAPTURE(place);
    person.choose("head_order", place++, 5);
    const auto order = person.in_reading_order();
    REQUIRE(order.size() == 8);
    for (std::size_t i = 1; i < order.size(); ++i)
      CHECK(statistics.heads[static_cast<std::size_t>(order[i - 1])].*field <=
            statistics.heads[static_cast<std::size_t>(order[i])].*field);
  }
  person.choose("head_order", 0, 5);
  CHECK(person.in_reading_order() == std::vector<Index>{0, 1, 2, 3, 4, 5, 6, 7});
}

TEST_CASE("the matrix of similarities picks the heads that it compares") {
  HeadsDesk person;
  REQUIRE(person.scroll_to("2001/pair", layout_of(person, 1440, 900).inspector));
  person.click_item("2001/pair");
  CHECK(person.session().selection().head == 2);
  person.click_item("2001/pair");
  CHECK(person.session().selection().head == 1);
  person.click_item("3/beside");
  CHECK(person.session().selection().head == 3);
}

TEST_CASE("the cell under the mouse shows in every head, and is its own head's number") {
  HeadsDesk person;
  person.surface.move_mouse({20, 880});
  const Image before = person.surface.settled_picture();
  const Rect mine = person.cells(1);
  const Rect other = person.cells(3);
  const Point at = mine.min() + Point{mine.w * 0.5f, mine.h * 0.7f};
  const auto hovered = cell_at(person, at);
  REQUIRE(hovered);
  CHECK(hovered->tensor == TensorId::weights);
  CHECK(hovered->index[1] == 1);
  CHECK(hovered->index[2] == static_cast<Index>(0.7f * 5));
  CHECK(hovered->index[3] == static_cast<Index>(0.5f * 5));
  const Image after = person.surface.settled_picture();
  CHECK(pixels_off(before, after, mine) > 40);
  CHECK(pixels_off(before, after, other) > 40);
  person.click(at);
  CHECK(person.session().cell() == *hovered);
  CHECK(person.session().selection().head == 1);
}

TEST_CASE("the list of tensors and the batch item choose what the cards show") {
  HeadsDesk person("valid-lengths");
  person.click_item("tensor");
  // The list has the tensors with heads in the order of the forward pass: the first is Q_heads.
  person.click_item("0/row");
  CHECK(person.session().selection().tensor == TensorId::Q_heads);
  CHECK(person.has_item(person.card(0, "cells/cells")));
  person.click_item("batch/plus");
  CHECK(person.session().selection().batch == 1);
  const auto hovered = cell_at(person, person.cells(2).center());
  REQUIRE(hovered);
  CHECK(hovered->tensor == TensorId::Q_heads);
  CHECK(hovered->index[0] == 1);
  CHECK(hovered->index[1] == 2);
}

namespace {

/// The mean brightness, from 0 to 255.
double brightness(const Image& picture, const Rect& area) {
  double sum = 0;
  int pixels = 0;
  for (int y = static_cast<int>(area.y); y < static_cast<int>(area.bottom()); ++y)
    for (int x = static_cast<int>(area.x); x < static_cast<int>(area.right()); ++x, ++pixels) {
      const Color c = picture.at(x, y);
      sum += (c.r + c.g + c.b) / 3.0;
    }
  return sum / pixels;
}

Setup many_tokens(Setup setup, Index tokens, bool causal) {
  setup.sizes.query_length = tokens;
  setup.tokens.clear();
  setup.mask = {};
  setup.attention.temperature = 100;  // far from one-hot, as trained heads are
  if (causal) setup.mask.kinds = {MaskKind::causal};
  return setup;
}

}  // namespace

TEST_CASE("weights of many keys start with colours by even attention, and are not dark") {
  HeadsDesk person("behind-the-scenes");
  for (const Index tokens : {64, 256}) {
    for (const bool causal : {false, true}) {
      CAPTURE(tokens);
      CAPTURE(causal);
      person.session().edit(many_tokens(person.session().setup(), tokens, causal));
      Selecting(person.session()).select({TensorId::weights, 0, 0, 0, 0});
      person.surface.settle();
      person.surface.move_mouse({2, 2});
      const Image even = person.surface.settled_picture();
      const Rect cells = person.cells(0);
      person.run("range.unit");
      person.surface.move_mouse({2, 2});
      const Image unit = person.surface.settled_picture();
      CHECK(brightness(even, cells) > brightness(unit, cells) + 5);
      person.run("range.next");
      CHECK(person.session().display().heatmap(TensorId::weights).range == RangeKind::even);
    }
  }
}

TEST_CASE("hovering a dense picture does not take its colours away") {
  HeadsDesk person("behind-the-scenes");
  person.session().edit(many_tokens(person.session().setup(), 64, false));
  person.surface.settle();
  const Rect own = person.cells(0);
  const Rect other = person.cells(1);
  person.surface.move_mouse({2, 2});
  const Image before = person.surface.settled_picture();
  person.surface.move_mouse(own.center());
  const Image hovered = person.surface.settled_picture();
  // The bands of the row and the column and the ring change, nothing else.
  CHECK(pixels_off(before, hovered, other) < other.w * other.h / 4);
}

TEST_CASE("the heads of a column are all called in the same way, the longest for which each has room") {
  Setup setup = headlight::testing::small_setup();
  setup.head_names = {"previous token", "adjective → noun"};
  using Names = std::vector<std::string>;
  SheetApp app([&](FrameContext& frame) {
    const Canvas canvas = frame.ui.canvas();
    CHECK(head_column_names(canvas, setup, 300) == Names{"previous token", "adjective → noun"});
    // The first name alone would fit here.
    const float one = canvas.width("previous token", TextStyle::body_strong);
    CHECK(head_column_names(canvas, setup, one + 70) == Names{"head 0", "head 1"});
    CHECK(head_column_names(canvas, setup, 60) == Names{"0", "1"});
    setup.head_names.clear();
    CHECK(head_column_names(canvas, setup, 300) == Names{"head 0", "head 1"});
    setup.head_names = {"previous token", "adjective → noun"};
  });
  Offscreen surface(app, 300, 100);
  surface.frames(1);
}
