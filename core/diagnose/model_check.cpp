#include "core/diagnose/model_check.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "core/diagnose/arrays/by_layer.hpp"
#include "core/diagnose/arrays/flow.hpp"
#include "core/diagnose/arrays/matching.hpp"
#include "core/diagnose/mistakes/mistake.hpp"
#include "core/diagnose/mistakes/model.hpp"
#include "core/model/problem.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/table.hpp"

namespace headlight {
namespace {

class ModelCheck {
 public:
  ModelCheck(const ModelTrace& ours, std::span<const GivenArray> arrays, const DiagnoseOptions& options,
             const std::string& source, const std::shared_ptr<Threads>& threads)
      : ours_(ours), options_(options), source_(source), threads_(threads) {
    given_ = by_layer(arrays, ours.first().setup, options.names, report_.unrecognised);
    move_by_numbers();
  }

  ModelReport run() {
    Tensor input;  // of the next layer, where it isn't ours
    for (Index layer = 0; layer < std::ssize(ours_.layers); ++layer) input = check(layer, input);
    if (report_.layers.empty())
      throw InputError({source_, "", "no array that is recognised", "names such as L1.scores"});
    if (!report_.agrees) {
      unite();
      try_models();
      if (std::ranges::none_of(report_.diagnoses, [](const ModelDiagnosis& each) { return each.what.explains; }))
        try_in_all_layers();
      std::ranges::stable_sort(report_.diagnoses, [](const ModelDiagnosis& a, const ModelDiagnosis& b) {
        if (a.what.explains != b.what.explains) return a.what.explains;
        return !a.what.explains && a.what.misfit < b.what.misfit;
      });
    }
    return std::move(report_);
  }

 private:
  /// Arrays whose names say neither a tensor nor a layer go to the layer that has their numbers.
  void move_by_numbers() {
    LayerArrays& first = given_.front();
    for (std::size_t i = 0; i < first.arrays.size();) {
      const std::optional<Index> layer = named(first, i) ? std::nullopt : layer_with(first.arrays[i]);
      if (!layer) {
        ++i;
        continue;
      }
      const auto place = static_cast<std::ptrdiff_t>(i);
      LayerArrays& own = given_[static_cast<std::size_t>(*layer)];
      own.arrays.push_back(std::move(first.arrays[i]));
      own.yours.push_back(std::move(first.yours[i]));
      first.arrays.erase(first.arrays.begin() + place);
      first.yours.erase(first.yours.begin() + place);
    }
  }

  static bool named(const LayerArrays& layer, std::size_t array) {
    const std::string& name = layer.arrays[array].name;
    return !tensors_called(name).empty() ||
           std::ranges::find(layer.by_hand, name, &Naming::value_type::first) != layer.by_hand.end();
  }

  /// The layer above the first of which the array is a tensor; none where it may be one of the first.
  std::optional<Index> layer_with(const GivenArray& array) const {
    for (Index layer = 0; layer < std::ssize(ours_.layers); ++layer)
      if (has_numbers_of(array, ours_.at(layer))) return layer > 0 ? std::optional(layer) : std::nullopt;
    return std::nullopt;
  }

  bool has_numbers_of(const GivenArray& array, const Trace& ours) const {
    try {
      const CheckReport found =
          diagnose(ours, std::span(&array, 1), {{}, options_.tolerance, false}, source_, threads_);
      return !found.tensors.empty() && found.tensors.front().agrees && found.tensors.front().by == KnownBy::value;
    } catch (const InputError&) {  // it has the shape of none
      return false;
    }
  }

  CheckReport compared(Index layer, const Trace& with, bool mistakes_too) {
    LayerArrays& own = given_[static_cast<std::size_t>(layer)];
    const DiagnoseOptions options{own.by_hand, options_.tolerance, mistakes_too};
    CheckReport report = diagnose(with, own.arrays, options, source_, threads_);
    const auto called = [&](std::string& name) {
      const auto found = std::ranges::find(own.arrays, name, &GivenArray::name);
      if (found != own.arrays.end()) name = own.yours[static_cast<std::size_t>(found - own.arrays.begin())];
    };
    for (TensorVerdict& verdict : report.tensors) called(verdict.yours);
    for (std::string& name : report.unrecognised) called(name);
    for (Doubt& doubt : report.doubts) called(doubt.yours);
    return report;
  }

