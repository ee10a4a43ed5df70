#include "core/diagnose/mend.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "core/compute/workspace.hpp"
#include "core/diagnose/arrays/flow.hpp"
#include "core/diagnose/arrays/layout.hpp"
#include "core/diagnose/mistakes/draws.hpp"
#include "core/diagnose/mistakes/mistake.hpp"
#include "core/diagnose/mistakes/model.hpp"
#include "core/model/cell.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/table.hpp"

namespace headlight {
namespace {

const TensorVerdict* verdict_on(const CheckReport& report, TensorId id) {
  const auto found = std::ranges::find(report.tensors, id, &TensorVerdict::tensor);
  return found == report.tensors.end() ? nullptr : &*found;
}

bool is_same(const Diagnosis& a, const Diagnosis& b) { return a.mistake == b.mistake && a.given == b.given; }

const std::vector<TensorId>& mended_by(const Diagnosis& mistake) {
  return mistake.mended.empty() ? mistake.at : mistake.mended;
}

bool is_of_draws(const Diagnosis& diagnosis) { return diagnosis.drawn_as != nullptr; }

/// Whether our stage can read the array in the place of ours: it has its shape, or one entry for each query head.
bool is_readable(const Tensor& theirs, const Tensor& ours) {
  if (theirs.shape() == ours.shape()) return true;
  return theirs.shape().rank() == 4 && ours.shape().rank() == 4 && theirs.shape()[0] == ours.shape()[0] &&
         theirs.shape()[2] == ours.shape()[2] && theirs.shape()[3] == ours.shape()[3] &&
         theirs.shape()[1] % ours.shape()[1] == 0;
}

/// What is mended in a layer.
struct Repair {
  const Diagnosis* mistake = nullptr;  ///< of this layer; null: none, or one of the whole model
  std::vector<TensorId> at = {};       ///< where our steps take the place of theirs
  bool other_input = false;            ///< the layer below leaves other numbers now
  bool explains_all = false;           ///< a mistake of the whole model: apart from it all steps are ours
};

class Mending {
 public:
  Mending(const Trace& ours, const CheckReport& report, Repair repair, Threads& threads)
      : ours_(ours),
        report_(report),
        repair_(std::move(repair)),
        workspace_(threads, blocks_, silent_, 1),
        trace_(ours) {}

  void run() {
    draw();
    for (const TensorInfo& tensor : all_tensors())
      if (exists(tensor.id, ours_.setup)) go_through(tensor.id);
  }

  /// What was handed over, as it is now, each array under the name that `name_of` gives it.
  template <class NameOf>
  std::vector<GivenArray> arrays(NameOf&& name_of) const {
    std::vector<GivenArray> arrays;
    for (const TensorVerdict& verdict : report_.tensors)
      arrays.push_back({name_of(verdict), converted(trace_[verdict.tensor], precision_of(verdict)), {}});
    return arrays;
  }

  const Trace& trace() const { return trace_; }

 private:
  static Precision precision_of(const TensorVerdict& verdict) {
    return verdict.printed ? Precision::float64 : verdict.theirs.precision();
  }

  bool mends_draws() const { return repair_.mistake != nullptr && is_of_draws(*repair_.mistake); }

  /// Draws that were not handed over are what the report believes them to be, unless they are what is mended.
  void draw() {
    if (mends_draws() || repair_.explains_all) return;
    const auto believed = std::ranges::find_if(
        report_.diagnoses, [](const Diagnosis& diagnosis) { return diagnosis.explains && is_of_draws(diagnosis); });
    if (believed == report_.diagnoses.end()) return;
    const Trace other = drawn({believed->mistake, {}, *believed->drawn_as}, ours_.setup);
    for (const TensorInfo& tensor : all_tensors()) {
      if (!is_drawn(tensor.id, ours_.setup) || !exists(tensor.id, ours_.setup)) continue;
      trace_[tensor.id] = other[tensor.id];
      changed_[index_of(tensor.id)] = true;
    }
    trace_.kept = other.kept;
  }

