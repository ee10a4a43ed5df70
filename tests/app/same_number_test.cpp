// A number is the same wherever it is read: in its cell, in the inspector, in its explanation, on the clipboard, in a
// file.
#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <set>

#include "app/session/checking.hpp"
#include "app/session/display/selection.hpp"
#include "app/session/export/export_job.hpp"
#include "app/session/selecting.hpp"
#include "app/session/snapshot/shared_link.hpp"
#include "app/session/snapshot/snapshot.hpp"
#include "app/slices/slice.hpp"
#include "app/ui/drawing/display_list.hpp"
#include "core/formats/arrays/npz.hpp"
#include "core/formats/arrays/tensor_slice.hpp"
#include "core/model/shapes.hpp"
#include "core/setup/edits.hpp"
#include "core/stages/explain.hpp"
#include "probe.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

void draw_all(Setup& setup, bool biases) {
  setup.tokens.clear();
  setup.random.draws = {SeedDraw{5}};
  const auto draw = [&](TensorId id) { setup.random.draws.push_back(TensorDraw{id, {}, Distribution::normal}); };
  draw(TensorId::X);
  if (setup.is_cross()) draw(TensorId::Y);
  for (TensorId id : {TensorId::W_q, TensorId::W_k, TensorId::W_v, TensorId::W_o}) draw(id);
  if (!biases) return;
  for (TensorId id : {TensorId::b_q, TensorId::b_k, TensorId::b_v, TensorId::b_o}) draw(id);
}

Setup self_attention(TokenAxis axis) {
  Setup setup;
  setup.sizes = {.batch = 2, .query_length = 3, .key_length = {}, .d_model = 4, .heads = 2, .kv_heads = 1};
  setup.mask.kinds = {MaskKind::causal};
  setup.attention.dropout = 0.25;
  setup.attention.token_axis = axis;
  draw_all(setup, false);
  return setup;
}

Setup cross_attention(TokenAxis axis) {
  Setup setup;
  setup.sizes = {.batch = 3, .query_length = 3, .key_length = 5, .d_model = 4, .heads = 2, .kv_heads = {}};
  setup.attention.source = Source::cross;
  setup.attention.token_axis = axis;
  setup.attention.weight_layout = WeightLayout::out_in;
  setup.attention.precision = Precision::float32;
  setup.mask.kinds = {MaskKind::padding};
  setup.mask.valid_lengths = {5, 2, 3};
  draw_all(setup, true);
  return setup;
}

/// Two layers with a residual stream, an MLP, norms and a task, so that every kind of tensor is in the second one too.
Setup two_layers() {
  Setup setup = offered_setup(TaskName::induction);
  setup.sizes.batch = 2;
  setup.sizes.d_model = 8;
  setup.sizes.d_mlp = 6;
  setup.sizes.query_length = 6;
  setup.task.symbols = 6;
  setup.block.mlp = Mlp::gelu;
  setup.block.gated = true;
  setup.norm = {.kind = NormKind::layer, .final = true};
  return with_parts(setup);
}

/// The number in a text like "−.25" or "3.1e-5", and its rounding error: half a unit of the last digit.
struct Said {
  double value = 0;
  double rounding = 0;
};
std::optional<Said> read_number(std::string text) {
  constexpr std::string_view minus = "−";
  const double sign = text.starts_with(minus) ? -1 : 1;
  if (sign < 0) text.erase(0, minus.size());
  const std::size_t e = text.find('e');
  const std::string digits = text.substr(0, e);
  if (digits.empty() || digits.find_first_not_of("-.0123456789") != std::string::npos) return {};
  if (digits.find_first_of("0123456789") == std::string::npos) return {};
  const std::size_t dot = digits.find('.');
  const auto decimals = dot == std::string::npos ? 0.0 : static_cast<double>(digits.size() - dot - 1);
  const double power = e == std::string::npos ? 0 : std::stod(text.substr(e + 1));
  return Said{sign * std::stod(text), 0.5 * std::pow(10.0, power - decimals)};
}

/// The texts that are drawn at a point, and all texts on the screen.
struct Words {
  std::vector<std::string> at_point;
  std::set<std::string> all;
};
Words words_of(const DisplayList& drawing, Point at) {
  Words words;
  for (const Drawn& drawn : drawing.drawn) {
    const auto* text = std::get_if<TextShape>(&drawn.shape);
    if (!text) continue;
    words.all.insert(text->text);
    if (drawn.clip.contains(at) && bounds_of(drawn.shape).outset(12).contains(at)) words.at_point.push_back(text->text);
  }
  return words;
}

