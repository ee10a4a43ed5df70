#include "core/composition/parts.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/compute/matrices.hpp"
#include "core/model/positions.hpp"
#include "core/model/shapes.hpp"

namespace headlight {
namespace {

using Rows = RowMajor<double>;  // (position, feature)

[[noreturn]] void refuse(std::string found, std::string allowed) {
  throw InputError({"", "parts", std::move(found), std::move(allowed)});
}

/// A matrix of a tensor in double: its last two axes at these leading indices.
Rows in_double(const Tensor& tensor, Index a = 0, Index b = 0) {
  return with_element_type(tensor.precision(), [&](auto zero) -> Rows {
    return matrix<decltype(zero)>(tensor, a, b).template cast<double>();
  });
}

/// A vector of features in double, as one row.
Rows row_of(const Tensor& vector) { return in_double(vector.as_row()); }

/// The rows of a source at some positions of a batch item: what it has added to the stream there.
class Contributions {
 public:
  Contributions(const ModelTrace& model, Index item, Index first, Index count)
      : model_(model), item_(item), first_(first), count_(count) {}

  Rows of(const StreamSource& source) const {
    const Trace& trace = model_.at(source.layer);
    const Tensor& tensor = trace[source.tensor];
    if (source.head) return of_head(trace, *source.head);
    if (tensor.shape().rank() == 1) return row_of(tensor).replicate(count_, 1);  // a bias
    if (source.tensor == TensorId::P) return of_positions(trace);
    return in_double(tensor, item_).middleRows(first_ - before(trace, source.tensor), count_);
  }

 private:
  /// Positions of X that a tensor lacks because only queries have it.
  static Index before(const Trace& trace, TensorId tensor) {
    return info(tensor).has(Axis::query) ? trace.setup.past() : 0;
  }

  Rows of_head(const Trace& trace, Index head) const {
    const Index width = trace.setup.d_head();
    const Rows context = in_double(trace[TensorId::context], item_, head);
    return context.middleRows(first_ - trace.setup.past(), count_) *
           in_double(trace[TensorId::W_o]).middleRows(head * width, width);
  }

  Rows of_positions(const Trace& trace) const {
    const Rows table = in_double(trace[TensorId::P]);
    Rows rows(count_, table.cols());
    for (Index i = 0; i < count_; ++i)
      rows.row(i) = table.row(position_on(Axis::token, item_, first_ + i, trace.setup));
    return rows;
  }

  const ModelTrace& model_;
  Index item_, first_, count_;
};

/// What the input of attention, or of the unembedding, is the sum of before any norm. `layer` is the first layer that
/// hasn't added to it yet.
std::vector<StreamSource> sources_below(const ModelTrace& model, Index layer, bool with_input) {
  std::vector<StreamSource> sources;
  const Trace& first = model.first();
  if (with_input) {
    sources.push_back({first.has(TensorId::embed) ? TensorId::embed : TensorId::X});
    if (first.has(TensorId::P) && first.setup.position.is_added()) sources.push_back({TensorId::P});
  }
  for (Index below = 0; below < layer; ++below) {
    const Trace& trace = model.at(below);
    if (trace.setup.norms(NormPlacement::after))
      refuse("a model with norms after attention and MLP",
             "one without norms, or with norms before: only there the stream is the sum of what is written into it");
    for (Index head = 0; head < trace.setup.sizes.heads; ++head) sources.push_back({TensorId::output, below, head});
    if (trace.has(TensorId::b_o)) sources.push_back({TensorId::b_o, below});
    if (trace.has(TensorId::mlp_out)) sources.push_back({TensorId::mlp_out, below});
  }
  return sources;
}

/// A norm of a row, with the settings that it had there.
struct HeldNorm {
  TensorId input = TensorId::X, gain = TensorId::norm_gain, shift = TensorId::norm_bias;
};

/// Parts of rows, from the stream to where they are added up.
struct PartRows {
  std::vector<StreamSource> sources;
  std::vector<Rows> rows;

