#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/composition/parts.hpp"
#include "core/composition/parts_table.hpp"
#include "core/engine/engine.hpp"
#include "core/lecture/expression.hpp"
#include "core/setup/edits.hpp"
#include "core/setup/validity.hpp"
#include "refused.hpp"
#include "setups.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

/// A model whose numbers can be taken apart, with random options.
Setup random_model(unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](unsigned most) { return static_cast<Index>(random() % most); };
  Setup setup = offered_setup(TaskName::induction);
  setup.sizes.batch = 2;
  setup.sizes.layers = 1 + below(3);
  setup.sizes.heads = below(2) == 0 ? 2 : 4;
  setup.sizes.d_model = setup.sizes.heads * 2 * (2 + below(3));
  if (below(2) == 0) setup.sizes.kv_heads = setup.sizes.heads / 2;
  setup.attention.qk_norm = below(3) == 0;
  if (setup.attention.qk_norm && below(2) == 0) setup.attention.qk_norm_over = NormSpan::heads;
  setup.attention.temperature = below(2) == 0 ? 1 : 0.7;
  if (below(3) == 0) setup.attention.ablated_heads = {LayerHead(0, 1)};
  setup.position.encoding = std::array{Encoding::none, Encoding::learned, Encoding::sinusoidal, Encoding::rotary,
                                       Encoding::alibi}[static_cast<std::size_t>(below(5))];
  if (setup.position.encoding == Encoding::rotary && below(2) == 0) setup.position.layout = PairLayout::interleaved;
  setup.norm.kind = std::array{NormKind::none, NormKind::layer, NormKind::rms}[static_cast<std::size_t>(below(3))];
  setup.norm.final = setup.norm.kind != NormKind::none && below(2) == 0;
  setup.norm.epsilon = 1e-3;
  setup.block.mlp = std::array{Mlp::none, Mlp::gelu, Mlp::silu}[static_cast<std::size_t>(below(3))];
  setup.block.gated = setup.block.mlp != Mlp::none && below(2) == 0;
  std::string layers = "L*: W_q normal 0.5, W_k normal 0.5, W_v normal 0.5, W_o normal 0.5";
  if (below(2) == 0) layers += ", b_q normal, b_k normal, b_v normal, b_o normal";
  if (setup.block.mlp != Mlp::none) layers += ", W_in normal 0.5, W_out normal 0.5, b_in normal 0.1, b_out normal";
  if (setup.block.gated) layers += ", W_gate normal 0.5";
  if (setup.norm.kind != NormKind::none) layers += ", norm_gain normal";
  if (setup.norm.kind == NormKind::layer) layers += ", norm_bias normal";
  setup.random.draws.clear();
  for (const std::string& draw :
       {std::string("seed 1"), std::string("W_E normal"), layers, std::string("W_U normal"), std::string("b_U normal")})
    setup.random.draws.push_back(*parse_draw(draw));
  if (setup.position.encoding == Encoding::learned) setup.random.draws.push_back(*parse_draw("P normal"));
  require_valid(setup);
  return setup;
}

/// One of two layers, with nothing that the first of them doesn't have.
ModelTrace stacked_model() {
  Setup setup = random_model(7);
  setup.sizes.layers = 2;
  return compute_model(setup);
}

/// How far a number is from the sum of its parts.
double miss(const ModelTrace& model, const Cell& cell) {
  const Parts parts = parts_of(model, cell);
  double sum = parts.position_bias.value_or(0);
  for (std::size_t row = 0; row < parts.rows.size(); ++row)
    for (std::size_t column = 0; column < std::max<std::size_t>(1, parts.columns.size()); ++column)
      sum += parts.at(row, column);
  CHECK(parts.rest == doctest::Approx(model.value(cell) - sum).epsilon(1).scale(1e-12));
  return std::abs(sum - model.value(cell)) / std::max(1.0, std::abs(model.value(cell)));
}

Cell random_cell(const ModelTrace& model, TensorId tensor, Index layer, std::mt19937& random) {
  Cell cell{tensor, {}, layer};
  for (const Index extent : model.at(layer)[tensor].shape())
    cell.index.push_back(static_cast<Index>(random() % static_cast<unsigned>(extent)));
  return cell;
}

}  // namespace

TEST_CASE("a score and a logit are the sum of what each of their sources gives") {
  for (unsigned seed = 0; seed < 120; ++seed) {
    CAPTURE(seed);
    const ModelTrace model = compute_model(random_model(seed));
    std::mt19937 random(seed);
    for (const auto& layer : model.layers)
      for (int i = 0; i < 3; ++i) {
        CHECK(miss(model, random_cell(model, TensorId::scores, layer->setup.layer, random)) < 1e-12);
        CHECK(miss(model, random_cell(model, TensorId::dot_products, layer->setup.layer, random)) < 1e-12);
      }
    const Index last = model.last().setup.layer;
    for (int i = 0; i < 3; ++i) CHECK(miss(model, random_cell(model, TensorId::logits, last, random)) < 1e-12);
  }
}

