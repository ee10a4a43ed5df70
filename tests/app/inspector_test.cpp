// A scripted person uses the inspector: links, ranges, copies, files and keys.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "../core/setups.hpp"
#include "app/session/checking.hpp"
#include "app/session/display/display_entries.hpp"
#include "app/session/selecting.hpp"
#include "app/ui/drawing/display_list.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/inspector/inspector_parts.hpp"
#include "app/views/inspector/known_explanation.hpp"
#include "app/views/inspector/largest_terms.hpp"
#include "app/views/overlays/overlays.hpp"
#include "app/views/overlays/path_card.hpp"
#include "app/views/tensors/tensor_scale.hpp"
#include "core/formats/setup/setup_file.hpp"
#include "core/model/shapes.hpp"
#include "core/setup/edits.hpp"
#include "core/stages/explain.hpp"
#include "legibility.hpp"
#include "probe.hpp"
#include "scripted.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

struct Desk : Scripted {
  explicit Desk(TensorId tensor = TensorId::weights, std::string_view lecture = "numpy-from-scratch")
      : Scripted(lecture_session(lecture), 1440, 900) {
    Selecting(session()).select({tensor, 0, 0, 1, 1});
    session().show(View::pipeline);
    surface.settle();
  }
  Rect inspector() { return layout_of(*this, 1440, 900).inspector; }
  Rect centre() { return layout_of(*this, 1440, 900).centre; }
};

std::vector<double> numbers(const std::string& text) {
  std::istringstream in(text);
  std::vector<double> found;
  double value = 0;
  while (in >> value) found.push_back(value);
  return found;
}

}  // namespace

TEST_CASE("of a long sum the largest terms have a row each, and all others are added up in one") {
  std::vector<Term> terms(5);
  const double values[] = {1, -8, 2, 16, -4};
  for (std::size_t i = 0; i < terms.size(); ++i) terms[i].value = values[i];
  const LargestTerms two = largest_terms(terms, 2);
  REQUIRE(two.shown.size() == 2);
  CHECK(two.shown[0]->value == 16);
  CHECK(two.shown[1]->value == -8);
  CHECK(two.rest == 3);
  CHECK(two.rest_sum == 1 + 2 - 4);
  CHECK(largest_terms(terms, 4).rest == 0);  // a single one would need a row as well
}

TEST_CASE("in a model of several layers a cell says its layer, and what belongs to the model doesn't") {
  const auto words = [](Index layers, const Cell& cell) {
    Setup setup = testing::block_setup();
    setup.sizes.layers = layers;
    std::string text;
    for (const Box& part : cell_name(theme(ThemeName::dark), cell, setup, TextStyle::code).of) text += part.text;
    return text;
  };
  const Cell score{TensorId::scores, {0, 0, 1, 0}, 1}, logit{TensorId::logits, {0, 1, 2}, 0};
  CHECK(words(2, score).starts_with("L1.scores["));
  CHECK(words(2, logit).starts_with("logits["));
  CHECK(words(1, {TensorId::scores, {0, 0, 1, 0}}).starts_with("scores["));
}

TEST_CASE("the words of the formula lead to the tensors that they name") {
  Desk person;
  std::set<TensorId> met;
  for (int i = 0; i < 24; ++i) {
    Selecting(person.session()).select({TensorId::weights, 0, 0, 1, 1});
    person.surface.settle();
    const std::string word = "formula/" + std::to_string(i) + "/word";
    if (!person.has_item(word)) break;
    person.click_item(word);
    met.insert(person.session().selection().tensor);
  }
  for (TensorId tensor : {TensorId::Q, TensorId::K, TensorId::V, TensorId::W_o, TensorId::concat, TensorId::weights}) {
    const auto made = static_cast<TensorId>(tensor);
    CAPTURE(name(made));
    const bool of_heads = made <= TensorId::V && met.contains(static_cast<TensorId>(static_cast<int>(made) + 3));
    CHECK((met.contains(made) || of_heads));
  }
}

