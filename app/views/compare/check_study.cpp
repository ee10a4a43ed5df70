#include "app/views/compare/check_study.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "app/session/studies/comparison.hpp"
#include "core/diagnose/arrays/agreement.hpp"
#include "core/diagnose/arrays/layout.hpp"
#include "core/diagnose/diagnose.hpp"
#include "core/diagnose/mend.hpp"

namespace headlight {
namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

/// Ours in the shape of theirs: K_heads and V_heads may have been handed in with one entry for each query head, and
/// weights as their mean.
Tensor ours_for(const Trace& ours, const TensorVerdict& verdict) {
  const Tensor& own = ours[verdict.tensor];
  if (verdict.averaged && own.shape().rank() == 4) return mean_over_heads(own);
  if (own.shape() == verdict.theirs.shape()) return own;
  const bool repeats = info(verdict.tensor).has_kv_heads() && verdict.theirs.shape().rank() == 4 &&
                       verdict.theirs.shape()[1] == ours.setup.sizes.heads;
  Tensor repeated = repeats ? repeated_heads(own, ours.setup.sizes.heads) : Tensor{};
  return !repeated.empty() && repeated.shape() == verdict.theirs.shape() ? repeated : Tensor{};
}

/// Calls `visit(theirs, ours)` with the numbers of two tensors of one shape.
template <class Visit>
void each_pair(const Tensor& theirs, const Tensor& ours, const Visit& visit) {
  const Tensor a = converted(theirs, Precision::float64);
  const Tensor b = converted(ours, Precision::float64);
  const double* const from = a.data<double>();
  const double* const to = b.data<double>();
  for (Index i = 0; i < a.elements(); ++i) visit(from[i], to[i]);
}

Ratio ratio_of(const Tensor& theirs, const Tensor& ours) {
  Ratio ratio;
  const auto has_one = [](double a, double b) { return b != 0 && std::isfinite(a / b); };
  each_pair(theirs, ours, [&](double a, double b) {
    if (!has_one(a, b)) return;
    ratio.least = ratio.cells == 0 ? a / b : std::min(ratio.least, a / b);
    ratio.most = ratio.cells == 0 ? a / b : std::max(ratio.most, a / b);
    ++ratio.cells;
  });
  ratio.end = std::min(std::max(2.0, std::ceil(ratio.most * 1.25)), 16.0);
  const auto bins = static_cast<double>(ratio.histogram.size());
  each_pair(theirs, ours, [&](double a, double b) {
    if (!has_one(a, b) || a / b < 0 || a / b >= ratio.end) return;
    ++ratio.histogram[static_cast<std::size_t>(a / b / ratio.end * bins)];
  });
  return ratio;
}

/// The cells of the tensors in the report.
void find_differences(CheckFindings& findings, Threads& threads) {
  for (const TensorVerdict& verdict : findings.report.tensors) {
    const Tensor own = ours_for(*findings.ours, verdict);
    if (own.empty()) continue;
    findings.differences[index_of(verdict.tensor)] = difference_of(threads, own, verdict.theirs);
    if (verdict.tensor == findings.report.first_difference) findings.ratio = ratio_of(verdict.theirs, own);
  }
}

CheckFindings found(const std::shared_ptr<const Trace>& ours, const std::vector<GivenArray>& arrays,
                    const DiagnoseOptions& options, const std::string& source,
                    const std::shared_ptr<Threads>& threads) {
  CheckFindings findings;
  const auto begin = std::chrono::steady_clock::now();
  findings.layer = ours->setup.layer;
  findings.ours = ours;
  try {
    findings.report = diagnose(*ours, arrays, options, source, threads);
  } catch (const InputError& error) {
    findings.problems = error.problems();
    return findings;
  }
  for (const Diagnosis& diagnosis : findings.report.diagnoses) {
    findings.diagnoses.push_back({diagnosis, findings.layer, {}});
    for (const TensorId id : diagnosis.at) findings.diagnoses.back().at.push_back({findings.layer, id});
  }
  find_differences(findings, *threads);
  findings.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return findings;
}

/// The findings about each layer.
std::vector<CheckFindings> found_in_model(const ModelTrace& model, const std::vector<GivenArray>& arrays,
                                          const DiagnoseOptions& options, const std::string& source,
                                          const std::shared_ptr<Threads>& threads) {
  std::vector<CheckFindings> all(model.layers.size());
  const auto begin = std::chrono::steady_clock::now();
  std::shared_ptr<const ModelReport> report;
  try {
    report = std::make_shared<const ModelReport>(diagnose_model(model, arrays, options, source, threads));
  } catch (const InputError& error) {
    for (CheckFindings& findings : all) findings.problems = error.problems();
    return all;
  }
  for (std::size_t layer = 0; layer < all.size(); ++layer) {
    CheckFindings& findings = all[layer];
    findings.layer = static_cast<Index>(layer);
    findings.model = report;
    findings.diagnoses = report->diagnoses;
    findings.ours = model.layers[layer];
    const LayerReport* const own = findings.of_layer(findings.layer);
    if (own == nullptr) continue;
    findings.report = own->report;
    if (own->ours) findings.ours = own->ours;
    find_differences(findings, *threads);
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  for (CheckFindings& findings : all) findings.seconds = seconds;
  return all;
}

/// Everything that was handed in, checked: of the layer alone, or of each layer.
std::vector<CheckFindings> all_found(const CheckKey& key, const std::shared_ptr<Threads>& threads) {
  const CheckTask task = task_of(key.work);
  const DiagnoseOptions options{task.names, key.work.tolerance};
  const std::string source = key.work.given ? key.work.given->title : "";  // none where nothing was handed in
  if (!key.alone) return found_in_model(key.model, task.arrays, options, source, threads);
  return {found(key.model.layers[static_cast<std::size_t>(*key.alone)], task.arrays, options, source, threads)};
}

/// The same with one of the mistakes mended.
std::vector<CheckFindings> all_mended(const CheckKey& key, const CheckFindings& findings, std::size_t diagnosis,
                                      const std::shared_ptr<Threads>& threads) {
  const std::string& source = key.work.given->title;
  if (!findings.model) {
    const CheckReport& report = findings.report;
    const auto arrays = mended(*findings.ours, report, report.diagnoses[diagnosis], *threads);
    return {found(findings.ours, arrays, {names_of(report), key.work.tolerance}, source, threads)};
  }
  const ModelReport& before = *findings.model;
  const auto arrays = mended(key.model, before, before.diagnoses[diagnosis], *threads);
  Naming names;  // nothing is to be guessed again
  for (const GivenArray& array : arrays) names.emplace_back(array.name, array.name);
  std::vector<CheckFindings> all = found_in_model(key.model, arrays, {names, key.work.tolerance}, source, threads);
  for (CheckFindings& layer : all) {
    for (TensorVerdict& verdict : layer.report.tensors)  // it is still called as it was handed in
      verdict.yours =
          std::ranges::find(findings.of_layer(layer.layer)->report.tensors, verdict.tensor, &TensorVerdict::tensor)
              ->yours;
  }
  return all;
}

/// Of the layer that is shown, or of the one that is checked alone.
const CheckFindings* shown_of(const std::vector<CheckFindings>* all, const CheckKey& key, const Session& session) {
  if (all == nullptr) return nullptr;
  return &(*all)[key.alone ? 0 : static_cast<std::size_t>(session.setup().layer)];
}

/// The matrix of a batch item and a head; `head` counts query heads, and the tensor has as many or fewer.
Tensor matrix_in(const Tensor& tensor, TensorId id, const Setup& setup, Index batch, Index head) {
  if (tensor.shape().rank() == 1) return tensor.as_row();
  Tensor matrix = tensor;
  if (info(id).has_heads()) {
    const Index count = tensor.shape()[1];
    matrix = matrix.selected(1, count == setup.sizes.heads ? head : count == 1 ? 0 : setup.kv_head_of(head));
  }
  return info(id).has_batch() ? matrix.selected(0, batch) : matrix;
}

/// The smallest and the largest finite number of both.
std::pair<double, double> range_of_both(const Tensor& a, const Tensor& b) {
  double least = std::numeric_limits<double>::infinity();
  double most = -least;
  each_pair(a, b, [&](double one, double other) {
    for (const double value : {one, other})
      if (std::isfinite(value)) std::tie(least, most) = std::pair{std::min(least, value), std::max(most, value)};
  });
  return least <= most ? std::pair{least, most} : std::pair{0.0, 0.0};
}

double largest_in(const Tensor& tensor) {
  double largest = 0;
  each_pair(tensor, tensor, [&](double value, double) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  });
  return largest;
}

/// theirs / ours; 1 if they are equal, and NaN if only ours is 0.
Tensor ratios(const Tensor& theirs, const Tensor& ours) {
  Tensor result = Tensor::uninitialized(Precision::float64, theirs.shape());
  double* to = result.writable<double>();
  each_pair(theirs, ours, [&](double a, double b) { *to++ = a == b ? 1 : b == 0 ? no_number : a / b; });
  return result;
}

/// What to hatch in their weights: the keys that our mask hides, but not where theirs give such a key a share.
Tensor hidden_in(const Tensor& theirs, const Tensor& hidden) {
  if (hidden.empty()) return {};
  Tensor result = Tensor::uninitialized(Precision::float64, theirs.shape());
  double* to = result.writable<double>();
  each_pair(theirs, hidden, [&](double share, double score) { *to++ = share == 0 ? score : 0; });
  return result;
}

CheckedMatrix matrix_of(Threads& threads, const Trace& trace, const TensorVerdict& verdict, Index batch, Index head) {
  const TensorId id = verdict.tensor;
  const Slice shown = slice_of(trace, id, batch, head);
  const auto complete = [](const Tensor& tensor) {
    return tensor.empty() ? tensor : converted(tensor, Precision::float64);
  };
  CheckedMatrix matrix;
  matrix.ours = {complete(shown.values), complete(shown.hidden)};
  if (verdict.averaged) matrix.ours.values = complete(matrix_in(mean_over_heads(trace[id]), id, trace.setup, batch, 0));
  const Tensor theirs = complete(matrix_in(verdict.theirs, id, trace.setup, batch, head));
  // Cells that are −inf in theirs are hidden. Weights do not show which cells were hidden.
  matrix.theirs = {theirs, info(id).hides_as_infinity() ? theirs : hidden_in(theirs, matrix.ours.hidden)};
  matrix.difference = {difference_of(threads, matrix.ours.values, theirs), matrix.theirs.hidden};
  if (info(id).hides_as_infinity()) matrix.difference.hidden = larger_of(threads, matrix.ours.values, theirs);
  matrix.ratio = {ratios(theirs, matrix.ours.values), matrix.difference.hidden};
  std::tie(matrix.least, matrix.most) = range_of_both(theirs, matrix.ours.values);
  matrix.largest_off = largest_in(matrix.difference.values);
  const double* const ratio = matrix.ratio.values.data<double>();
  matrix.largest_ratio = 0;
  for (Index i = 0; i < theirs.elements(); ++i)
    if (std::isfinite(ratio[i])) matrix.largest_ratio = std::max(matrix.largest_ratio, std::abs(ratio[i] - 1));
  return matrix;
}

}  // namespace