  void add(const StreamSource& source, Rows part) {
    sources.push_back(source);
    rows.push_back(std::move(part));
  }
  template <class Change>
  void change(Change&& change) {
    for (Rows& part : rows) part = change(part);
  }
};

/// Each part as far as a norm lets it through.
void pass_norm(PartRows& parts, const Trace& trace, const HeldNorm& norm, Index item, Index first) {
  if (parts.rows.empty()) return;
  const bool centred = trace.setup.norm.kind == NormKind::layer;
  const Rows whole = in_double(trace[norm.input], item).middleRows(first, parts.rows.front().rows());
  const Eigen::VectorXd means = centred ? Eigen::VectorXd(whole.rowwise().mean()) : Eigen::VectorXd::Zero(whole.rows());
  const Eigen::ArrayXd spreads =
      ((whole.colwise() - means).array().square().rowwise().mean() + trace.setup.norm.epsilon).sqrt();
  const Eigen::ArrayXd gain = row_of(trace[norm.gain]).row(0).array();
  parts.change([&](const Rows& part) -> Rows {
    Rows passed = centred ? Rows(part.colwise() - part.rowwise().mean()) : part;
    return (passed.array().colwise() / spreads).rowwise() * gain.transpose();
  });
  if (!trace.has(norm.shift)) return;
  parts.add({norm.shift, trace.setup.layer}, row_of(trace[norm.shift]).replicate(whole.rows(), 1));
}

/// The first of these tensors that the trace has.
TensorId first_there(const Trace& trace, std::initializer_list<TensorId> tensors) {
  return *std::ranges::find_if(tensors, [&](TensorId one) { return trace.has(one); });
}

/// One side of a head's scores.
struct Side {
  TensorId weight, bias, heads, normed, rotated, gain, head_gains;
  Axis axis;
};
constexpr Side query_side{TensorId::W_q,       TensorId::b_q,    TensorId::Q_heads,      TensorId::Q_normed,
                          TensorId::Q_rotated, TensorId::q_gain, TensorId::q_head_gains, Axis::query};
constexpr Side key_side{TensorId::W_k,       TensorId::b_k,    TensorId::K_heads,      TensorId::K_normed,
                        TensorId::K_rotated, TensorId::k_gain, TensorId::k_head_gains, Axis::key};

/// The root mean square that each row of a head's queries or keys was divided by.
Eigen::ArrayXd held_sizes(const Trace& trace, const Side& side, Index item, Index head) {
  const Tensor& heads = trace[side.heads];
  const bool together = trace.setup.norms_all_heads();
  const Index begin = together ? 0 : head, end = together ? heads.shape()[1] : head + 1;
  Eigen::ArrayXd squares = Eigen::ArrayXd::Zero(heads.shape()[2]);
  for (Index one = begin; one < end; ++one) squares += in_double(heads, item, one).array().square().rowwise().mean();
  return (squares / static_cast<double>(end - begin) + trace.setup.norm.epsilon).sqrt();
}

/// The gain of each feature of a head.
Eigen::ArrayXd gains_of(const Trace& trace, const Side& side, Index head) {
  if (trace.has(side.gain)) return row_of(trace[side.gain]).row(0).array();
  return in_double(trace[side.head_gains]).row(head).array();
}

void turn(Rows& rows, Axis axis, Index item, Index first, const Setup& setup) {
  for (Index row = 0; row < rows.rows(); ++row)
    for (Index pair = 0; pair < turned_features(setup) / 2; ++pair) {
      const double angle = position_angle(position_on(axis, item, first + row, setup), pair, turned_features(setup),
                                          setup.position.base);
      const FeaturePair at = feature_pair(pair, setup);
      const double x = rows(row, at.first), y = rows(row, at.second);
      rows(row, at.first) = x * std::cos(angle) - y * std::sin(angle);
      rows(row, at.second) = y * std::cos(angle) + x * std::sin(angle);
    }
}

/// The parts of a head's queries or keys, as they meet in the dot products. `first` and `count` are on their axis.
PartRows parts_of_side(const ModelTrace& model, const Trace& trace, const Side& side, Index item, Index head,
                       Index first, Index count) {
  const Setup& setup = trace.setup;
  const bool from_y = side.axis == Axis::key && setup.is_cross();
  const Index at = first + (side.axis == Axis::query ? setup.past() : 0);  // among the rows of X
  PartRows parts;
  const Contributions contributions(model, item, at, count);
  if (from_y) {
    parts.add({TensorId::Y}, contributions.of({TensorId::Y}));
    if (trace.has(TensorId::P)) parts.add({TensorId::P}, contributions.of({TensorId::P}));
  } else {
    for (const StreamSource& source : sources_below(model, setup.layer, true))
      parts.add(source, contributions.of(source));
    if (trace.has(TensorId::N))
      pass_norm(parts, trace, {first_there(trace, {TensorId::resid_pre, TensorId::X_plus_P, TensorId::X})}, item, at);
  }
  const Index width = setup.d_head();
  const Index own = side.axis == Axis::key ? setup.kv_head_of(head) : head;
  const Rows weight = in_double(trace[side.weight]).middleCols(own * width, width);
  parts.change([&](const Rows& part) -> Rows { return part * weight; });
  if (trace.has(side.bias))
    parts.add({side.bias, setup.layer}, row_of(trace[side.bias]).middleCols(own * width, width).replicate(count, 1));
  if (trace.has(side.normed)) {
    const Eigen::ArrayXd sizes = held_sizes(trace, side, item, own).segment(first, count);
    const Eigen::ArrayXd gains = gains_of(trace, side, own);
    parts.change(
        [&](const Rows& part) -> Rows { return (part.array().colwise() / sizes).rowwise() * gains.transpose(); });
  }
  if (trace.has(side.rotated))
    for (Rows& part : parts.rows) turn(part, side.axis, item, first, setup);
  return parts;
}

/// The parts of a batch item's logits.
PartRows parts_of_logits(const ModelTrace& model, Index item, Index first, Index count) {
  const Trace& trace = model.last();
  const Setup& setup = trace.setup;
  PartRows parts;
  const Contributions contributions(model, item, first + setup.past(), count);
  for (const StreamSource& source : sources_below(model, setup.sizes.layers, setup.block.residual))
    parts.add(source, contributions.of(source));
  if (trace.has(TensorId::N_final))
    pass_norm(parts, trace,
              {first_there(trace, {TensorId::resid_post, TensorId::output}), TensorId::final_norm_gain,
               TensorId::final_norm_bias},
              item, first);
  if (trace.has(TensorId::W_U)) {
    const Rows weight = in_double(trace[TensorId::W_U]);
    parts.change([&](const Rows& part) -> Rows { return part * weight; });
    if (trace.has(TensorId::b_U))
      parts.add({TensorId::b_U, setup.layer}, row_of(trace[TensorId::b_U]).replicate(count, 1));
  }
  return parts;
}

bool is_score(TensorId tensor) { return tensor == TensorId::scores || tensor == TensorId::dot_products; }

void require_parts(const ModelTrace& model, const Cell& cell) {
  if (!has_parts(cell.tensor))
    refuse(fmt::format("{}", name(cell.tensor)), "scores, dot_products, unembed or logits, which are sums of parts");
  if (cell.layer >= std::ssize(model.layers) || !model.at(cell.layer).has(cell.tensor))
    refuse(to_string(cell), "a tensor that this setup has");
}

double factor_of(TensorId tensor, const Setup& setup) { return tensor == TensorId::scores ? setup.score_factor() : 1; }

std::vector<std::string> names_of(const std::vector<StreamSource>& sources, const Setup& setup) {
  std::vector<std::string> names;
  for (const StreamSource& source : sources) names.push_back(to_string(source, setup));
  return names;
}

/// The source with this name; `X` may be called `embed`, and layer 0 may be named or not where the model has one layer.
std::size_t named(std::string_view wanted, const std::vector<StreamSource>& sources, const Setup& setup) {
  const std::vector<std::string> names = names_of(sources, setup);
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == wanted || (i == 0 && names[i] == "X" && wanted == "embed") ||
        (setup.sizes.layers == 1 && wanted.starts_with("L0") &&
         (wanted.substr(2) == names[i] || wanted.substr(2) == "." + names[i])))
      return i;
  refuse(fmt::format("\"{}\"", wanted), fmt::format("one of {}", fmt::join(names, ", ")));
}

Parts parts_of_score(const ModelTrace& model, const Cell& cell) {
  const Trace& trace = model.at(cell.layer);
  const Index item = cell.index[0], head = cell.index[1], query = cell.index[2], key = cell.index[3];
  const PartRows queries = parts_of_side(model, trace, query_side, item, head, query, 1);
  const PartRows keys = parts_of_side(model, trace, key_side, item, head, key, 1);
  const double factor = factor_of(cell.tensor, trace.setup);
  Parts parts{queries.sources, keys.sources,
              Tensor::uninitialized(Precision::float64, {std::ssize(queries.rows), std::ssize(keys.rows)})};
  double sum = 0;
  double* next = parts.numbers.writable<double>();
  for (const Rows& q : queries.rows)
    for (const Rows& k : keys.rows) sum += * next++ = q.row(0).dot(k.row(0)) * factor;
  if (cell.tensor == TensorId::scores && trace.has(TensorId::position_bias))
    sum += *(parts.position_bias = trace.number(TensorId::position_bias, {head, query, key}));
  parts.rest = trace.value(cell) - sum;
  return parts;
}

Parts parts_of_logit(const ModelTrace& model, const Cell& cell) {
  const PartRows all = parts_of_logits(model, cell.index[0], cell.index[1], 1);
  Parts parts{all.sources, {}, Tensor::uninitialized(Precision::float64, {std::ssize(all.rows), 1})};
  double sum = 0;
  double* next = parts.numbers.writable<double>();
  for (const Rows& part : all.rows) sum += * next++ = part(0, cell.index[2]);
  parts.rest = model.value(cell) - sum;
  return parts;
}

Tensor tensor_of(const Rows& rows) {
  return headlight::tensor_of({rows.rows(), rows.cols()}, {rows.data(), static_cast<std::size_t>(rows.size())});
}

}  // namespace