TEST_CASE("a weight shows its score and what its query is made of, back to the input") {
  Desk person;
  person.press(Key::p);
  const Trace& trace = person.session().trace();
  const auto largest = [](Index count, auto&& of) {
    Index best = 0;
    for (Index i = 1; i < count; ++i)
      if (std::abs(of(i)) > std::abs(of(best))) best = i;
    return best;
  };
  const Index feature = largest(person.session().setup().d_head(), [&](Index d) {
    return trace.value({TensorId::Q_heads, {0, 0, 1, d}}) * trace.value({TensorId::K_heads, {0, 0, 1, d}});
  });
  const Index input = largest(person.session().setup().sizes.d_model, [&](Index n) {
    return trace.value({TensorId::X, {0, 1, n}}) * trace.value({TensorId::W_q, {n, feature}});
  });
  const Cell score{TensorId::dot_products, {0, 0, 1, 1}};
  const Cell from{TensorId::X, {0, 1, input}};
  CHECK(person.scroll_to("way " + to_string(score), person.inspector()));
  CHECK(person.scroll_to("way " + to_string(Cell{TensorId::Q_heads, {0, 0, 1, feature}}), person.inspector()));
  REQUIRE(person.scroll_to("way " + to_string(from), person.inspector()));
  person.click_item("way " + to_string(from));
  CHECK(person.session().cell() == from);
  CHECK_FALSE(person.has_item("way " + to_string(score)));
}

TEST_CASE("a sum is explained once for each number and trace, however many frames show it") {
  const Setup setup = with_query_length(small_setup(), 512);
  Scripted person(Session(setup), 1440, 900);
  const auto made = [&] {
    const auto& known = person.app.memory().get<InspectorExplanations>();
    return known.number.times_made() + known.sum.times_made() + known.weight.times_made();
  };
  const auto show = [&](const Cell& cell) {
    Selecting(person.session()).select(at_cell(person.session().selection(), cell, person.session().setup()));
    person.surface.settle();
    const int before = made();
    person.surface.frames(5);
    CHECK(made() == before);  // not even one of its terms gets words again
    return before;
  };
  person.session().show(View::pipeline);
  show({TensorId::Q, {0, 1, 1}});
  const int context = show({TensorId::context, {0, 1, 2, 3}});  // a term for each of 512 keys
  const int score = show({TensorId::scores, {0, 1, 2, 3}});
  CHECK(score == context + 3);  // the score, its dot product, and the weight in its row
  person.session().edit(with_seed(setup, 7));
  person.surface.settle();
  CHECK(made() == score + 3);
}

TEST_CASE("a number leads to where it goes and to what it comes from, and back and forward again") {
  Desk person;
  person.press(Key::p);
  const Cell start = person.session().cell();
  const Cell next = explain(person.session().trace(), start).goes_into.front().first;
  REQUIRE(person.scroll_to("into 0", person.inspector()));
  person.click_item("into 0");
  CHECK(person.session().cell() == next);
  CHECK(person.session().state().pinned);
  person.surface.wheel(100);
  person.surface.settle();
  person.click_item("right/inspector/back");
  CHECK(person.session().cell() == start);
  person.click_item("right/inspector/forward");
  CHECK(person.session().cell() == next);
  person.press({.key = Key::left, .alt = true});
  CHECK(person.session().cell() == start);
  person.press({.key = Key::up, .alt = true});
  CHECK(person.session().cell().tensor == TensorId::masked_scores);
}

TEST_CASE("a click on a head in the column picks it") {
  Desk person(TensorId::weights, "behind-the-scenes");
  for (Index head : {3, 1, 0, 2}) {
    person.click_item("heads/" + std::to_string(head) + "/head");
    CHECK(person.session().selection().head == head);
    CHECK(person.session().selection().tensor == TensorId::weights);
  }
}