CheckKey check_key(const Session& session) {
  const bool alone = !session.setup().block.residual || session.state().checking.is_of_step();
  return {session.model_trace(), alone ? std::optional(session.setup().layer) : std::nullopt,
          session.state().checking.work()};
}

std::optional<LayerTensor> CheckFindings::first_difference() const {
  if (model) return model->first_difference;
  return report.first_difference ? std::optional(LayerTensor{layer, *report.first_difference}) : std::nullopt;
}

const LayerReport* CheckFindings::of_layer(Index which) const {
  if (!model) return nullptr;
  const auto found = std::ranges::find(model->layers, which, &LayerReport::layer);
  return found == model->layers.end() ? nullptr : &*found;
}

const TensorVerdict* CheckFindings::on(TensorId tensor) const {
  const auto found = std::ranges::find(report.tensors, tensor, &TensorVerdict::tensor);
  return found == report.tensors.end() ? nullptr : &*found;
}

std::vector<const TensorVerdict*> CheckFindings::verdicts() const {
  std::vector<const TensorVerdict*> all;
  const auto add = [&](const CheckReport& one) {
    for (const TensorVerdict& verdict : one.tensors) all.push_back(&verdict);
  };
  if (!model) add(report);
  else
    for (const LayerReport& one : model->layers) add(one.report);
  return all;
}

