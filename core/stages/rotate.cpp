// Q_rotated and K_rotated: rotary positions turn each pair of features (x, y) by an angle that grows with the position,
// to (x · cos − y · sin, y · cos + x · sin). With position.fraction, the last features of a head stay as they are.
#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "core/compute/matrices.hpp"
#include "core/model/positions.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/gradient.hpp"
#include "core/text/numbers.hpp"

namespace headlight {
namespace {

bool same_rotation(const Setup& a, const Setup& b) { return a.position == b.position && same_positions(a, b); }

/// The axis that counts the rows of queries or keys.
Axis rows_of(TensorId id) { return info(id).axes[2]; }

/// cos and sin of the angles of all pairs of a position, for all positions: (position, pair)
template <class T>
struct Turns {
  std::vector<T> cosines;
  std::vector<T> sines;
};
template <class T>
Turns<T> turns(Index positions, const Setup& setup) {
  Turns<T> result;
  const Index features = turned_features(setup);
  std::vector<double> divisors;  // of all pairs: a power each takes as long as the rest together
  for (Index pair = 0; pair < features / 2; ++pair)
    divisors.push_back(position_divisor(pair, features, setup.position.base));
  for (Index position = 0; position < positions; ++position) {
    for (const double divisor : divisors) {
      const double angle = static_cast<double>(position) / divisor;
      result.cosines.push_back(static_cast<T>(std::cos(angle)));
      result.sines.push_back(static_cast<T>(std::sin(angle)));
    }
  }
  return result;
}

/// Turns the pairs of a row: pair p has the features p · step and p · step + apart. `along` is how far the features of
/// `from` are apart in memory.
template <class T, class Step, class Along>
void turn_pairs(const T* __restrict from, Along along, T* __restrict to, const T* __restrict cosines,
                const T* __restrict sines, T direction, Index pairs, Step step, Index apart) {
  for (Index pair = 0; pair < pairs; ++pair) {
    const Index first = pair * step, second = first + apart;
    const T x = from[first * along], y = from[second * along];
    const T cosine = cosines[pair], sine = direction * sines[pair];
    to[first] = x * cosine - y * sine;
    to[second] = y * cosine + x * sine;
  }
}

/// (batch, head, position, d_head) -> (batch, head, position, d_head), each row by itself. `direction` is 1, or −1 to
/// turn back; `axis` counts the positions. The rows of `result` are contiguous.
void turn(const Tensor& heads, Axis axis, int direction, const Setup& setup, Workspace& workspace, Tensor& result) {
  const Index per_item = heads.shape()[1], positions = heads.shape()[2], width = heads.shape()[3];
  const Index pairs = turned_features(setup) / 2;
  const FeaturePair pair = feature_pair(0, setup), next = feature_pair(1, setup);
  const Index step = next.first - pair.first, apart = pair.second - pair.first;
  constexpr std::integral_constant<Index, 1> one;  // with it the loop over the pairs runs in vectors
  with_element_type(heads.precision(), [&](auto zero) {
    using T = decltype(zero);
    const Turns<T> by = turns<T>(setup.positions(), setup);
    const Index rows_per_task = std::max<Index>(1, elements_per_task / width);
    workspace.ranges(heads.elements() / width, rows_per_task, [&](Index begin, Index end) {
      for (Index row = begin; row < end; ++row) {
        const Index position = row % positions, matrix_index = row / positions;
        const auto from = matrix<T>(heads, matrix_index / per_item, matrix_index % per_item);  // (position, d_head)
        T* to = result.writable<T>() + matrix_index / per_item * result.strides()[0] +
                matrix_index % per_item * result.strides()[1] + position * result.strides()[2];  // (d_head,)
        const Index at_position = position_on(axis, matrix_index / per_item, position, setup);
        for (Index feature = 2 * pairs; feature < width; ++feature) to[feature] = from(position, feature);
        const T* const cosines = by.cosines.data() + at_position * pairs;
        const T* const sines = by.sines.data() + at_position * pairs;
        const T* const row_from = from.data() + position * from.outerStride();
        const auto way = static_cast<T>(direction);
        const Index along = from.innerStride();
        if (step == 1 && along == 1) turn_pairs(row_from, one, to, cosines, sines, way, pairs, one, apart);
        else turn_pairs(row_from, along, to, cosines, sines, way, pairs, step, apart);
      }
    });
  });
}

Tensor compute(const Stage& stage, const Trace& trace, Workspace& workspace) {
  const Tensor& heads = left_of(stage, trace);                         // (batch, head, position, d_head)
  Tensor result = workspace.tensor(heads.precision(), heads.shape());  // (batch, head, position, d_head)
  turn(heads, rows_of(stage.result), 1, trace.setup, workspace, result);
  return result;
}

/// Back through a rotation: the gradient is turned by the same angle the other way.
Tensor back(const Trace& trace, Workspace& workspace, const GradientPath& path) {
  Tensor gradient = laid_out_like(trace[path.operand.tensor], workspace);  // (batch, head, position, d_head)
  turn(trace[gradient_of(path.through->result)], rows_of(path.through->result), -1, trace.setup, workspace, gradient);
  return gradient;
}

/// How a number is turned with its partner.
struct Turn {
  Index other = 0;  ///< the partner's feature
  Index pair = 0;   ///< the pair that both make
  bool is_first = true;
  Index position = 0;
  double angle = 0;
};
Turn turn_of(const Cell& cell, const Setup& setup) {
  const Index feature = cell.index[3], pair = pair_of(feature, setup);
  const Index position = position_on(rows_of(cell.tensor), cell.index[0], cell.index[2], setup);
  return {partner(feature, setup), pair, feature == feature_pair(pair, setup).first, position,
          position_angle(position, pair, turned_features(setup), setup.position.base)};
}

bool is_turned(const Cell& cell, const Setup& setup) { return cell.index[3] < turned_features(setup); }

/// The cell of the partner.
Shape with_feature(Shape index, Index feature) {
  index[3] = feature;
  return index;
}

void explain_back(Explanation& explanation, const Trace& trace, const GradientPath& path, const Cell& cell) {
  if (!is_turned(cell, trace.setup)) return explain_passed_on(explanation, trace, path, cell);
  const auto [other, pair, is_first, position, angle] = turn_of(cell, trace.setup);
  const TensorId result = gradient_of(path.through->result);
  explanation.formula =
      fmt::format("{0}[b,h,i,d] · cos θ {1} {0}[b,h,i,d'] · sin θ", name(result), is_first ? "+" : "−");
  explanation.terms = {
      term("itself", {factor(trace, result, cell.index), constant("cos θ", std::cos(angle))}),
      term("its partner", {factor(trace, result, with_feature(cell.index, other)),
                           is_first ? constant("sin θ", std::sin(angle)) : constant("−sin θ", -std::sin(angle))})};
}

/// The angles of queries have names of their own where those are at other positions than the keys: "cos_q".
std::string angle_word(std::string_view word, TensorId rotated, const Setup& setup) {
  return fmt::format("{}{}", word, setup.past() > 0 && rows_of(rotated) == Axis::query ? "_q" : "");
}

/// How many features are turned, as code: "d_head", or "turned".
std::string_view width_code(const Setup& setup) {
  return turned_features(setup) < setup.d_head() ? "turned" : "d_head";
}

/// What stays as it is, to be put behind the turned features; empty where all are turned.
std::string rest_code(std::string_view heads, const Setup& setup) {
  return turned_features(setup) < setup.d_head() ? fmt::format("{}[..., turned:]", heads) : std::string();
}

std::string back_code(const Code& code, const GradientPath& path) {
  const Setup& setup = code.setup;
  const std::string_view result = name(gradient_of(path.through->result));
  const std::string cos = angle_word("cos", path.through->result, setup),
                    sin = angle_word("sin", path.through->result, setup);
  const std::string rest = rest_code(result, setup);
  const std::string_view width = width_code(setup);
  if (setup.position.layout == PairLayout::interleaved) {
    const std::string end = rest.empty() ? "" : "turned";
    const std::string shape =
        rest.empty() ? fmt::format("{}.shape", result) : fmt::format("{}.shape[:-1] + (turned,)", result);
    const std::string pairs = fmt::format(
        "np.stack([{0}[..., 0:{3}:2] * {1} + {0}[..., 1:{3}:2] * {2}, {0}[..., 1:{3}:2] * {1} - {0}[..., 0:{3}:2] * "
        "{2}], axis=-1).reshape({4})",
        result, cos, sin, end, shape);
    return rest.empty() ? pairs : fmt::format("np.concatenate([{}, {}], axis=-1)", pairs, rest);
  }
  const std::string second = fmt::format("{0}[..., {1} // 2:{2}]", result, width, rest.empty() ? "" : "turned");
  return fmt::format(
      "np.concatenate([{0}[..., :{3} // 2] * {1} + {4} * {2}, {4} * {1} - {0}[..., :{3} // 2] * {2}{5}], axis=-1)",
      result, cos, sin, width, second, rest.empty() ? "" : ", " + rest);
}

/// The rotation is shown as one: the feature itself times the cosine, and its partner times ± the sine.
Explanation explain_cell(const Stage& stage, const Trace& trace, const Cell& cell) {
  const Setup& setup = trace.setup;
  const TensorId heads = left_operand(stage, setup);
  Explanation explanation = explanation_of(trace, cell);
  if (!is_turned(cell, setup)) {
    explanation.formula = fmt::format("{}[b,h,i,d] = {}[b,h,i,d]", name(stage.result), name(heads));
    explanation.note =
        fmt::format("only the first {} of {} features are turned", turned_features(setup), setup.d_head());
    explanation.terms = {term("the same number", {factor(trace, heads, cell.index)})};
    return explanation;
  }
  const auto [other, pair, is_first, position, angle] = turn_of(cell, setup);
  const Index width = turned_features(setup), feature = cell.index[3];
  const std::string words = fmt::format("({} / {}^({}/{}))", position, setup.position.base, 2 * pair, width);
  explanation.formula = fmt::format("{}[b,h,i,d] = {}[b,h,i,d] · cos θ {} {}[b,h,i,d'] · sin θ", name(stage.result),
                                    name(heads), is_first ? "−" : "+", name(heads));
  const std::string place = position == cell.index[2] ? std::string("i") : fmt::format("{}", position);
  const std::string of = width == setup.d_head() ? std::string("d_head") : fmt::format("{}", width);
  explanation.note = fmt::format("features {} and {} are turned together, by θ = {} / base^({}/{}) = {:.4g} rad",
                                 std::min(feature, other), std::max(feature, other), place, 2 * pair, of, angle);
  explanation.terms = {term("itself", {factor(trace, heads, cell.index), constant("cos" + words, std::cos(angle))}),
                       term("partner", {factor(trace, heads, with_feature(cell.index, other)),
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
  const bool turns_all = rest_code(heads, code.setup).empty();
  if (code.setup.position.layout == PairLayout::interleaved)
    return fmt::format("x, y = {0}[..., 0:{1}:2], {0}[..., 1:{1}:2]", heads, turns_all ? "" : "turned");
  const std::string part = fmt::format("{}{}", heads, turns_all ? "" : "[..., :turned]");
  return code.in_torch() ? fmt::format("x, y = {}.chunk(2, dim=-1)", part)
                         : fmt::format("x, y = np.split({}, 2, axis=-1)", part);
}

/// The line that puts the turned pairs back into their places, and what stays behind them.
std::string places_code(const Code& code, std::string_view rotated, std::string_view heads) {
  const std::string_view axis = code.in_torch() ? "dim" : "axis";
  const std::string join = code.in_torch() ? "torch.cat" : "np.concatenate";
  const std::string rest = rest_code(heads, code.setup);
  if (code.setup.position.layout == PairLayout::interleaved) {
    const std::string stacked = fmt::format("{}.stack(pairs, {}=-1)", code.in_torch() ? "torch" : "np", axis);
    if (rest.empty()) return fmt::format("{} = {}.reshape({}.shape)", rotated, stacked, heads);
    return fmt::format("{} = {}([{}.reshape({}.shape[:-1] + (turned,)), {}], {}=-1)", rotated, join, stacked, heads,
                       rest, axis);
  }
  return fmt::format("{} = {}(pairs{}, {}=-1)", rotated, join, rest.empty() ? "" : fmt::format(" + [{}]", rest), axis);
}

CodeLines code(const Stage& stage, const Code& code) {
  const TensorInfo& heads = info(left_operand(stage, code.setup));
  const std::string_view library = code.in_torch() ? "torch" : "np";
  const std::string exact = code.in_torch() ? ", dtype=torch.float64" : "";
  const std::string rounded = !code.is_float32() ? "" : code.in_torch() ? ".float()" : ".astype(np.float32)";
  const Axis axis = heads.axes[2];
  const bool by_item = counts_padding(axis, code.setup);
  const std::string cos = angle_word("cos", stage.result, code.setup),
                    sin = angle_word("sin", stage.result, code.setup);
  CodeLines lines;
  if (by_item) lines = padding_code(code);
  if (const Index width = turned_features(code.setup); width < code.setup.d_head())
    lines.push_back({fmt::format("turned = {}", width), "features of a head; the others stay as they are"});
  const CodeLines all{
      {fmt::format("slower = {0} ** ({1}.arange(0, {3}, 2{2}) / {3})", float_text(code.setup.position.base), library,
                   exact, width_code(code.setup)),
       "each pair than the one before"},
      {fmt::format("angle = {}{} / slower", positions_code(axis, code), by_item ? "[:, None, :, None]" : "[:, None]"),
       by_item ? "(batch, 1, position, pair)" : "(position, pair)"},
      {fmt::format("{} = {}.cos(angle){}", cos, library, rounded), ""},
      {fmt::format("{} = {}.sin(angle){}", sin, library, rounded), ""},
      {pairs_code(code, heads.name), "the two features of each pair"},
      {fmt::format("pairs = [x * {0} - y * {1}, y * {0} + x * {1}]", cos, sin), ""},
      {places_code(code, name(stage.result), heads.name), shape_words(stage.result, code)}};
  lines.insert(lines.end(), all.begin(), all.end());
  return lines;
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