TEST_CASE("the range of the colours: 0–1, × even, 0–max, min–max, by hand, logarithmic, per head") {
  Desk person;
  const auto options = [&] { return person.session().display().heatmap(TensorId::weights); };
  REQUIRE(person.scroll_to("logarithmic colours", person.inspector()));
  person.surface.move_mouse({20, 880});
  const Image automatic = person.surface.settled_picture();
  const auto changes_picture = [&] {
    person.surface.move_mouse({20, 880});
    return pixels_off(automatic, person.surface.settled_picture(), person.centre()) > 300;
  };
  person.choose("range", 3, 5);
  CHECK(options().range == RangeKind::min_max);
  CHECK(changes_picture());
  person.choose("range", 1, 5);
  CHECK(options().range == RangeKind::even);
  CHECK(changes_picture());
  person.choose("range", 2, 5);
  CHECK(options().range == RangeKind::top);
  CHECK(changes_picture());
  person.choose("range", 0, 5);
  CHECK(options().range == RangeKind::unit);
  CHECK_FALSE(changes_picture());

  person.click_item("logarithmic colours");
  CHECK(options().logarithmic);
  CHECK(changes_picture());
  person.click_item("logarithmic colours");
  CHECK_FALSE(options().logarithmic);
  person.click_item("per head");
  CHECK(options().per_head);
  person.click_item("per head");

  const Rect high = person.item("high");
  person.surface.drag(high.center(), high.center() - Point{120, 0}, 6);
  person.surface.settle();
  CHECK(options().range == RangeKind::fixed);
  CHECK(options().low == 0);
  CHECK(options().high < 1);
  CHECK(options().high > 0);
  CHECK(changes_picture());
  const double narrowed = options().high;
  const Rect low = person.item("low");
  person.surface.drag(low.center(), low.center() + Point{60, 0}, 6);
  person.surface.settle();
  CHECK(options().low > 0);
  CHECK(options().high == narrowed);
  person.click_item("map");
  person.press(Key::down);
  person.press(Key::enter);
  CHECK(options().colour_map == ColourMap::viridis);
}

TEST_CASE("where cells share a pixel the picture names what the pixel shows, and the mean can be asked for") {
  Desk person;
  Setup large = person.session().setup();
  large.sizes.query_length = 700;
  large.tokens.clear();
  person.session().edit(large);
  person.surface.settle();
  const auto says = [&](std::string_view words) {
    const DisplayList drawing = person.surface.settled_drawing();
    return std::any_of(drawing.drawn.begin(), drawing.drawn.end(), [&](const Drawn& drawn) {
      const auto* text = std::get_if<TextShape>(&drawn.shape);
      return text && text->text.find(words) != std::string::npos;
    });
  };
  for (View view : {View::pipeline, View::heads, View::compare}) {
    CAPTURE(static_cast<int>(view));
    Checking(person.session()).set_reference();
    person.session().show(view);
    CHECK(says("max |v| per pixel"));
  }
  person.session().show(View::pipeline);
  REQUIRE(person.scroll_to("mean where cells share a pixel", person.inspector()));
  person.surface.move_mouse({20, 880});
  const Image largest = person.surface.settled_picture();
  person.click_item("mean where cells share a pixel");
  CHECK(says("mean per pixel"));
  person.surface.move_mouse({20, 880});
  CHECK(pixels_off(largest, person.surface.settled_picture(), person.centre()) > 300);

  const std::map<std::string, Point> cells = cells_in(person, person.centre(), 40);
  REQUIRE_FALSE(cells.empty());
  person.surface.move_mouse(cells.begin()->second);
  person.surface.wait(0.6);
  CHECK(says("cells in this pixel"));
}