  /// Gives what the layer above reads, where that is not ours.
  Tensor check(Index layer, const Tensor& input) {
    const Trace& ours = ours_.at(layer);
    const Trace own = input.empty() ? ours : from_input(ours, input, workspace_);
    const bool is_last = layer + 1 == std::ssize(ours_.layers);
    if (given_[static_cast<std::size_t>(layer)].arrays.empty())
      return input.empty() || is_last ? Tensor() : what_leaves(own);
    LayerReport found{.layer = layer, .report = compared(layer, own, true), .on_theirs = !input.empty()};
    if (found.on_theirs) found.ours = std::make_shared<const Trace>(own);
    CheckReport& report = found.report;
    if (report.first_difference && !report_.first_difference)
      report_.first_difference = LayerTensor{layer, *report.first_difference};
    report_.agrees &= report.agrees;
    for (const std::string& name : report.unrecognised) report_.unrecognised.push_back(name);
    for (const std::string& note : report.notes)
      report_.notes.push_back(ours_.layers.size() == 1 ? note : fmt::format("layer {}: {}", layer, note));
    Tensor leaving;
    if (!is_last && (!report.agrees || !input.empty()))
      leaving = report.leaving.empty() ? what_leaves(own) : report.leaving;
    report_.layers.push_back(std::move(found));
    return leaving;
  }

  /// One mistake that was made in several layers is one diagnosis.
  void unite() {
    for (const LayerReport& layer : report_.layers) {
      for (const Diagnosis& diagnosis : layer.report.diagnoses) {
        const auto same = std::ranges::find_if(report_.diagnoses, [&](const ModelDiagnosis& other) {
          return other.what.mistake == diagnosis.mistake && other.what.variant == diagnosis.variant &&
                 other.what.explains == diagnosis.explains &&
                 (diagnosis.draws.empty() || other.what.words == diagnosis.words);
        });
        ModelDiagnosis& all = same != report_.diagnoses.end()
                                  ? *same
                                  : report_.diagnoses.emplace_back(ModelDiagnosis{diagnosis, layer.layer, {}});
        all.what.misfit = std::max(all.what.misfit, diagnosis.misfit);
        for (const TensorId id : diagnosis.at) all.at.push_back({layer.layer, id});
      }
    }
  }

  bool is_explained() const {
    return std::ranges::all_of(report_.layers, [&](const LayerReport& layer) {
      return std::ranges::all_of(layer.report.tensors, [&](const TensorVerdict& verdict) {
        return verdict.step_agrees || layer.report.explains(verdict.tensor);
      });
    });
  }

  void try_models() {
    const bool is_explained_already = is_explained();
    for (const ModelMistake& mistake : model_mistakes()) {
      const auto wrong = with_mistake(mistake, ours_, workspace_);
      if (!wrong) continue;
      ModelDiagnosis diagnosis{.what = {.mistake = mistake.name,
                                        .words = std::string(mistake.words),
                                        .explains = true,
                                        .fix_numpy = std::string(mistake.fix_numpy),
                                        .fix_torch = std::string(mistake.fix_torch)},
                               .layer = mistake.from,
                               .at = places_of(mistake)};
      for (const LayerReport& layer : report_.layers) judge(diagnosis.what, layer.layer, wrong->at(layer.layer));
      if (!diagnosis.what.explains && is_explained_already) continue;
      if (diagnosis.at.empty()) continue;
      diagnosis.what.tensor = diagnosis.at.front().tensor;
      diagnosis.layer = diagnosis.at.front().layer;
      for (const LayerTensor& place : diagnosis.at)
        if (place.layer == diagnosis.layer) diagnosis.what.at.push_back(place.tensor);
      add(std::move(diagnosis));
    }
  }

