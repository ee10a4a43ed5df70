// The drawn tensors: X, Y, weights and biases. They are computed by random/draws.hpp; this says where a number came
// from.
#include <array>

#include <fmt/format.h>

#include "core/stages/list.hpp"
#include "core/stages/terms.hpp"

namespace headlight {
namespace {

/// Whether a draw for one head's block fills the cell: columns of the projections, rows of W_o, entries of a bias.
bool block_covers(const TensorDraw& draw, const Cell& cell, const Setup& setup) {
  if (!draw.head) return true;
  const Index position = cell.tensor == TensorId::W_o ? cell.index[0] : cell.index.back(0);
  return position / setup.d_head() == *draw.head;
}

bool fills(const TensorDraw& draw, const Cell& cell, const Setup& setup) {
  const TensorId* target = std::get_if<TensorId>(&draw.target);
  if (target == nullptr)
    return cell.tensor == TensorId::W_q || cell.tensor == TensorId::W_k || cell.tensor == TensorId::W_v;
  // nn.Linear draws its bias after its weight.
  const bool is_bias = info(cell.tensor).rank == 1;
  const bool by_linear = is_bias && draw.distribution == Distribution::linear &&
                         static_cast<int>(*target) + 1 == static_cast<int>(cell.tensor);
  return (*target == cell.tensor || by_linear) && block_covers(draw, cell, setup);
}

struct Origin {
  std::string draw;
  std::string seed;
};

/// The last draw that fills the cell, and the seed before it.
std::optional<Origin> origin_of(const Cell& cell, const Setup& setup) {
  std::optional<Origin> origin;
  std::string seed;
  for (const Draw& draw : setup.random.draws) {
    if (std::holds_alternative<SeedDraw>(draw)) seed = to_string(draw);
    else if (fills(std::get<TensorDraw>(draw), cell, setup)) origin = Origin{to_string(draw), seed};
  }
  return origin;
}

Explanation explain_cell(const Trace& trace, const Cell& cell) {
  Explanation explanation = explanation_of(trace, cell);
  const auto origin = origin_of(cell, trace.setup);
  const std::string_view library = trace.setup.random.generator == GeneratorKind::numpy ? "NumPy" : "PyTorch";
  explanation.formula = origin ? fmt::format("{} is drawn: \"{}\"", name(cell.tensor), origin->draw)
                               : fmt::format("{} is not drawn, so it is zero", name(cell.tensor));
  if (origin && !origin->seed.empty())
    explanation.note = fmt::format("from {}'s generator after \"{}\"", library, origin->seed);
  explanation.terms = {term(origin ? "drawn" : "zero", {constant(origin ? origin->draw : "0", explanation.value)})};
  return explanation;
}

}  // namespace

Stage draw_stage() {
  static constexpr std::array outputs{TensorId::X,   TensorId::Y,   TensorId::W_q, TensorId::b_q, TensorId::W_k,
                                      TensorId::b_k, TensorId::W_v, TensorId::b_v, TensorId::W_o, TensorId::b_o};
  return {StageId::draw,
          "Seeded draws",
          "X, W_q, W_k, W_v, W_o from the random generator",
          {},
          outputs,
          nullptr,
          nullptr,
          nullptr,
          explain_cell,
          nullptr};
}

}  // namespace headlight