TEST_CASE("the sources of a number are the input, what each head and MLP below wrote, shifts and biases") {
  Setup setup = random_model(0);
  setup.sizes.layers = 2;
  setup.sizes.heads = 2;
  setup.sizes.kv_heads = {};
  setup.sizes.d_model = 8;
  setup.attention.qk_norm = false;
  setup.position = {.encoding = Encoding::learned};
  setup.norm = {.kind = NormKind::layer, .final = true};
  setup.block = {.residual = true, .mlp = Mlp::gelu};
  setup.random.draws.clear();
  for (const char* draw : {"seed 1", "W_E normal", "P normal",
                           "L*: W_q normal, b_q normal, W_k normal, W_v normal, W_o normal, b_o normal, W_in normal, "
                           "W_out normal, norm_bias normal",
                           "W_U normal"})
    setup.random.draws.push_back(*parse_draw(draw));
  require_valid(setup);
  const ModelTrace model = compute_model(setup);
  const auto names = [&](const std::vector<StreamSource>& sources) {
    std::string all;
    for (const StreamSource& source : sources) all += to_string(source, setup) + " ";
    return all;
  };
  const Parts score = parts_of(model, {TensorId::scores, {0, 0, 2, 1}, 1});
  CHECK(names(score.rows) == "embed P L0H0 L0H1 L0.b_o L0.mlp_out L1.norm_bias L1.b_q ");
  CHECK(names(score.columns) == "embed P L0H0 L0H1 L0.b_o L0.mlp_out L1.norm_bias ");
  const Parts first = parts_of(model, {TensorId::scores, {0, 0, 2, 1}, 0});
  CHECK(names(first.rows) == "embed P L0.norm_bias L0.b_q ");
  const Parts logit = parts_of(model, {TensorId::logits, {0, 2, 1}, 1});
  CHECK(logit.columns.empty());
  CHECK(names(logit.rows) == "embed P L0H0 L0H1 L0.b_o L0.mlp_out L1H0 L1H1 L1.b_o L1.mlp_out final_norm_bias ");
}

TEST_CASE("a layer without a residual stream has its output taken apart by head") {
  Setup setup = small_setup();
  setup.sizes.symbols = 3;
  setup.embedding.unembed = true;
  setup.random.draws.push_back(*parse_draw("b_o normal"));
  setup.random.draws.push_back(*parse_draw("W_U normal"));
  require_valid(setup);
  const ModelTrace model = compute_model(setup);
  const Cell cell{TensorId::logits, {0, 1, 2}};
  const Parts parts = parts_of(model, cell);
  REQUIRE(parts.rows.size() == static_cast<std::size_t>(setup.sizes.heads) + 1);
  CHECK(to_string(parts.rows.front(), setup) == "H0");
  CHECK(to_string(parts.rows.back(), setup) == "b_o");
  CHECK(miss(model, cell) < 1e-12);
}

TEST_CASE("cross-attention takes keys from the second input, and past positions make keys alone") {
  Setup cross = small_setup();
  cross.attention.source = Source::cross;
  cross.sizes.key_length = 5;
  cross.position.encoding = Encoding::sinusoidal;
  cross.random.draws.push_back(*parse_draw("Y normal"));
  require_valid(cross);
  const ModelTrace model = compute_model(cross);
  const Parts parts = parts_of(model, {TensorId::scores, {0, 1, 2, 4}});
  CHECK(to_string(parts.rows.front(), cross) == "X");
  CHECK(to_string(parts.columns.front(), cross) == "Y");
  CHECK(miss(model, {TensorId::scores, {0, 1, 2, 4}}) < 1e-12);

  Setup past = small_setup();
  past.sizes.past = 3;
  past.position.encoding = Encoding::rotary;
  require_valid(past);
  CHECK(miss(compute_model(past), {TensorId::scores, {0, 1, 2, 6}}) < 1e-12);
}

TEST_CASE("expressions take scores and logits apart, one number or all of a head") {
  const ModelTrace model = stacked_model();
  const Scope scope{model};
  const Cell cell{TensorId::scores, {1, 1, 3, 2}, 1};
  const Parts parts = parts_of(model, cell);
  const Setup& setup = model.first().setup;
  for (std::size_t row = 0; row < parts.rows.size(); ++row)
    for (std::size_t column = 0; column < parts.columns.size(); ++column) {
      const std::string names =
          fmt::format("\"{}\", \"{}\")", to_string(parts.rows[row], setup), to_string(parts.columns[column], setup));
      CHECK(Expression("part(L1.scores[1,1,3,2], " + names).number(scope) ==
            doctest::Approx(parts.at(row, column)).epsilon(1e-12));
      CHECK(Expression("part(L1.scores[1,1], " + names + "[3,2]").number(scope) ==
            doctest::Approx(parts.at(row, column)).epsilon(1e-12));
    }
  const Parts logit = parts_of(model, {TensorId::logits, {1, 2, 1}, model.last().setup.layer});
  CHECK(Expression("part(logits[1,2,1], \"L0H1\")").number(scope) ==
        doctest::Approx(
            logit.at(static_cast<std::size_t>(std::ranges::find(logit.rows, StreamSource{TensorId::output, 0, 1}) -
                                              logit.rows.begin()),
                     0)));
  CHECK(problem_of([&] {
          Expression("part(L1.weights[1,1,3,2], \"embed\", \"embed\")").number(scope);
        }).allowed.find("scores") != std::string::npos);
  CHECK(problem_of([&] {
          Expression("part(L1.scores[1,1,3,2], \"embed\", \"L7H0\")").number(scope);
        }).allowed.find("L0H0") != std::string::npos);
  CHECK(problem_of([&] { Expression("part(L1.scores[1,1,3,2])"); }).found.find("source") != std::string::npos);
}