TEST_CASE("the number, the row and the matrix on the clipboard are the trace's") {
  Desk person(TensorId::scores);
  const Trace& trace = person.session().trace();
  person.press(Key::p);
  person.press({.key = Key::c, .ctrl = true});
  CHECK(numbers(person.surface.clipboard()) == std::vector<double>{trace.value({TensorId::scores, {0, 0, 1, 1}})});
  std::vector<double> row;
  for (Index key = 0; key < 4; ++key) row.push_back(trace.value({TensorId::scores, {0, 0, 1, key}}));
  person.run("copy.row");
  CHECK(numbers(person.surface.clipboard()) == row);
  std::vector<double> matrix;
  for (Index query = 0; query < 4; ++query)
    for (Index key = 0; key < 4; ++key) matrix.push_back(trace.value({TensorId::scores, {0, 0, query, key}}));
  person.press({.key = Key::c, .ctrl = true, .shift = true});
  CHECK(numbers(person.surface.clipboard()) == matrix);
  const std::string text = person.surface.clipboard();
  CHECK(std::count(text.begin(), text.end(), '\n') >= 3);
  // A click on the number at the top of the inspector copies it with every digit.
  person.click_item("exact");
  CHECK(numbers(person.surface.clipboard()) == std::vector<double>{trace.value({TensorId::scores, {0, 0, 1, 1}})});
}

TEST_CASE("F1 lists the keys, and a recent file opens again") {
  const TemporaryFolder folder("recent");
  const auto file = folder.path() / "mine.toml";
  Desk person;
  Setup mine = person.session().setup();
  mine.sizes.heads = 8;
  std::ofstream(file) << write_setup(mine);

  const Image plain = person.surface.settled_picture();
  person.press(Key::f1);
  CHECK(person.session().display().overlay == Overlay::shortcuts);
  CHECK(pixels_off(plain, person.surface.settled_picture(), person.centre()) > 5000);
  person.press(Key::f1);
  CHECK(person.session().display().overlay == Overlay::none);

  person.surface.drop({file});
  person.surface.settle();
  REQUIRE(person.session().setup().sizes.heads == 8);
  person.press({.key = Key::z, .ctrl = true});
  REQUIRE(person.session().setup().sizes.heads == 2);
  person.press({.key = Key::o, .ctrl = true});
  person.click_item("0/choice");
  CHECK(person.session().setup().sizes.heads == 8);
  CHECK_FALSE(person.app.memory().opened<PathPrompt>().has_value());
}

TEST_CASE("the card of the appearance has room for its words on a telephone") {
  Scripted person(lecture_session(), 390, 844);
  person.run("appearance");
  CHECK(shows_text(person.surface.settled_drawing(true), {0, 0, 390, 844}, "Colours of numbers"));
}

TEST_CASE("the card of the appearance changes theme, scale, colours and motion") {
  Desk person;
  const auto now = [&] { return person.session().display().appearance; };
  const auto is_open = [&] { return person.session().display().overlay == Overlay::appearance; };
  const Point sun = person.item("theme.toggle").center();
  person.surface.move_mouse(sun);
  person.surface.frames(2);
  person.surface.press_mouse(MouseButton::right);
  person.surface.frames(1);
  person.surface.release_mouse(MouseButton::right);
  person.surface.settle();
  REQUIRE(is_open());
  person.press(Key::escape);
  REQUIRE_FALSE(is_open());
  person.press({.key = Key::comma, .ctrl = true});
  REQUIRE(is_open());

  person.click_item("scale/plus");
  CHECK(now().scale == 1.1);
  person.click_item("scale/minus");
  person.click_item("scale/minus");
  person.click_item("scale/minus");
  person.click_item("scale/minus");
  CHECK(now().scale == smallest_scale);
  person.press({.key = Key::digit_0, .ctrl = true});

  REQUIRE(now().theme_follows);
  person.choose("theme", 1, 2);
  CHECK(now().theme == ThemeName::light);
  CHECK_FALSE(now().theme_follows);
  person.click_item("theme_follows");
  CHECK(now().theme_follows);
  person.click_item("reduce_motion");
  CHECK(now().reduce_motion);
  person.click_item("colour_map");
  for (std::size_t below = 1; below < colour_map_words.size(); ++below) person.press(Key::down);
  person.press(Key::enter);
  CHECK(now().colour_map == ColourMap::safe);
  person.click_item("close");
  CHECK_FALSE(is_open());
}

