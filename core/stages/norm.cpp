// N = (X − mean) / spread · norm_gain + norm_bias, row by row, or X / rms · norm_gain without the mean; and Q_normed =
// Q_heads / rms · q_gain, likewise K_normed. `spread` is √(variance + ε) of a row, `rms` is √(mean of squares + ε).
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/compute/matrices.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/gradient.hpp"
#include "core/text/numbers.hpp"

namespace headlight {
namespace {

using Slot = Operand::Slot;

/// What is normalised together, and how.
struct NormRule {
  bool centred = false;    ///< less the mean
  bool all_heads = false;  ///< the rows of all heads of a position are one
  double epsilon = 0;
};

NormRule rule_of(const Stage& stage, const Setup& setup) {
  if (!info(stage.result).has_heads()) return {setup.norm.kind == NormKind::layer, false, setup.norm.epsilon};
  return {false, setup.norms_all_heads(), setup.norm.epsilon};
}

/// The rows of (batch, position, features) or (batch, head, position, features), whatever their order in memory.
class HeadRows {
 public:
  explicit HeadRows(const Tensor& tensor) : tensor_(tensor), has_heads_(tensor.shape().rank() == 4) {}

  Index items() const { return tensor_.shape()[0]; }
  Index heads() const { return has_heads_ ? tensor_.shape()[1] : 1; }
  Index positions() const { return tensor_.shape().back(1); }
  Index width() const { return tensor_.shape().back(0); }
  Index step() const { return tensor_.strides().back(0); }

  template <class T>
  const T* row(Index item, Index head, Index position) const {
    return tensor_.data<T>() + offset(item, head, position);
  }
  Index offset(Index item, Index head, Index position) const {
    const Shape& strides = tensor_.strides();
    return item * strides[0] + (has_heads_ ? head * strides[1] : 0) + position * strides.back(1);
  }

 private:
  const Tensor& tensor_;
  bool has_heads_;
};

/// The rows that are normalised together: those of neighbouring heads at one position.
struct Group {
  Index item, head, heads, position;
};

/// All groups, counted from 0.
class Groups {
 public:
  Groups(const HeadRows& rows, const NormRule& rule)
      : positions_(rows.positions()), per_item_(rule.all_heads ? 1 : rows.heads()), heads_(rows.heads() / per_item_) {
    count_ = rows.items() * per_item_ * positions_;
  }

  Index count() const { return count_; }
  Index grain(Index width) const { return std::max<Index>(1, elements_per_task / 8 / (heads_ * width)); }
  Group operator[](Index n) const {
    return {n / positions_ / per_item_, n / positions_ % per_item_ * heads_, heads_, n % positions_};
  }

 private:
  Index positions_, per_item_, heads_, count_ = 0;
};

struct Spread {
  double mean = 0;  ///< 0 unless the group is centred
  double size = 1;  ///< √(variance + ε), or √(mean of squares + ε)
};

/// Calls body(head, feature, number) for all numbers of a group.
template <class T, class Body>
void for_each_number(const HeadRows& rows, const Group& group, Body&& body) {
  const Index width = rows.width(), step = rows.step();
  for (Index head = group.head; head < group.head + group.heads; ++head) {
    const T* row = rows.row<T>(group.item, head, group.position);
    for (Index feature = 0; feature < width; ++feature) body(head, feature, static_cast<double>(row[feature * step]));
  }
}

/// In double, in two passes, so that a row whose numbers differ little keeps their digits.
template <class T>
Spread spread_of(const HeadRows& rows, const Group& group, const NormRule& rule) {
  const auto count = static_cast<double>(group.heads * rows.width());
  Spread spread;
  if (rule.centred) {
    double sum = 0;
    for_each_number<T>(rows, group, [&](Index, Index, double number) { sum += number; });
    spread.mean = sum / count;
  }
  double squares = 0;
  for_each_number<T>(rows, group,
                     [&](Index, Index, double number) { squares += (number - spread.mean) * (number - spread.mean); });
  spread.size = std::sqrt(squares / count + rule.epsilon);
  return spread;
}

/// A gain for each feature: (features,), or (head, features).
template <class T>
class Gains {
 public:
  Gains(const Tensor& gain, Index heads) : numbers_(gain.contiguous()), heads_(heads) {}