std::string to_string(const StreamSource& source, const Setup& setup) {
  const bool several = setup.sizes.layers > 1;
  if (source.head)
    return several ? fmt::format("L{}H{}", source.layer, *source.head) : fmt::format("H{}", *source.head);
  return several && !info(source.tensor).is_of_model() && source.tensor != TensorId::X
             ? fmt::format("L{}.{}", source.layer, name(source.tensor))
             : std::string(name(source.tensor));
}

bool has_parts(TensorId tensor) {
  return is_score(tensor) || tensor == TensorId::unembed || tensor == TensorId::logits;
}

std::optional<Cell> cell_with_parts(const ModelTrace& model, Cell cell) {
  const TensorInfo& about = info(cell.tensor);
  const bool of_pair = about.rank == 4 && about.axes[2] == Axis::query && about.axes[3] == Axis::key;
  if (of_pair && !is_gradient(cell.tensor) && !has_parts(cell.tensor)) cell.tensor = TensorId::scores;
  if (cell.tensor == TensorId::probabilities) cell.tensor = TensorId::logits;
  const Trace& trace = model.at(cell.layer);
  const bool is_sum = !trace.setup.norms(NormPlacement::after) || (is_score(cell.tensor) && trace.setup.is_first());
  if (!has_parts(cell.tensor) || !trace.has(cell.tensor) || !is_sum) return std::nullopt;
  return cell;
}