  void go_through(TensorId id) {
    const TensorVerdict* const verdict = verdict_on(report_, id);
    if (is_drawn(id, ours_.setup)) {
      if (verdict != nullptr && !mends_draws() && !contains(repair_.at, id)) take(*verdict);
      return;
    }
    const auto operands = operand_tensors(id, ours_.setup);
    const bool follows =
        std::ranges::any_of(operands, [&](TensorId one) { return touched_[index_of(one)]; }) ||
        contains(repair_.at, id) || repair_.explains_all || (id == TensorId::X && repair_.other_input) ||
        (mends_draws() && std::ranges::any_of(operands, [&](TensorId one) { return is_drawn(one, ours_.setup); }));
    touched_[index_of(id)] = follows;
    const bool changed = std::ranges::any_of(operands, [&](TensorId one) { return changed_[index_of(one)]; });
    if (!follows && verdict != nullptr) return take(*verdict);
    if (const Diagnosis* const other = follows || verdict == nullptr ? made_again(id) : nullptr)
      return repeat(*other, id);
    if (verdict != nullptr && !repair_.explains_all && !verdict->step_agrees && !explained_by_mended(*verdict) &&
        !report_.explains(verdict->tensor))
      return take(*verdict);
    if (changed) run_stage(trace_, id, workspace_);
    changed_[index_of(id)] = changed;
  }

  /// A tensor that agrees although its digits were rounded is ours, with all of its digits.
  void take(const TensorVerdict& verdict) {
    const bool rounded = verdict.agrees && verdict.printed;
    if (rounded || !is_readable(verdict.theirs, ours_[verdict.tensor])) return;
    trace_[verdict.tensor] = converted(verdict.theirs, ours_.setup.attention.precision);
    changed_[index_of(verdict.tensor)] = true;
  }

  bool explained_by_mended(const TensorVerdict& verdict) const {
    if (repair_.mistake == nullptr) return false;
    return repair_.mistake->is_about(verdict.tensor) || mends_draws() ||
           std::ranges::any_of(report_.diagnoses, [&](const Diagnosis& other) {
             return other.explains && other.mistake == repair_.mistake->mistake && other.is_about(verdict.tensor);
           });
  }

  /// Another mistake at this tensor: the best explanation of what differs for its own reason.
  const Diagnosis* made_again(TensorId id) const {
    if (repair_.explains_all) return nullptr;
    std::array<bool, tensor_count> explained{};
    for (const Diagnosis& diagnosis : report_.diagnoses) {
      if (!diagnosis.explains || explained[index_of(diagnosis.given)]) continue;
      explained[index_of(diagnosis.given)] = true;
      if (is_mended(diagnosis)) continue;
      if (!is_of_draws(diagnosis) && contains(diagnosis.at, id)) return &diagnosis;
    }
    return nullptr;
  }

  bool is_mended(const Diagnosis& other) const {
    const Diagnosis* const one = repair_.mistake;
    return one != nullptr && (is_same(other, *one) || other.given == one->given || other.mistake == one->mistake);
  }

  void repeat(const Diagnosis& diagnosis, TensorId id) {
    const auto known = std::ranges::find(mistakes(), diagnosis.mistake, &Mistake::name);
    const TensorVerdict* const verdict = verdict_on(report_, diagnosis.given);
    const Theirs theirs{verdict == nullptr ? Tensor{} : verdict->theirs};
    changed_[index_of(id)] = true;
    if (known != mistakes().end() && verdict != nullptr) {
      Attempt attempt{trace_, id, diagnosis.given, theirs, diagnosis.variant, workspace_};
      if (auto wrong = known->replay(attempt)) {
        trace_[id] = std::move(*wrong);
        return;
      }
    }
    run_stage(trace_, id, workspace_);
  }

