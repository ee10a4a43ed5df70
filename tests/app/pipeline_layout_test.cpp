#include <doctest/doctest.h>

#include <algorithm>

#include "../core/setups.hpp"
#include "app/views/equation/formula_ribbon.hpp"
#include "app/views/map/accordion.hpp"
#include "app/views/map/pipeline_layout.hpp"
#include "app/views/map/pipeline_words.hpp"
#include "core/model/shapes.hpp"
#include "core/setup/edits.hpp"
#include "core/setup/validity.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

/// Setups with different tensors and numbers of heads.
std::vector<Setup> various_setups() {
  std::vector<Setup> setups;
  const Setup base = small_setup();
  setups.push_back(base);
  Setup cross = base;
  cross.attention.source = Source::cross;
  cross.sizes.key_length = 7;
  cross.random.draws.insert(cross.random.draws.begin() + 1,
                            TensorDraw{TensorId::Y, std::nullopt, Distribution::uniform});
  setups.push_back(cross);
  Setup biases = base;
  for (TensorId id : {TensorId::b_q, TensorId::b_k, TensorId::b_v, TensorId::b_o})
    biases.random.draws.push_back(TensorDraw{id, std::nullopt, Distribution::normal});
  biases.attention.dropout = 0.5;
  setups.push_back(biases);
  for (Index heads : {1, 8, 16, 32}) {
    Setup many = base;
    many.sizes.d_model = 32;
    many.sizes.heads = heads;
    if (heads > 4) many.sizes.kv_heads = 4;
    setups.push_back(many);
  }
  for (const Setup& plain : {base, cross}) {
    for (Encoding encoding : {Encoding::one_hot, Encoding::sinusoidal, Encoding::rotary, Encoding::alibi}) {
      setups.push_back(plain);
      setups.back().position.encoding = encoding;
    }
  }
  return setups;
}

}  // namespace

TEST_CASE("every tensor of the setup stands on the map, and nothing else") {
  for (const Setup& setup : various_setups()) {
    REQUIRE(problems(setup).empty());
    const PipelineLayout map = pipeline_layout({280, 44, 1160, 164}, setup, 0);
    std::size_t expected = 0;
    for (const TensorInfo& tensor : all_tensors()) {
      CAPTURE(tensor.name);
      const bool there = exists(tensor.id, setup);
      expected += there;
      CHECK((map.find(tensor.id) != nullptr) == there);
      if (!there) continue;
      std::size_t phases = 0;
      for (const MapPhase& phase : map.phases) phases += phase.holds(tensor.id);
      CHECK(phases == 1);
    }
    CHECK(map.tensors.size() == expected);
  }
}

TEST_CASE("thumbnails stay inside the strip and apart from each other at every width") {
  for (const Setup& setup : various_setups())
    for (float width : {592.0f, 672.0f, 1000.0f, 1160.0f, 1640.0f})
      for (float height : {68.0f, 112.0f, 164.0f}) {
        CAPTURE(width);
        const Rect area{280, 44, width, height};
        const PipelineLayout map = pipeline_layout(area, setup, 0);
        std::vector<Rect> all;
        for (const MapTensor& tensor : map.tensors)
          for (const MapThumb& thumb : tensor.thumbs) all.push_back(thumb.rect);
        for (std::size_t i = 0; i < all.size(); ++i) {
          CHECK(all[i].w > 0);
          CHECK(all[i].h > 0);
          CHECK(area.contains(all[i].min()));
          CHECK(area.contains(all[i].max()));
          for (std::size_t j = i + 1; j < all.size(); ++j) CHECK(all[i].intersected(all[j]).empty());
        }
      }
}