TEST_CASE("norms after attention let nothing be taken apart above them, and it is said") {
  Setup setup = random_model(0);
  setup.sizes.layers = 2;
  setup.norm = {.kind = NormKind::layer, .placement = NormPlacement::after};
  require_valid(setup);
  const ModelTrace model = compute_model(setup);
  CHECK(miss(model, {TensorId::scores, {0, 0, 1, 1}, 0}) < 1e-12);
  CHECK(problem_of([&] { parts_of(model, {TensorId::scores, {0, 0, 1, 1}, 1}); }).allowed.find("norms before") !=
        std::string::npos);
}

TEST_CASE("a table of parts names the largest sources, adds up the others, and has the same sum") {
  const ModelTrace model = stacked_model();
  const Cell cell{TensorId::scores, {0, 0, 3, 2}, 1};
  const Parts parts = parts_of(model, cell);
  const PartsTable table = table_of(parts, 3);
  REQUIRE(parts.rows.size() > 3);
  CHECK(table.rows.size() == 3);
  CHECK_FALSE(table.rows.back());
  CHECK(table.joined_rows == parts.rows.size() - 2);
  CHECK(table.sum + table.rest + table.position_bias.value_or(0) == doctest::Approx(model.value(cell)));
  double across = 0;
  for (const double sum : table.row_sums) across += sum;
  CHECK(across == doctest::Approx(table.sum));
  CHECK(table_of(parts, 99).joined_columns == 0);
}

TEST_CASE("the sources of a number are in the same order down and across, that of the stream") {
  const ModelTrace model = stacked_model();
  for (Index head = 0; head < 2; ++head)
    for (Index query = 0; query < 4; ++query)
      for (Index key = 0; key < 4; ++key) {
        const Parts parts = parts_of(model, {TensorId::scores, {0, head, query, key}, 1});
        const PartsTable all = table_of(parts, 99), few = table_of(parts, 3);
        for (std::size_t i = 0; i < all.rows.size(); ++i) CHECK(*all.rows[i] == parts.rows[i]);
        for (std::size_t i = 0; i < all.columns.size(); ++i) CHECK(*all.columns[i] == parts.columns[i]);
        CHECK(few.rows == few.columns);  // the same are large enough to be named
      }
}

TEST_CASE("the table of a whole head has the same parts for each of its scores, and so has that of all logits") {
  const ModelTrace model = stacked_model();
  const Cell first{TensorId::scores, {0, 1, 0, 0}, 1};
  const SourceRows rows = rows_of_sources(model, first);
  const WholePartsTable all = table_of(rows, 99), few = table_of(rows, 3);
  CHECK(few.joined_rows == all.rows.size() - 2);
  for (std::size_t i = 0; i < all.rows.size(); ++i) CHECK(*all.rows[i] == rows.rows[i]);  // as in the stream
  for (std::size_t i = 0; i < all.columns.size(); ++i) CHECK(*all.columns[i] == rows.columns[i]);
  CHECK(few.rows == few.columns);  // embed, a head, and the others
  const Shape shape = all.sum.shape();
  for (Index query = 0; query < shape[0]; ++query)
    for (Index key = 0; key < shape[1]; ++key) {
      const Cell cell{TensorId::scores, {0, 1, query, key}, 1};
      const Parts parts = parts_of(model, cell);
      const double without = model.value(cell) - parts.position_bias.value_or(0);
      CHECK(all.sum.at({query, key}) == doctest::Approx(without).epsilon(1e-12));
      CHECK(few.sum.at({query, key}) == doctest::Approx(without).epsilon(1e-12));
      for (std::size_t row = 0; row < all.rows.size(); ++row)
        for (std::size_t column = 0; column < all.columns.size(); ++column) {
          const auto place = [](const TableSource& source, const std::vector<StreamSource>& sources) {
            return static_cast<std::size_t>(std::ranges::find(sources, *source) - sources.begin());
          };
          CHECK(all.at(row, column).at({query, key}) ==
                doctest::Approx(parts.at(place(all.rows[row], parts.rows), place(all.columns[column], parts.columns)))
                    .epsilon(1e-12));
        }
    }
  const Cell logit{TensorId::logits, {1, 0, 0}, model.last().setup.layer};
  const WholePartsTable logits = table_of(rows_of_sources(model, logit), 4);
  CHECK(logits.columns.size() == 1);
  CHECK(logits.sum.at({2, 1}) ==
        doctest::Approx(model.value({TensorId::logits, {1, 2, 1}, model.last().setup.layer})).epsilon(1e-12));
}