TEST_CASE("colours chosen for all tensors give way to those of one") {
  Session session = lecture_session();
  StatisticsCache cache;
  const auto map_of = [&](TensorId tensor) { return color_scale_of(session, cache, tensor, 0).map; };
  CHECK(map_of(TensorId::weights) == ColorMapName::weights);
  CHECK(map_of(TensorId::scores) == ColorMapName::signed_);
  Display display = session.display();
  display.appearance.colour_map = ColourMap::safe;
  display.heatmap(TensorId::scores).colour_map = ColourMap::magma;
  session.set_display(display);
  CHECK(map_of(TensorId::weights) == ColorMapName::safe);
  CHECK(map_of(TensorId::Q) == ColorMapName::safe);
  CHECK(map_of(TensorId::scores) == ColorMapName::magma);
}

TEST_CASE("larger, smaller, normal, and the projector and back") {
  Desk person;
  const auto scale = [&] { return person.session().display().appearance.scale; };
  for (double expected : {1.1, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 3.0}) {
    person.press({.key = Key::equal, .ctrl = true});
    CHECK(scale() == expected);
  }
  person.press({.key = Key::minus, .ctrl = true});
  CHECK(scale() == 2.5);
  person.press({.key = Key::digit_0, .ctrl = true});
  CHECK(scale() == 1);
  const Display before = person.session().display();
  person.press({.key = Key::f5, .shift = true});
  CHECK(person.session().display().projector());
  CHECK(person.session().display().appearance.setup_folded);
  CHECK(person.session().display().appearance.theme == ThemeName::light);
  CHECK(person.surface.settled_picture().at(20, 500).r > 200);
  person.press({.key = Key::f5, .shift = true});
  CHECK(person.session().display() == before);
}

TEST_CASE("a small factor beside large ones is not written as zero") {
  Desk person(TensorId::Q);
  Session& session = person.session();
  Setup setup = with_biases(session.setup(), true);
  setup.values.set(TensorId::b_q, parse_value_key("b_q[1]")->part, GivenNumbers::single(-0.004));
  setup.values.set(TensorId::X, parse_value_key("X[0,1,0]")->part, GivenNumbers::single(12.5));
  REQUIRE(session.edit(setup).empty());
  const DisplayList drawing = person.surface.settled_drawing();
  const auto written = std::count_if(drawing.drawn.begin(), drawing.drawn.end(), [](const Drawn& drawn) {
    const auto* const text = std::get_if<TextShape>(&drawn.shape);
    return text != nullptr && text->text == "−0.004";
  });
  CHECK(written == 2);  // as the factor and as the term
}

TEST_CASE("the inspector counts hidden, infinite and undefined numbers where there are any, and says nothing of none") {
  Desk person(TensorId::masked_scores);
  Session& session = person.session();
  person.surface.move_mouse(person.inspector().center());
  const auto says = [&](const std::string& words) {
    for (int i = 0; i < 30; ++i) person.surface.wheel(-2);  // to the end, where the range is
    return shows_text(person.surface.settled_drawing(), person.inspector(), words);
  };
  const auto says_none = [&](std::vector<std::string> words) {
    return std::ranges::none_of(words, [&](const std::string& word) { return says("0 " + word); });
  };
  CHECK(says_none({"masked", "NaN", "infinite"}));
  REQUIRE(session.edit(with_mask_kind(session.setup(), MaskKind::causal, true)).empty());
  CHECK(says(std::to_string(session.setup().sizes.heads * 6) + " masked"));
  CHECK(says_none({"NaN", "infinite"}));
  Setup setup = session.setup();
  setup.attention.scale = 1e308;
  REQUIRE(session.edit(setup).empty());
  Selecting(session).select({TensorId::weights, 0, 0, 1, 1});
  Index undefined = 0;
  const Tensor& weights = session.trace()[TensorId::weights];
  for (Index head = 0; head < weights.shape()[1]; ++head)
    for (Index query = 0; query < weights.shape()[2]; ++query)
      for (Index key = 0; key < weights.shape()[3]; ++key) undefined += std::isnan(weights.at({0, head, query, key}));
  REQUIRE(undefined > 0);
  CHECK(says(std::to_string(undefined) + " NaN"));
  CHECK(says_none({"masked", "infinite"}));
}