TEST_CASE("each head has a thumbnail, a shared key head one for its group, and too many heads share one") {
  const std::vector<Setup> setups = various_setups();
  const auto thumbs = [&](const Setup& setup, TensorId id, Index head = 0) {
    return pipeline_layout({0, 0, 1160, 164}, setup, head).find(id)->thumbs;
  };
  const Setup& eight = setups[4];
  CHECK(thumbs(eight, TensorId::weights).size() == 8);
  CHECK(thumbs(eight, TensorId::K_heads).size() == 4);
  CHECK(thumbs(eight, TensorId::K_heads)[1].head == 2);
  const Setup& many = setups[6];
  REQUIRE(many.sizes.heads == 32);
  CHECK(thumbs(many, TensorId::weights, 21).size() == 1);
  CHECK(thumbs(many, TensorId::weights, 21).front().head == 21);
}

TEST_CASE("wires run from left to right, and the three lanes keep their hues") {
  for (const Setup& setup : various_setups()) {
    const PipelineLayout map = pipeline_layout({280, 44, 1160, 164}, setup, 0);
    int roles[5] = {};
    for (const MapWire& wire : map.wires) {
      CHECK(wire.to.x > wire.from.x);
      ++roles[static_cast<int>(wire.role)];
    }
    const int rotations = setup.position.encoding == Encoding::rotary ? 1 : 0;
    CHECK(roles[static_cast<int>(Role::query)] == 4 + rotations);
    CHECK(roles[static_cast<int>(Role::key)] == 4 + rotations);
    CHECK(roles[static_cast<int>(Role::value)] == 4);
    CHECK(roles[static_cast<int>(Role::output)] == 1);
  }
}

namespace {

/// A model of some layers with everything that a block can have.
Setup stacked(Index layers, NormPlacement placement, Mlp mlp) {
  Setup setup = offered_setup(TaskName::induction);
  setup.norm = {.kind = NormKind::layer, .placement = placement, .final = true};
  setup.block.mlp = mlp;
  setup.position.encoding = Encoding::learned;
  setup.sizes.layers = layers;
  return with_parts(setup);
}

std::vector<Setup> stacked_setups() {
  std::vector<Setup> setups;
  for (const NormPlacement placement : {NormPlacement::before, NormPlacement::after})
    for (const Mlp mlp : {Mlp::none, Mlp::gelu})
      for (const Index layers : {2, 3, 12, 40})
        for (const Index shown : {Index{0}, layers / 2, layers - 1})
          setups.push_back(seen_at(stacked(layers, placement, mlp), shown));
  return setups;
}

}  // namespace

TEST_CASE("each layer of a model stands on the map once, in order, and nothing covers anything") {
  for (const Setup& setup : stacked_setups())
    for (const float width : {592.0f, 1000.0f, 1100.0f, 1640.0f})
      for (const float height : {68.0f, 112.0f, 164.0f}) {
        CAPTURE(setup.sizes.layers);
        CAPTURE(setup.layer);
        CAPTURE(width);
        const Rect area{280, 44, width, height};
        const Accordion accordion = accordion_of(area, setup, map_columns(setup));
        std::vector<Rect> all{accordion.stepper};
        const auto add = [&](const Rect& r) {
          if (r.empty()) return;
          CHECK(r.x >= all.back().right() - 0.01f);
          CHECK(area.contains(r.min()));
          CHECK(r.right() <= area.right());
          all.push_back(r);
        };
        add(accordion.first);
        Index next = 0;
        if (accordion.before) {
          CHECK(accordion.before->next == accordion.before->count - 1);
          next = accordion.before->count;
          add(accordion.before->rect);
        }
        for (Index layer = next; layer <= next + static_cast<Index>(accordion.tiles.size()); ++layer) {
          if (layer == setup.layer) {
            add(accordion.block);
            continue;
          }
          const auto tile = std::ranges::find(accordion.tiles, layer, &LayerTile::layer);
          REQUIRE(tile != accordion.tiles.end());
          CHECK(tile->rect.w >= 26);
          CHECK(tile->rect.w <= 44);
          add(tile->rect);
        }
        next += static_cast<Index>(accordion.tiles.size()) + 1;
        CHECK(accordion.after.has_value() == (next < setup.sizes.layers));
        if (accordion.after) {
          CHECK(accordion.after->next == next);
          next += accordion.after->count;
          add(accordion.after->rect);
        }
        CHECK(next == setup.sizes.layers);
        CHECK(accordion.tiles.size() < 12);
        add(accordion.last);
        CHECK(accordion.first.empty() == setup.is_first());
        CHECK(accordion.last.empty() == setup.is_last());
      }
}