/// The tip that appears once the mouse rests: the text that starts with `beginning`. A long one has two lines.
std::string tip_of(Scripted& person, const std::string& beginning) {
  person.surface.wait(0.6);
  std::string tip;
  for (const Drawn& drawn : person.surface.settled_drawing().drawn) {
    const auto* text = std::get_if<TextShape>(&drawn.shape);
    if (!text) continue;
    if (!tip.empty()) return tip + " " + text->text;
    if (text->text.starts_with(beginning + " = ")) return text->text;
    if (text->text == beginning + " =") tip = text->text;
  }
  return tip;
}

/// Points at a cell in the equation and compares its number everywhere. Returns whether the cell itself shows it.
bool read_everywhere(Scripted& person, const std::vector<NamedTensor>& file, Point at, const Cell& cell) {
  const std::string where = text_of(cell, person.session().setup());
  CAPTURE(where);
  const Trace& trace = person.session().trace();
  CHECK(cell.layer == trace.setup.layer);
  const double value = trace.value(cell);
  CHECK(explain(trace, cell).value == value);
  const std::string name = name_in_model(cell.tensor, trace.setup);
  const auto saved = std::ranges::find(file, name, &NamedTensor::name);
  REQUIRE(saved != file.end());
  CHECK(saved->tensor.at(cell.index) == value);
  const Selection place = at_cell(person.session().selection(), cell, person.session().setup());
  const Slice slice = slice_of(trace, cell.tensor, place.batch, place.head);
  CHECK(slice.value(place.row, place.column) == value);
  const std::string exact = exact_text(value, trace[cell.tensor].precision());
  const bool single = trace[cell.tensor].precision() == Precision::float32;
  if (std::isfinite(value))
    CHECK((single ? static_cast<double>(std::stof(exact)) : std::stod(exact)) == value);  // no digit is missing

  person.surface.move_mouse(at);
  person.surface.settle();
  const Words words = words_of(person.surface.settled_drawing(), at);
  CHECK(words.all.contains(exact));  // in the inspector
  CHECK(tip_of(person, where).find(where + " = " + exact) == 0);
  if (is_gradient(cell.tensor)) return true;  // small ones share a power of ten, which is written beside the picture
  for (const std::string& text : words.at_point) {
    const auto said = read_number(text);
    if (said && std::abs(said->value - value) <= said->rounding * (1 + 1e-6)) return true;
  }
  // A masked or small cell shows no number, which is fine; a different number is not.
  const bool silent = std::none_of(words.at_point.begin(), words.at_point.end(),
                                   [](const std::string& text) { return read_number(text).has_value(); });
  CHECK(silent);
  return false;
}

/// The middle of what the mouse finds of each cell, where its number stands. It looks where there are pictures of
/// cells.
std::map<std::string, Point> middles_of_cells(Scripted& person, const Rect& area, float step) {
  std::map<std::string, std::pair<Point, int>> found;
  for (const PlacedItem& picture : person.surface.items()) {
    if (!picture.path.ends_with("/cells") || !area.contains(picture.rect.center())) continue;
    for (float y = picture.rect.y + step / 2; y < picture.rect.bottom(); y += step)
      for (float x = picture.rect.x + step / 2; x < picture.rect.right(); x += step)
        if (const auto cell = cell_at(person, {x, y})) {
          auto& [sum, count] = found[to_string(*cell)];
          sum = sum + Point{x, y};
          ++count;
        }
  }
  std::map<std::string, Point> middles;
  for (const auto& [label, hits] : found) middles[label] = hits.first * (1 / static_cast<float>(hits.second));
  return middles;
}

/// Copies the number and opens the link to it, as other people would read them.
void hand_on(Scripted& person, const Cell& cell) {
  Session& session = person.session();
  CAPTURE(to_string(cell));
  const double value = session.trace().value(cell);
  Selecting(session).pin(cell);
  CHECK(session.cell() == cell);
  const std::string link = to_text(link_of(session));
  CHECK(link.find("cell=" + to_string(cell)) != std::string::npos);
  Session other;
  REQUIRE(go_to(other, read_link(link)).empty());
  CHECK(other.cell() == cell);
  CHECK(other.trace().value(other.cell()) == value);
  Session again;
  REQUIRE(go_to(again, snapshot_of(session)).empty());
  CHECK(again.cell() == cell);
  const TensorSlice part = parse_tensor_slice(shown_part(session), session.setup());
  CHECK(part.layer == cell.layer);
  const Tensor numbers = numbers_of(session.model_trace().at(part.layer), part).values;
  const Shape at = cell.index.rank() == 1 ? Shape{cell.index.back(0)} : Shape{cell.index.back(1), cell.index.back(0)};
  CHECK(numbers.at(at) == value);
  Selecting(session).release();
}