  const Trace& ours_;
  const CheckReport& report_;
  Repair repair_;
  BlockPool blocks_{std::size_t{512} << 20};
  Progress silent_;
  Workspace workspace_;
  Trace trace_;                               ///< of their program with the mistake mended
  std::array<bool, tensor_count> touched_{};  ///< the tensor follows from what was mended
  std::array<bool, tensor_count> changed_{};  ///< the tensor may be other numbers than ours
};

/// The mistake in a layer's own report; null where it wasn't made there, or lies between layers.
const Diagnosis* in_layer(const LayerReport& layer, const ModelDiagnosis& mistake) {
  const Diagnosis& what = mistake.what;
  const auto found = std::ranges::find_if(layer.report.diagnoses, [&](const Diagnosis& own) {
    return own.explains && own.mistake == what.mistake && own.variant == what.variant &&
           (own.draws.empty() || own.words == what.words);
  });
  return found == layer.report.diagnoses.end() ? nullptr : &*found;
}

class ModelMending {
 public:
  ModelMending(const ModelTrace& ours, const ModelReport& report, const ModelDiagnosis& mistake, Threads& threads)
      : ours_(ours),
        report_(report),
        mistake_(mistake),
        threads_(threads),
        is_of_model_(std::ranges::none_of(
            report.layers, [&](const LayerReport& layer) { return in_layer(layer, mistake) != nullptr; })) {}

  std::vector<GivenArray> run() {
    for (Index layer = 0; layer < std::ssize(ours_.layers); ++layer) {
      const auto handed_over = std::ranges::find(report_.layers, layer, &LayerReport::layer);
      if (handed_over != report_.layers.end()) mend(*handed_over);
      else if (!input_.empty()) input_ = what_leaves(from_input(ours_.at(layer), input_, workspace_));
    }
    return std::move(arrays_);
  }

 private:
  void mend(const LayerReport& layer) {
    const Repair repair = repair_of(layer);
    const Trace& model = ours_.at(layer.layer);
    const Trace base = repair.other_input ? from_input(model, input_, workspace_) : layer.ours ? *layer.ours : model;
    Mending mending(base, layer.report, repair, threads_);
    mending.run();
    std::ranges::move(
        mending.arrays([&](const TensorVerdict& verdict) { return name_in_model(verdict.tensor, base.setup); }),
        std::back_inserter(arrays_));
    const bool is_mended = repair.other_input || repair.explains_all || repair.mistake != nullptr;
    if (is_mended && layer.layer + 1 < std::ssize(ours_.layers)) input_ = what_leaves(mending.trace());
  }

  Repair repair_of(const LayerReport& layer) const {
    Repair repair{.other_input = !input_.empty(), .explains_all = is_of_model_};
    if (is_of_model_) {
      for (const LayerTensor& place : mistake_.at)
        if (place.layer == layer.layer) repair.at.push_back(place.tensor);
    } else if (const Diagnosis* const own = in_layer(layer, mistake_)) {
      repair.mistake = own;
      repair.at = mended_by(*own);
    }
    return repair;
  }

  const ModelTrace& ours_;
  const ModelReport& report_;
  const ModelDiagnosis& mistake_;
  Threads& threads_;
  const bool is_of_model_;
  Workspace workspace_;
  Tensor input_;  ///< what the layer below leaves now; empty as long as nothing is mended
  std::vector<GivenArray> arrays_;
};

}  // namespace

std::vector<GivenArray> mended(const Trace& ours, const CheckReport& report, const Diagnosis& mistake,
                               Threads& threads) {
  Mending mending(ours, report, {.mistake = &mistake, .at = mended_by(mistake)}, threads);
  mending.run();
  return mending.arrays([](const TensorVerdict& verdict) { return verdict.yours; });
}

std::vector<GivenArray> mended(const ModelTrace& ours, const ModelReport& report, const ModelDiagnosis& mistake,
                               Threads& threads) {
  return ModelMending(ours, report, mistake, threads).run();
}

Naming names_of(const CheckReport& report) {
  Naming names;
  for (const TensorVerdict& verdict : report.tensors)
    names.emplace_back(verdict.yours, std::string(name(verdict.tensor)));
  return names;
}

}  // namespace headlight