  /// A mistake of one layer, made in each: one class is often all layers.
  void try_in_all_layers() {
    constexpr int most_variants = 8;
    for (const Mistake& mistake : mistakes()) {
      if (mistake.fitted) continue;
      for (const std::vector<TensorId>& at : places_for(mistake))
        for (int variant = 0; variant < most_variants; ++variant) {
          const auto wrong = with_mistake_in_all(mistake, variant, at, ours_, workspace_);
          if (!wrong) break;
          ModelDiagnosis diagnosis = everywhere(mistake, variant, at);
          for (const LayerReport& layer : report_.layers) judge(diagnosis.what, layer.layer, wrong->at(layer.layer));
          if (diagnosis.what.explains) return add(std::move(diagnosis));
        }
    }
  }

  /// At all of its tensors, and at each.
  static std::vector<std::vector<TensorId>> places_for(const Mistake& mistake) {
    std::vector<std::vector<TensorId>> places{mistake.at};
    if (mistake.at.size() > 1 && !mistake.everywhere)
      for (const TensorId id : mistake.at) places.push_back({id});
    return places;
  }

  ModelDiagnosis everywhere(const Mistake& mistake, int variant, const std::vector<TensorId>& at) const {
    ModelDiagnosis diagnosis{.what = {.tensor = at.front(),
                                      .given = at.front(),
                                      .mistake = mistake.name,
                                      .words = fmt::format("{}, in all layers", mistake.words),
                                      .explains = true,
                                      .mended = mistake.mended,
                                      .fix_numpy = std::string(mistake.fix_numpy),
                                      .fix_torch = std::string(mistake.fix_torch),
                                      .variant = variant},
                             .at = {}};
    for (const auto& layer : ours_.layers)
      for (const TensorId id : at)
        if (exists(id, layer->setup)) diagnosis.at.push_back({layer->setup.layer, id});
    for (const TensorId id : at)
      if (exists(id, ours_.first().setup)) diagnosis.what.at.push_back(id);
    return diagnosis;
  }

  /// Whether the wrong model's layer gives what was handed over of it.
  void judge(Diagnosis& diagnosis, Index layer, const Trace& wrong) {
    try {
      const CheckReport report = compared(layer, wrong, false);
      diagnosis.explains &= report.agrees;
      for (const TensorVerdict& verdict : report.tensors)
        diagnosis.misfit = std::max(diagnosis.misfit, verdict.max_abs);
    } catch (const InputError&) {
      diagnosis.explains = false;
      diagnosis.misfit = std::numeric_limits<double>::infinity();
    }
  }

  std::vector<LayerTensor> places_of(const ModelMistake& mistake) const {
    std::vector<LayerTensor> places;
    for (Index layer = mistake.from; layer < std::ssize(ours_.layers); ++layer) {
      const Setup& setup = ours_.at(layer).setup;
      for (const TensorInfo& tensor : all_tensors()) {
        const bool is_weight = tensor.kind == TensorKind::weight && !tensor.is_of_model();
        const bool is_wrong = mistake.at.empty() ? is_weight : contains(mistake.at, tensor.id);
        if (is_wrong && exists(tensor.id, setup)) places.push_back({layer, tensor.id});
      }
    }
    return places;
  }

  /// What explains all of the arrays at once comes before what explains a layer; of two ways to make a mistake the
  /// better one stays.
  void add(ModelDiagnosis diagnosis) {
    const auto same = std::ranges::find_if(
        report_.diagnoses, [&](const ModelDiagnosis& other) { return other.what.mistake == diagnosis.what.mistake; });
    if (same != report_.diagnoses.end()) {
      const bool is_better = diagnosis.what.explains != same->what.explains ? diagnosis.what.explains
                                                                            : diagnosis.what.misfit < same->what.misfit;
      if (is_better) *same = std::move(diagnosis);
      return;
    }
    const auto place = diagnosis.what.explains ? report_.diagnoses.begin() : report_.diagnoses.end();
    report_.diagnoses.insert(place, std::move(diagnosis));
  }

  const ModelTrace& ours_;
  const DiagnoseOptions& options_;
  const std::string& source_;
  const std::shared_ptr<Threads>& threads_;
  std::vector<LayerArrays> given_;
  ModelReport report_;
  Workspace workspace_;
};

}  // namespace

ModelReport diagnose_model(const ModelTrace& ours, std::span<const GivenArray> arrays, const DiagnoseOptions& options,
                           const std::string& source, const std::shared_ptr<Threads>& threads) {
  return ModelCheck(ours, arrays, options, source, threads).run();
}

}  // namespace headlight