void read_every_tensor(const Setup& model, Index layer = 0) {
  const TemporaryFolder folder("same-number");
  Scripted person(Session(model), 1500, 900);
  person.session().look_at_layer(layer);
  const Setup setup = person.session().setup();
  REQUIRE(setup.layer == layer);
  write_npz(folder.path() / "trace.npz", person.session().model_trace());
  const std::vector<NamedTensor> file = read_npz(folder.path() / "trace.npz");
  const Rect centre = layout_of(person, 1500, 900).centre;
  int spoken = 0;
  int tensors = 0;
  for (const TensorInfo& tensor : all_tensors()) {
    if (!exists(tensor.id, setup)) continue;
    CAPTURE(tensor.name);
    Selecting(person.session()).release();
    Selecting(person.session()).select({tensor.id, 1, 1, 0, 0});
    person.surface.settle();
    const auto cells = middles_of_cells(person, centre, 26);
    int own = 0;
    bool spoke = false;
    for (const auto& [label, at] : cells) {
      const auto cell = cell_at(person, at);
      if (!cell || cell->tensor != tensor.id || own++ >= 4) continue;
      if (tensor.has_batch()) CHECK(cell->index[0] == 1);
      spoke = read_everywhere(person, file, at, *cell) || spoke;
      if (layer > 0 && own == 2) hand_on(person, *cell);
    }
    CHECK(own > 0);
    ++tensors;
    spoken += spoke;
  }
  CHECK(spoken * 2 >= tensors);
}

}  // namespace

TEST_CASE("the same number everywhere: tokens in rows, shared keys, masked, dropout, batch item 1") {
  read_every_tensor(self_attention(TokenAxis::rows));
}
TEST_CASE("the same number everywhere: tokens in columns, shared keys, masked, dropout, batch item 1") {
  read_every_tensor(self_attention(TokenAxis::columns));
}
TEST_CASE("the same number everywhere: cross-attention with unequal lengths, biases, float32, batch item 1") {
  read_every_tensor(cross_attention(TokenAxis::rows));
}
TEST_CASE("the same number everywhere: cross-attention with unequal lengths, tokens in columns, batch item 1") {
  read_every_tensor(cross_attention(TokenAxis::columns));
}
TEST_CASE("the same number everywhere: the second of two layers") { read_every_tensor(two_layers(), 1); }

TEST_CASE("every cell of a view that the mouse finds in the second layer is a cell of that layer") {
  for (const View view : {View::pipeline, View::heads, View::tokens, View::compare, View::learn}) {
    CAPTURE(to_string(view));
    Scripted person(Session(two_layers()), 1500, 900);
    Session& session = person.session();
    session.look_at_layer(1);
    if (view == View::compare) Checking(session).set_reference();
    session.show(view);
    person.surface.settle();
    REQUIRE(session.display().view == view);
    const Rect centre = layout_of(person, 1500, 900).centre;
    const auto cells =
        view == View::tokens ? cells_in(person, centre, 26) : middles_of_cells(person, centre, 13);  // lines, or cells
    CHECK(cells.size() >= (view == View::tokens ? 6 : 12));
    for (const auto& [label, at] : cells) {
      CAPTURE(label);
      const auto hovered = cell_at(person, at);
      REQUIRE(hovered);
      CHECK(hovered->layer == 1);
      const std::string exact = exact_text(session.trace().value(*hovered), session.setup().attention.precision);
      person.surface.settle();
      if (info(view).explains) CHECK(words_of(person.surface.settled_drawing(), at).all.contains(exact));
      person.click(at);
      CHECK(session.cell() == *hovered);
      CHECK(session.state().pinned);
      CHECK(link_of(session).cell == to_string(*hovered));
      Selecting(session).release();
    }
  }
}

TEST_CASE("a number under the mouse is forgotten where another layer comes in its place") {
  Scripted person(Session(two_layers()), 1500, 900);
  Session& session = person.session();
  session.look_at_layer(1);
  Selecting(session).hover(Cell{TensorId::weights, {0, 0, 1, 0}, 1});
  REQUIRE(session.cell().layer == 1);
  session.look_at_layer(0);
  CHECK(session.cell().layer == 0);
  person.surface.settle();
}