TEST_CASE("a wide map has a tile for each of twelve layers") {
  const Setup setup = seen_at(stacked(12, NormPlacement::before, Mlp::none), 5);
  const Accordion accordion = accordion_of({0, 0, 1240, 164}, setup, map_columns(setup));
  CHECK(accordion.tiles.size() == 11);
  CHECK_FALSE(accordion.before);
  CHECK_FALSE(accordion.after);
}

TEST_CASE(
    "the stream runs above all pictures of a layer, is added to once or twice, and a norm after that interrupts it") {
  for (const Setup& setup : stacked_setups())
    for (const float height : {68.0f, 112.0f, 164.0f}) {
      CAPTURE(setup.layer);
      CAPTURE(height);
      const Rect area{280, 44, 900, height};
      const PipelineLayout map = pipeline_layout(area, setup, 0);
      REQUIRE(map.rail);
      const MapRail& rail = *map.rail;
      CHECK(rail.joints.size() == (setup.has_mlp() ? 2 : 1));
      for (const MapTensor& tensor : map.tensors) {
        CAPTURE(name(tensor.id));
        CHECK(tensor.bounds.y > rail.y);
      }
      const bool interrupted = setup.norm.placement == NormPlacement::after;
      // What leaves the last layer is what its last norm makes, and no stream goes on from there.
      CHECK(rail.pieces.size() == (interrupted ? rail.joints.size() + (setup.is_last() ? 0 : 1) : 1));
      CHECK((rail.pieces.front().from == area.x) == !setup.is_first());
      CHECK((rail.pieces.back().to == area.right()) == !setup.is_last());
      for (const MapRail::Piece& piece : rail.pieces) CHECK(piece.from < piece.to);
      for (std::size_t i = 1; i < rail.pieces.size(); ++i) CHECK(rail.pieces[i].from > rail.pieces[i - 1].to);
      for (const float joint : rail.joints)
        CHECK(std::ranges::any_of(rail.pieces, [&](const auto& p) { return p.from < joint && joint < p.to; }));
      for (const MapWire& wire : map.wires) CHECK(wire.to.x >= wire.from.x);
      // Nothing takes the stream's way through the pictures any more.
      CHECK(std::ranges::count(map.wires, MapWire::Path::to_rail, &MapWire::path) ==
            static_cast<std::ptrdiff_t>(rail.joints.size()));
    }
  CHECK_FALSE(pipeline_layout({0, 0, 900, 164}, stacked(1, NormPlacement::before, Mlp::gelu), 0).rail);
}

TEST_CASE("a gain and a shift stand beside their norm, before attention or after it") {
  for (const NormPlacement placement : {NormPlacement::before, NormPlacement::after}) {
    const Setup setup = stacked(1, placement, Mlp::gelu);
    const PipelineLayout map = pipeline_layout({0, 0, 1160, 164}, setup, 0);
    const float gain = map.find(TensorId::norm_gain)->bounds.x, scores = map.find(TensorId::scores)->bounds.x;
    CHECK((gain > scores) == (placement == NormPlacement::after));
  }
}

TEST_CASE("operations say the setup's own numbers") {
  Setup setup = small_setup();
  const auto words = [&](TensorId id) {
    std::string all;
    for (const OperationWord& word : operation_of(id, setup, 0)) all += word.text;
    return all;
  };
  CHECK(words(TensorId::scores) == "÷ √4");
  CHECK(words(TensorId::masked_scores) == "mask: none");
  setup.attention.temperature = 2;
  setup.mask.kinds = {MaskKind::causal, MaskKind::window};
  CHECK(words(TensorId::scores) == "÷ √4 ÷ 2");
  CHECK(words(TensorId::masked_scores) == "causal + window");
  setup.attention.scale = NoScale{};
  CHECK(words(TensorId::scores) == "÷ 2");
  setup.attention.scale = 0.25;
  setup.attention.temperature = 1;
  CHECK(words(TensorId::scores) == "× 0.25");
  setup.attention.dropout = 0.125;
  CHECK(words(TensorId::dropped_weights) == "dropout 12.5 %");
  setup.sizes.batch = 3;
  CHECK(operation_of(TensorId::X, setup, 1).front().text == "item 1 of 3");
}

