// P: a row for each position, which is added to the input. One-hot or of sines and cosines; a learned one is drawn or
// given.
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "core/model/positions.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/explain.hpp"
#include "core/text/numbers.hpp"

namespace headlight {
namespace {

bool same_table(const Setup& a, const Setup& b) {
  return a.position.encoding == b.position.encoding && a.position.base == b.position.base;
}

/// The feature that is 1 for a position: the positions have the last features.
Index hot_feature(Index position, const Setup& setup) { return setup.sizes.d_model - setup.positions() + position; }

/// Sines in even features, cosines in odd ones.
double wave(Index position, Index feature, const Setup& setup) {
  const double angle = position_angle(position, feature / 2, setup.sizes.d_model, setup.position.base);
  return feature % 2 == 0 ? std::sin(angle) : std::cos(angle);
}

double entry(Index position, Index feature, const Setup& setup) {
  if (setup.position.encoding == Encoding::sinusoidal) return wave(position, feature, setup);
  return feature == hot_feature(position, setup) ? 1 : 0;
}

/// -> (position, d_model)
Tensor compute(const Stage& stage, const Trace& trace, Workspace& workspace) {
  const Setup& setup = trace.setup;
  const Shape extents = shape(stage.result, setup);
  const Index features = extents[1];
  Tensor result = workspace.tensor(setup.attention.precision, extents);  // (position, d_model)
  with_element_type(result.precision(), [&](auto zero) {
    using T = decltype(zero);
    T* to = result.writable<T>();
    workspace.ranges(result.elements(), elements_per_task / 16, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) to[i] = static_cast<T>(entry(i / features, i % features, setup));
    });
  });
  return result;
}

Explanation explain_cell(const Stage&, const Trace& trace, const Cell& cell) {
  const Setup& setup = trace.setup;
  const Index position = cell.index[0], feature = cell.index[1];
  Explanation explanation = explanation_of(trace, cell);
  if (setup.position.encoding == Encoding::sinusoidal) {
    const char* function = feature % 2 == 0 ? "sin" : "cos";
    explanation.formula = fmt::format("P[i,2k{}] = {}(i / base^(2k/d_model))", feature % 2 == 0 ? "" : "+1", function);
    const std::string label = fmt::format("{}({} / {}^({}/{}))", function, position, setup.position.base,
                                          feature / 2 * 2, setup.sizes.d_model);
    explanation.terms = {term("wave", {constant(label, wave(position, feature, setup))})};
    return explanation;
  }
  const Index hot = hot_feature(position, setup);
  explanation.formula = "P[i,f] = 1 where f = d_model − positions + i, else 0";
  explanation.note = fmt::format("position {} is feature {}", position, hot);
  explanation.terms = {term("one-hot", {constant(feature == hot ? "1" : "0", feature == hot ? 1 : 0)})};
  return explanation;
}

CodeLines code(const Stage&, const Code& code) {
  const std::string positions = extent_code(Axis::position, code);
  const std::string shape = shape_words(TensorId::P, code);
  const std::string_view library = code.in_torch() ? "torch" : "np";
  const std::string dtype = fmt::format(", dtype={}.float{}", library, code.is_float32() ? 32 : 64);
  if (code.setup.position.encoding == Encoding::one_hot)
    return {{fmt::format("P = {}.eye(d_model{})[d_model - {}:]", library, dtype, positions), shape + ", one-hot"}};
  const std::string exact = code.in_torch() ? ", dtype=torch.float64" : "";
  const std::string extents = code.in_torch() ? positions + ", d_model" : "(" + positions + ", d_model)";
  return {{fmt::format("wavelength = {} ** ({}.arange(0, d_model, 2{}) / d_model)",
                       float_text(code.setup.position.base), library, exact),
           "over 2π, of each pair of features"},
          {fmt::format("angle = {}.arange({})[:, None] / wavelength", library, positions), "(position, pair)"},
          {fmt::format("P = {}.zeros({}{})", library, extents, dtype), shape},
          {fmt::format("P[:, 0::2] = {}.sin(angle)", library), ""},
          {fmt::format("P[:, 1::2] = {}.cos(angle)[:, :d_model // 2]", library), ""}};
}

}  // namespace

namespace operations {

extern constinit const Operation encode{.kind = StageKind::given,
                                        .title = "Positions",
                                        .formula = "{0} = a row for each position",
                                        .same_settings = same_table,
                                        .compute = compute,
                                        .explain = explain_cell,
                                        .code = code,
                                        .heading = "The position of each token, added to its features."};

}  // namespace operations

}  // namespace headlight
