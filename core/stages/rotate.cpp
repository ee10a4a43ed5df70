// Q_rotated and K_rotated: rotary positions turn each pair of features (x, y) by an angle that grows with the position,
// to (x · cos − y · sin, y · cos + x · sin).
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "core/compute/matrices.hpp"
#include "core/model/positions.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/gradient.hpp"
#include "core/text/numbers.hpp"

namespace headlight {
namespace {

bool same_rotation(const Setup& a, const Setup& b) { return a.position == b.position; }

/// cos and sin of the angles of all pairs of a position, for all positions: (position, pair)
template <class T>
struct Turns {
  std::vector<T> cosines;
  std::vector<T> sines;
};
template <class T>
Turns<T> turns(Index positions, const Setup& setup) {
  Turns<T> result;
  for (Index position = 0; position < positions; ++position) {
    for (Index pair = 0; pair < setup.d_head() / 2; ++pair) {
      const double angle = position_angle(position, pair, setup.d_head(), setup.position.base);
      result.cosines.push_back(static_cast<T>(std::cos(angle)));
      result.sines.push_back(static_cast<T>(std::sin(angle)));
    }
  }
  return result;
}

/// (batch, head, position, d_head) -> (batch, head, position, d_head), each row by itself. `direction` is 1, or −1 to
/// turn back. The rows of `result` are contiguous.
void turn(const Tensor& heads, int direction, const Setup& setup, Workspace& workspace, Tensor& result) {
  const Index per_item = heads.shape()[1], positions = heads.shape()[2], width = heads.shape()[3];
  with_element_type(heads.precision(), [&](auto zero) {
    using T = decltype(zero);
    const Turns<T> by = turns<T>(positions, setup);
    const Index rows_per_task = std::max<Index>(1, elements_per_task / width);
    workspace.ranges(heads.elements() / width, rows_per_task, [&](Index begin, Index end) {
      for (Index row = begin; row < end; ++row) {
        const Index position = row % positions, matrix_index = row / positions;
        const auto from = matrix<T>(heads, matrix_index / per_item, matrix_index % per_item);  // (position, d_head)
        T* to = result.writable<T>() + matrix_index / per_item * result.strides()[0] +
                matrix_index % per_item * result.strides()[1] + position * result.strides()[2];  // (d_head,)
        for (Index pair = 0; pair < width / 2; ++pair) {
          const auto angle = static_cast<std::size_t>(position * (width / 2) + pair);
          const FeaturePair at = feature_pair(pair, setup);
          const T x = from(position, at.first), y = from(position, at.second);
          const T cosine = by.cosines[angle], sine = static_cast<T>(direction) * by.sines[angle];
          to[at.first] = x * cosine - y * sine;
          to[at.second] = y * cosine + x * sine;
        }
      }
    });
  });
}

Tensor compute(const Stage& stage, const Trace& trace, Workspace& workspace) {
  const Tensor& heads = left_of(stage, trace);                         // (batch, head, position, d_head)
  Tensor result = workspace.tensor(heads.precision(), heads.shape());  // (batch, head, position, d_head)
  turn(heads, 1, trace.setup, workspace, result);
  return result;
}

/// Back through a rotation: the gradient is turned by the same angle the other way.
Tensor back(const Trace& trace, Workspace& workspace, const GradientPath& path) {
  Tensor gradient = laid_out_like(trace[path.operand.tensor], workspace);  // (batch, head, position, d_head)
  turn(trace[gradient_of(path.through->result)], -1, trace.setup, workspace, gradient);
  return gradient;
}

void explain_back(Explanation& explanation, const Trace& trace, const GradientPath& path, const Cell& cell) {
  const Setup& setup = trace.setup;
  const Index position = cell.index[2], feature = cell.index[3];
  const Index pair = pair_of(feature, setup), other = partner(feature, setup);
  const bool is_first = feature == feature_pair(pair, setup).first;
  const double angle = position_angle(position, pair, setup.d_head(), setup.position.base);
  const TensorId result = gradient_of(path.through->result);
  explanation.formula =
      fmt::format("{0}[b,h,i,d] · cos θ {1} {0}[b,h,i,d'] · sin θ", name(result), is_first ? "+" : "−");
  explanation.terms = {
      term("itself", {factor(trace, result, cell.index), constant("cos θ", std::cos(angle))}),
      term("its partner", {factor(trace, result, {cell.index[0], cell.index[1], position, other}),
                           is_first ? constant("sin θ", std::sin(angle)) : constant("−sin θ", -std::sin(angle))})};
}

/// Queries and keys have the same positions, so cos and sin of either serve both.
std::string back_code(const Code& code, const GradientPath& path) {
  const std::string_view result = name(gradient_of(path.through->result));
  if (code.setup.position.layout == PairLayout::interleaved) {
    return fmt::format(
        "np.stack([{0}[..., 0::2] * cos + {0}[..., 1::2] * sin, {0}[..., 1::2] * cos - {0}[..., 0::2] * "
        "sin], axis=-1).reshape({0}.shape)",
        result);
  }
  return fmt::format(
      "np.concatenate([{0}[..., :d_head // 2] * cos + {0}[..., d_head // 2:] * sin, {0}[..., d_head // 2:] "
      "* cos - {0}[..., :d_head // 2] * sin], axis=-1)",
      result);
}

/// The rotation is shown as one: the feature itself times the cosine, and its partner times ± the sine.
Explanation explain_cell(const Stage& stage, const Trace& trace, const Cell& cell) {
  const Setup& setup = trace.setup;
  const TensorId heads = left_operand(stage, setup);
  const Index position = cell.index[2], feature = cell.index[3];
  const Index pair = pair_of(feature, setup), other = partner(feature, setup);
  const bool is_first = feature == feature_pair(pair, setup).first;
  const double angle = position_angle(position, pair, setup.d_head(), setup.position.base);
  const std::string words = fmt::format("({} / {}^({}/{}))", position, setup.position.base, 2 * pair, setup.d_head());
  Explanation explanation = explanation_of(trace, cell);
  explanation.formula = fmt::format("{}[b,h,i,d] = {}[b,h,i,d] · cos θ {} {}[b,h,i,d'] · sin θ", name(stage.result),
                                    name(heads), is_first ? "−" : "+", name(heads));
  explanation.note = fmt::format("features {} and {} are turned together, by θ = i / base^({}/d_head) = {:.4g} rad",
                                 std::min(feature, other), std::max(feature, other), 2 * pair, angle);
  explanation.terms = {term("itself", {factor(trace, heads, cell.index), constant("cos" + words, std::cos(angle))}),
                       term("partner", {factor(trace, heads, {cell.index[0], cell.index[1], position, other}),
                                        is_first ? constant("−sin" + words, -std::sin(angle))
                                                 : constant("sin" + words, std::sin(angle))})};
  return explanation;
}

StageWords words(const Setup&) {
  // two lanes of thumbnails have no room for words between them
  return in_brackets("rotate", "rotate", {}, {});
}

/// The line that takes the two features of each pair apart.
std::string pairs_code(const Code& code, std::string_view heads) {
  if (code.setup.position.layout == PairLayout::interleaved)
    return fmt::format("x, y = {0}[..., 0::2], {0}[..., 1::2]", heads);
  return code.in_torch() ? fmt::format("x, y = {}.chunk(2, dim=-1)", heads)
                         : fmt::format("x, y = np.split({}, 2, axis=-1)", heads);
}

/// The line that puts the turned pairs back into their places.
std::string places_code(const Code& code, std::string_view rotated, std::string_view heads) {
  const std::string_view axis = code.in_torch() ? "dim" : "axis";
  if (code.setup.position.layout == PairLayout::interleaved) {
    return fmt::format("{} = {}.stack(turned, {}=-1).reshape({}.shape)", rotated, code.in_torch() ? "torch" : "np",
                       axis, heads);
  }
  return fmt::format("{} = {}(turned, {}=-1)", rotated, code.in_torch() ? "torch.cat" : "np.concatenate", axis);
}

CodeLines code(const Stage& stage, const Code& code) {
  const TensorInfo& heads = info(left_operand(stage, code.setup));
  const std::string_view library = code.in_torch() ? "torch" : "np";
  const std::string exact = code.in_torch() ? ", dtype=torch.float64" : "";
  const std::string rounded = !code.is_float32() ? "" : code.in_torch() ? ".float()" : ".astype(np.float32)";
  return {{fmt::format("slower = {} ** ({}.arange(0, d_head, 2{}) / d_head)", float_text(code.setup.position.base),
                       library, exact),
           "each pair than the one before"},
          {fmt::format("angle = {}.arange({})[:, None] / slower", library, extent_code(heads.axes[2], code)),
           "(position, pair)"},
          {fmt::format("cos = {}.cos(angle){}", library, rounded), ""},
          {fmt::format("sin = {}.sin(angle){}", library, rounded), ""},
          {pairs_code(code, heads.name), "the two features of each pair"},
          {"turned = [x * cos - y * sin, y * cos + x * sin]", ""},
          {places_code(code, name(stage.result), heads.name), shape_words(stage.result, code)}};
}

}  // namespace

namespace operations {

extern constinit const Operation rotate{
    .kind = StageKind::rotation,
    .title = "Rotate the {}",
    .formula = "{0} = {1}, each pair of features turned by position / base^(2k/d_head)",
    .same_settings = same_rotation,
    .words = words,
    .compute = compute,
    .explain = explain_cell,
    .backward = {.compute = back, .explain = explain_back, .code = back_code},
    .code = code,
    .heading = "Turn each pair of features by an angle that grows with the position."};

}  // namespace operations

}  // namespace headlight