TEST_CASE("the formula says the setup's own operations, each piece in the tensor that it makes") {
  Setup setup = small_setup();
  const auto text = [&](TensorId id) {
    std::string all;
    for (const FormulaPiece& piece : formula_of(id, setup).pieces) all += " " + piece.text + piece.subscript;
    return all;
  };
  CHECK(text(TensorId::K) == " Q = X Wq + bq K = X Wk + bk V = X Wv + bv");
  CHECK(text(TensorId::scores) == " concat ( softmax ( Q · Kᵀ ÷ √dhead + mask ) · V ) · Wo + bo");
  setup.attention.scale = NoScale{};
  setup.attention.dropout = 0.5;
  CHECK(text(TensorId::output) == " concat ( dropout ( softmax ( Q · Kᵀ + mask ) ) · V ) · Wo + bo");
  const Formula formula = formula_of(TensorId::scores, setup);
  std::string lit;
  for (std::size_t piece = 0; piece < formula.pieces.size(); ++piece)
    if (formula.lit(piece, TensorId::dot_products)) lit += formula.pieces[piece].text;
  CHECK(lit == "Q·Kᵀ");
}

TEST_CASE("the formula writes positions as they come in: added, as a rotation, or as a bias") {
  Setup setup = small_setup();
  setup.random.draws.resize(9);  // without b_o
  const auto text = [&](TensorId id) {
    std::string all;
    for (const FormulaPiece& piece : formula_of(id, setup).pieces) all += " " + piece.text + piece.subscript;
    return all;
  };
  setup.position.encoding = Encoding::sinusoidal;
  CHECK(text(TensorId::X_plus_P) == " Q = ( X + P ) Wq + bq K = ( X + P ) Wk + bk V = ( X + P ) Wv + bv");
  const Formula sums = formula_of(TensorId::P, setup);
  std::string lit;
  for (std::size_t piece = 0; piece < sums.pieces.size(); ++piece)
    if (sums.lit(piece, TensorId::X_plus_P)) lit += sums.pieces[piece].text;
  CHECK(lit == "(X+P)(X+P)(X+P)");
  setup.position.encoding = Encoding::rotary;
  CHECK(text(TensorId::scores) == " concat ( softmax ( rotate ( Q ) · rotate ( K )ᵀ ÷ √dhead + mask ) · V ) · Wo");
  setup.position.encoding = Encoding::alibi;
  CHECK(text(TensorId::scores) == " concat ( softmax ( Q · Kᵀ ÷ √dhead + position bias + mask ) · V ) · Wo");
}

TEST_CASE("the formula follows the convention on screen") {
  const auto text = [](TensorId id, const Setup& setup) {
    std::string all;
    for (const FormulaPiece& piece : formula_of(id, setup).pieces) all += " " + piece.text + piece.subscript;
    return all;
  };
  Setup setup = small_setup();
  setup.attention.token_axis = TokenAxis::columns;
  setup.attention.weight_layout = WeightLayout::out_in;
  CHECK(text(TensorId::K, setup) == " Q = Wq X + bq K = Wk X + bk V = Wv X + bv");
  CHECK(text(TensorId::scores, setup) == " Wo · concat ( V · softmax ( Kᵀ · Q ÷ √dhead + mask ) ) + bo");
  setup.attention.token_axis = TokenAxis::rows;
  CHECK(text(TensorId::K, setup) == " Q = X Wᵀq + bq K = X Wᵀk + bk V = X Wᵀv + bv");
}