  double at(Index head, Index feature) const { return static_cast<double>(numbers_.data<T>()[offset(head, feature)]); }
  /// Several heads can share the gains of one, where keys are handed over once for each query head.
  Index offset(Index head, Index feature) const {
    const Shape& shape = numbers_.shape();
    return shape.rank() == 1 ? feature : head * shape[0] / heads_ * shape[1] + feature;
  }

 private:
  Tensor numbers_;
  Index heads_;
};

/// (batch, position, features) -> the same, or (batch, head, position, d_head) -> the same
Tensor compute(const Stage& stage, const Trace& trace, Workspace& workspace) {
  const Tensor& input = left_of(stage, trace);
  const Tensor* shift = tensor_at(stage, Slot::added, trace);  // (features,)
  const HeadRows rows(input);
  const NormRule rule = rule_of(stage, trace.setup);
  const Groups groups(rows, rule);
  Tensor result = workspace.tensor(input.precision(), input.shape());
  const HeadRows made(result);
  with_element_type(input.precision(), [&](auto zero) {
    using T = decltype(zero);
    const Gains<T> gains(right_of(stage, trace), rows.heads());
    const Tensor added = shift == nullptr ? Tensor{} : shift->contiguous();
    workspace.ranges(groups.count(), groups.grain(rows.width()), [&](Index begin, Index end) {
      for (Index n = begin; n < end; ++n) {
        const Group group = groups[n];
        const Spread spread = spread_of<T>(rows, group, rule);
        for_each_number<T>(rows, group, [&](Index head, Index feature, double number) {
          double scaled = (number - spread.mean) / spread.size * gains.at(head, feature);
          if (!added.empty()) scaled += static_cast<double>(added.data<T>()[feature]);
          result.writable<T>()[made.offset(group.item, head, group.position) + feature] = static_cast<T>(scaled);
        });
      }
    });
  });
  return result;
}

// --- Backward --------------------------------------------------------------------------------------------------------

/// ∂L/∂x_k = (g_k − mean of g − x̂_k · mean of g · x̂) / spread over the group, with g = ∂L/∂result · gain and x̂ what is
/// normalised, before its gain. Without a centre the mean of g is left out.
template <class T>
void back_to_rows(const Trace& trace, Workspace& workspace, const Stage& stage, Tensor& gradient) {
  const Tensor& input = left_of(stage, trace);
  const Tensor& arriving = trace[gradient_of(stage.result)];  // as the input
  const HeadRows rows(input), back(arriving), made(gradient);
  const NormRule rule = rule_of(stage, trace.setup);
  const Groups groups(rows, rule);
  const Gains<T> gains(right_of(stage, trace), rows.heads());
  workspace.ranges(groups.count(), groups.grain(rows.width()), [&](Index begin, Index end) {
    for (Index n = begin; n < end; ++n) {
      const Group group = groups[n];
      const Spread spread = spread_of<T>(rows, group, rule);
      const auto count = static_cast<double>(group.heads * rows.width());
      const auto each = [&](auto&& body) {
        for_each_number<T>(rows, group, [&](Index head, Index feature, double number) {
          const T change = back.row<T>(group.item, head, group.position)[feature * back.step()];
          body(head, feature, (number - spread.mean) / spread.size,
               static_cast<double>(change) * gains.at(head, feature));
        });
      };
      double sum = 0, along = 0;
      each([&](Index, Index, double plain, double change) {
        sum += change;
        along += change * plain;
      });
      const double mean = rule.centred ? sum / count : 0;
      each([&](Index head, Index feature, double plain, double change) {
        gradient.writable<T>()[made.offset(group.item, head, group.position) + feature * made.step()] =
            static_cast<T>((change - mean - plain * along / count) / spread.size);
      });
    }
  });
}

/// ∂L/∂gain = Σ ∂L/∂result · x̂ over everything that has the gain, and ∂L/∂shift = Σ ∂L/∂result.
template <class T>
void back_to_features(const Trace& trace, const GradientPath& path, Tensor& gradient) {
  const Stage& stage = *path.through;
  const Tensor& input = left_of(stage, trace);
  const Tensor& arriving = trace[gradient_of(stage.result)];
  const HeadRows rows(input), back(arriving);
  const NormRule rule = rule_of(stage, trace.setup);
  const Groups groups(rows, rule);
  const Gains<T> gains(trace[path.operand.tensor], rows.heads());
  const bool is_gain = path.operand.slot == Slot::right;
  std::vector<double> sums(static_cast<std::size_t>(gradient.elements()), 0.0);
  for (Index n = 0; n < groups.count(); ++n) {
    const Group group = groups[n];
    const Spread spread = is_gain ? spread_of<T>(rows, group, rule) : Spread{};
    for_each_number<T>(rows, group, [&](Index head, Index feature, double number) {
      const T change = back.row<T>(group.item, head, group.position)[feature * back.step()];
      const double plain = is_gain ? (number - spread.mean) / spread.size : 1;
      sums[static_cast<std::size_t>(gains.offset(head, feature))] += static_cast<double>(change) * plain;
    });
  }
  std::ranges::transform(sums, gradient.writable<T>(), [](double sum) { return static_cast<T>(sum); });
}

Tensor back(const Trace& trace, Workspace& workspace, const GradientPath& path) {
  const Tensor& operand = trace[path.operand.tensor];
  const bool of_rows = path.operand.slot == Slot::left;
  Tensor gradient =
      of_rows ? laid_out_like(operand, workspace) : workspace.tensor(operand.precision(), operand.shape());
  with_element_type(operand.precision(), [&](auto zero) {
    using T = decltype(zero);
    if (of_rows) back_to_rows<T>(trace, workspace, *path.through, gradient);
    else back_to_features<T>(trace, path, gradient);
  });
  return gradient;
}

// --- In words --------------------------------------------------------------------------------------------------------

/// The spread of the group that a cell of the input is in.
Spread spread_at(const Trace& trace, const Stage& stage, const Shape& index) {
  const HeadRows rows(left_of(stage, trace));
  const NormRule rule = rule_of(stage, trace.setup);
  const bool has_heads = index.rank() == 4;
  const Index head = has_heads && !rule.all_heads ? index[1] : 0;
  const Group group{index[0], head, rule.all_heads ? rows.heads() : 1, index[index.rank() - 2]};
  return with_element_type(left_of(stage, trace).precision(),
                           [&](auto zero) { return spread_of<decltype(zero)>(rows, group, rule); });
}

std::string_view word_of_size(const NormRule& rule) { return rule.centred ? "spread" : "rms"; }

/// "(X[0,1,2] − mean) / spread", "X[0,1,2] / rms"
std::string divided_text(const std::string& number, const NormRule& rule) {
  return fmt::format("{} / {}", rule.centred ? fmt::format("({} − mean)", number) : number, word_of_size(rule));
}

/// "X[0,1,2] − mean", or the cell itself where nothing is centred.
Factor off_the_mean(const Trace& trace, TensorId input, const Shape& index, const Spread& spread,
                    const NormRule& rule) {
  Factor number = factor(trace, input, index);
  if (!rule.centred) return number;
  number.label = fmt::format("{} − mean", number.name());
  number.value -= spread.mean;
  return number;
}

std::string note_on(const Spread& spread, const NormRule& rule, const Trace& trace, TensorId input) {
  const Index features = trace[input].shape().back(0);
  if (rule.centred) {
    return fmt::format("the row of {} numbers has the mean {:.4g} and the spread {:.4g} = √(variance + {})", features,
                       spread.mean, spread.size, rule.epsilon);
  }
  return fmt::format(
      "the root mean square of {} is {:.4g} = √(mean of squares + {})",
      rule.all_heads ? std::string("all heads at this position") : fmt::format("the row of {} numbers", features),
      spread.size, rule.epsilon);
}

Explanation explain_cell(const Stage& stage, const Trace& trace, const Cell& cell) {
  const Setup& setup = trace.setup;
  const TensorId input = left_operand(stage, setup), gain = right_operand(stage, setup);
  const NormRule rule = rule_of(stage, setup);
  const Spread spread = spread_at(trace, stage, cell.index);
  const TensorInfo& result = info(cell.tensor);
  const auto word = [&](TensorId id) { return indexed(id, Axis::d_head, result, setup); };
  Explanation explanation = explanation_of(trace, cell);
  explanation.formula = fmt::format("{} = {} · {}", word(cell.tensor), divided_text(word(input), rule), word(gain));
  explanation.note = note_on(spread, rule, trace, input);
  Factor row = off_the_mean(trace, input, cell.index, spread, rule);
  const Factor gained = factor(trace, gain, index_in_operand(gain, cell, 0, setup));
  const auto* shift = operand_at(stage, Slot::added, setup);
  if (shift == nullptr) {
    const Factor inverse = constant(fmt::format("1/{}", word_of_size(rule)), 1 / spread.size);
    explanation.terms = {term("row", {std::move(row), inverse, gained})};
    return explanation;
  }
  row.label = divided_text(to_string(*row.cell), rule);
  row.value /= spread.size;
  explanation.formula += " + " + word(shift->tensor);
  explanation.terms = {term("row", {std::move(row), gained}),
                       term("shift", {factor(trace, shift->tensor, index_in_operand(shift->tensor, cell, 0, setup))})};
  return explanation;
}

/// The sums over a group that its backward pass takes, of g = ∂L/∂result · gain.
struct BackSums {
  double mean = 0;   ///< of g
  double along = 0;  ///< mean of g · x̂
};

BackSums back_sums(const Trace& trace, const Stage& stage, const Cell& cell, const Spread& spread) {
  const TensorId gain = right_operand(stage, trace.setup);
  const GoesInto block = cells_made_with(cell, stage, trace.setup).front();
  const Index count = block.counts.elements();
  BackSums sums;
  for (Index n = 0; n < count; ++n) {
    const Cell made = detail::cell_in(block, n);
    const double change = trace.number({gradient_of(made.tensor), made.index}) *
                          trace.number({gain, index_in_operand(gain, made, 0, trace.setup)});
    sums.mean += change / static_cast<double>(count);
    sums.along +=
        change * (trace.number({cell.tensor, made.index}) - spread.mean) / spread.size / static_cast<double>(count);
  }
  return sums;
}

/// x̂: what is normalised of a number, before the gain.
Factor plain_factor(const Trace& trace, TensorId input, const Shape& index, const Spread& spread,
                    const NormRule& rule) {
  Factor plain = off_the_mean(trace, input, index, spread, rule);
  plain.label = divided_text(to_string(*plain.cell), rule);
  plain.value /= spread.size;
  return plain;
}

/// In terms of two factors, for which an inspector has room.
void explain_back_to_rows(Explanation& explanation, const Trace& trace, const GradientPath& path, const Cell& cell) {
  const Stage& stage = *path.through;
  const NormRule rule = rule_of(stage, trace.setup);
  const Spread spread = spread_at(trace, stage, cell.index);
  const BackSums sums = back_sums(trace, stage, cell, spread);
  const TensorId gain = right_operand(stage, trace.setup);
  const Cell made{stage.result, cell.index};
  const std::string size(word_of_size(rule));
  Factor gained = factor(trace, gain, index_in_operand(gain, made, 0, trace.setup));
  gained.label = fmt::format("{} / {}", gained.name(), size);
  gained.value /= spread.size;
  explanation.terms.push_back(term("itself", {factor(trace, gradient_of(made.tensor), made.index), std::move(gained)}));
  if (rule.centred)
    explanation.terms.push_back(
        term("mean", {constant("−mean of g", -sums.mean), constant("1/spread", 1 / spread.size)}));
  explanation.terms.push_back(term(size, {plain_factor(trace, cell.tensor, cell.index, spread, rule),
                                          constant("−mean of g·x̂ / " + size, -sums.along / spread.size)}));
  explanation.formula +=
      fmt::format("(g{} − x̂ · mean of g·x̂) / {}, where g = grad_{} · {} and x̂ = {}", rule.centred ? " − mean of g" : "",
                  size, name(stage.result), name(gain), divided_text("x", rule));
}

void explain_back(Explanation& explanation, const Trace& trace, const GradientPath& path, const Cell& cell) {
  if (path.operand.slot == Slot::left) return explain_back_to_rows(explanation, trace, path, cell);
  if (path.operand.slot == Slot::added) return explain_passed_on(explanation, trace, path, cell);
  const Stage& stage = *path.through;
  const NormRule rule = rule_of(stage, trace.setup);
  const TensorId input = left_operand(stage, trace.setup);
  const std::string row = indexed(input, Axis::d_model, info(stage.result), trace.setup);
  explain_by_chain_rule(explanation, trace, path, cell, " · " + divided_text(row, rule), [&](const Cell& made) {
    return std::vector{plain_factor(trace, input, made.index, spread_at(trace, stage, made.index), rule)};
  });
}

// --- Python ----------------------------------------------------------------------------------------------------------

/// What tells the row's mean and spread of one norm from those of the others in a script, whose backward pass reads
/// them: nothing for N, "_mlp" for N_mlp.
std::string_view suffix(TensorId result) {
  const std::string_view whole = name(result);
  return whole.substr(std::min(whole.find('_'), whole.size()));
}

/// "spread", "rms", "spread_mlp", "rms_q"
std::string divisor(const Stage& stage, const Setup& setup) {
  if (stage.result == TensorId::Q_normed) return "rms_q";
  if (stage.result == TensorId::K_normed) return "rms_k";
  return fmt::format("{}{}", word_of_size(rule_of(stage, setup)), suffix(stage.result));
}

std::string axis_code(const Stage& stage, const Code& code) {
  const bool all_heads = rule_of(stage, code.setup).all_heads;
  return code.in_torch() ? fmt::format("dim={}, keepdim=True", all_heads ? "(1, 3)" : "-1")
                         : fmt::format("axis={}, keepdims=True", all_heads ? "(1, 3)" : "-1");
}

/// What is divided: "X", "(X - row_mean)"
std::string dividend(const Stage& stage, const Setup& setup) {
  const std::string_view input = name(left_operand(stage, setup));
  return rule_of(stage, setup).centred ? fmt::format("({} - row_mean{})", input, suffix(stage.result))
                                       : std::string(input);
}

/// The gains beside the rows that they multiply: "q_gain", "q_head_gains[:, None]"
std::string gain_code(const Stage& stage, const Setup& setup) {
  const TensorId gain = right_operand(stage, setup);
  return std::string(name(gain)) + (info(gain).rank == 2 ? "[:, None]" : "");
}

CodeLines code(const Stage& stage, const Code& code) {
  const NormRule rule = rule_of(stage, code.setup);
  const std::string size = divisor(stage, code.setup), from = dividend(stage, code.setup);
  const std::string axes = axis_code(stage, code);
  CodeLines lines;
  if (rule.centred)
    lines.push_back(
        {fmt::format("row_mean{} = {}.mean({})", suffix(stage.result), name(left_operand(stage, code.setup)), axes),
         "of each row"});
  lines.push_back({fmt::format("{} = (({}**2).mean({}) + {})**0.5", size, from, axes, float_text(rule.epsilon)),
                   rule.all_heads ? "of all heads of a position" : "of each row"});
  const auto* shift = operand_at(stage, Slot::added, code.setup);
  lines.push_back({fmt::format("{} = {} / {} * {}{}", name(stage.result), from, size, gain_code(stage, code.setup),
                               shift ? fmt::format(" + {}", name(shift->tensor)) : ""),
                   shape_words(stage.result, code)});
  return lines;
}

std::string back_code(const Code& code, const GradientPath& path) {
  const Stage& stage = *path.through;
  const Setup& setup = code.setup;
  const std::string arriving(name(gradient_of(stage.result)));
  const bool has_heads = info(stage.result).has_heads();
  if (path.operand.slot == Slot::added) return fmt::format("{}.sum(axis=(0, 1))", arriving);
  const std::string plain = fmt::format("{} / {}", dividend(stage, setup), divisor(stage, setup));
  if (path.operand.slot == Slot::right) {
    const char* axes = !has_heads ? "(0, 1)" : rule_of(stage, setup).all_heads ? "(0, 2)" : "(0, 1, 2)";
    return fmt::format("({} * {}).sum(axis={})", arriving, plain, axes);
  }
  const std::string change = fmt::format("{} * {}", arriving, gain_code(stage, setup));
  const std::string axes = axis_code(stage, code);
  return fmt::format("({0}{1} - {2} * ({0} * {2}).mean({3})) / {4}", change,
                     rule_of(stage, setup).centred ? fmt::format(" - ({}).mean({})", change, axes) : "", plain, axes,
                     divisor(stage, setup));
}

std::string_view heading(const Stage&, const Code& code) {
  return code.setup.norm.kind == NormKind::layer
             ? "Normalise each row: less its mean, divided by its spread, then gain and shift."
             : "Normalise each row: divided by its root mean square, then the gain.";
}

std::string_view heading_of_heads(const Stage&, const Code& code) {
  return code.setup.norms_all_heads()
             ? "Divide the queries and keys of a position by the root mean square of all heads, then the gains."
             : "Divide each query and key by its root mean square, then the gain.";
}

bool same_norm(const Setup& a, const Setup& b) { return a.norm == b.norm; }
bool same_norm_of_heads(const Setup& a, const Setup& b) {
  return a.norm.epsilon == b.norm.epsilon && a.attention.qk_norm_over == b.attention.qk_norm_over && same_heads(a, b);
}

StageWords words(const Setup& setup) {
  const char* word = setup.norm.kind == NormKind::layer ? "LayerNorm" : "RMSNorm";
  return in_brackets("norm", fmt::format("{} · gain", word), word, "norm");
}

StageWords words_of_heads(const Setup&) {
  return {.operation = "÷ rms · gain",
          .below = {},  // two lanes of thumbnails have no room for words between them
          .below_briefly = {},
          .before = {{"(", {}}},
          .after = {{"÷ rms )", {}}}};
}

double divisor_at(const Stage& stage, const Trace& trace, const Cell& cell) {
  return spread_at(trace, stage, cell.index).size;
}

}  // namespace

namespace operations {

extern constinit const Operation normalise{
    .kind = StageKind::norm,
    .title = "Normalise the {}",
    .formula = "{0} = {1}, each row scaled to the same spread, times {2}, plus {3}",
    .same_settings = same_norm,
    .words = words,
    .compute = compute,
    .explain = explain_cell,
    .divisor = divisor_at,
    .backward = {.compute = back, .explain = explain_back, .code = back_code},
    .code = code,
    .varying_heading = heading};

extern constinit const Operation normalise_heads{
    .kind = StageKind::norm,
    .title = "Normalise the {}",
    .formula = "{0} = {1} / root mean square, times the gain",
    .same_settings = same_norm_of_heads,
    .words = words_of_heads,
    .compute = compute,
    .explain = explain_cell,
    .divisor = divisor_at,
    .backward = {.compute = back, .explain = explain_back, .code = back_code},
    .code = code,
    .varying_heading = heading_of_heads};

}  // namespace operations

}  // namespace headlight