Parts parts_of(const ModelTrace& model, const Cell& cell) {
  require_parts(model, cell);
  return is_score(cell.tensor) ? parts_of_score(model, cell) : parts_of_logit(model, cell);
}

SourceRows rows_of_sources(const ModelTrace& model, const Cell& cell) {
  require_parts(model, cell);
  const Trace& trace = model.at(cell.layer);
  const Setup& setup = trace.setup;
  const auto tensors_of = [](const std::vector<Rows>& all) {
    std::vector<Tensor> tensors;
    for (const Rows& rows : all) tensors.push_back(tensor_of(rows));
    return tensors;
  };
  const Index item = cell.index[0];
  if (!is_score(cell.tensor)) {
    PartRows all = parts_of_logits(model, item, 0, setup.sizes.query_length);
    const Index columns = trace[cell.tensor].shape()[2];
    all.change([&](const Rows& part) -> Rows { return part.leftCols(columns); });
    return {all.sources, {}, tensors_of(all.rows), {}};
  }
  const Index head = cell.index[1];
  const PartRows queries = parts_of_side(model, trace, query_side, item, head, 0, setup.sizes.query_length);
  const PartRows keys = parts_of_side(model, trace, key_side, item, head, 0, setup.key_length());
  return {queries.sources, keys.sources, tensors_of(queries.rows), tensors_of(keys.rows),
          factor_of(cell.tensor, setup)};
}

Tensor part_of_all(const ModelTrace& model, const Cell& cell, std::string_view row, std::string_view column) {
  const SourceRows all = rows_of_sources(model, cell);
  const Setup& setup = model.at(cell.layer).setup;
  const Tensor& queries = all.queries[named(row, all.rows, setup)];
  if (is_score(cell.tensor)) return product_of(queries, all.keys[named(column, all.columns, setup)], all.factor);
  if (!column.empty()) refuse(fmt::format("\"{}\" for the keys of a logit", column), "one source");
  return queries;
}

Tensor product_of(const Tensor& queries, const Tensor& keys, double factor) {
  return tensor_of(in_double(queries) * in_double(keys).transpose() * factor);
}

}  // namespace headlight