const CheckFindings* CheckStudy::findings(Session& session) {
  const CheckKey key = check_key(session);
  const auto threads = session.threads();
  const auto* const all = findings_.of(
      session, key, beside_the_frame,  // it may try thousands of seeds
      [key, threads](Threads&, const std::stop_token&) { return all_found(key, threads); }, a_moment);
  return shown_of(all, key, session);
}

const CheckedMatrix* CheckStudy::matrix(Session& session, const CheckFindings& findings, TensorId tensor) {
  const TensorVerdict verdict = *findings.on(tensor);
  const auto trace = findings.ours;
  const Selection& selection = session.selection();
  const Slice shown = slice_of(*trace, tensor, selection.batch, selection.head);
  return matrix_.of(
      session, {verdict.theirs, check_key(session), tensor, selection.batch, selection.head},
      4 * shown.rows() * shown.columns(),
      [trace, verdict, batch = selection.batch, head = selection.head](Threads& threads, const std::stop_token&) {
        return matrix_of(threads, *trace, verdict, batch, head);
      });
}

const CheckFindings* CheckStudy::mended(Session& session, const CheckFindings& findings, std::size_t diagnosis) {
  const CheckKey key = check_key(session);
  const auto threads = session.threads();
  const auto* const all = mended_.of(
      session, {key, diagnosis}, beside_the_frame,
      [key, threads, findings, diagnosis](Threads&, const std::stop_token&) {
        return all_mended(key, findings, diagnosis, threads);
      },
      a_moment);
  return shown_of(all, key, session);
}

}  // namespace headlight
