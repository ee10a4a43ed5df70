#include "core/diagnose/mend.hpp"

#include <algorithm>
#include <array>

#include "core/compute/workspace.hpp"
#include "core/diagnose/arrays/flow.hpp"
#include "core/diagnose/arrays/layout.hpp"
#include "core/diagnose/mistakes/draws.hpp"
#include "core/diagnose/mistakes/mistake.hpp"
#include "core/model/shapes.hpp"

namespace headlight {
namespace {

const TensorVerdict* verdict_on(const CheckReport& report, TensorId id) {
  const auto found = std::ranges::find(report.tensors, id, &TensorVerdict::tensor);
  return found == report.tensors.end() ? nullptr : &*found;
}

bool is_same(const Diagnosis& a, const Diagnosis& b) { return a.mistake == b.mistake && a.given == b.given; }

bool is_of_draws(const Diagnosis& diagnosis) { return diagnosis.drawn_as != nullptr; }

/// Whether our stage can read the array in the place of ours: it has its shape, or one entry for each query head.
bool is_readable(const Tensor& theirs, const Tensor& ours) {
  if (theirs.shape() == ours.shape()) return true;
  return theirs.shape().rank() == 4 && ours.shape().rank() == 4 && theirs.shape()[0] == ours.shape()[0] &&
         theirs.shape()[2] == ours.shape()[2] && theirs.shape()[3] == ours.shape()[3] &&
         theirs.shape()[1] % ours.shape()[1] == 0;
}

class Mending {
 public:
  Mending(const Trace& ours, const CheckReport& report, const Diagnosis& mistake, Threads& threads)
      : ours_(ours),
        report_(report),
        mistake_(mistake),
        workspace_(threads, blocks_, silent_, 1),
        trace_(ours),
        mended_(mistake.mended.empty() ? mistake.at : mistake.mended) {}

  std::vector<GivenArray> run() {
    draw();
    for (const TensorInfo& tensor : all_tensors())
      if (exists(tensor.id, ours_.setup)) go_through(tensor.id);
    std::vector<GivenArray> arrays;
    for (const TensorVerdict& verdict : report_.tensors)
      arrays.push_back({verdict.yours, converted(trace_[verdict.tensor], precision_of(verdict)), {}});
    return arrays;
  }

 private:
  static Precision precision_of(const TensorVerdict& verdict) {
    return verdict.printed ? Precision::float64 : verdict.theirs.precision();
  }

  /// Draws that were not handed over are what the report believes them to be, unless they are what is mended.
  void draw() {
    if (is_of_draws(mistake_)) return;
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
      if (verdict != nullptr && !is_of_draws(mistake_)) take(*verdict);
      return;
    }
    const auto operands = operand_tensors(id, ours_.setup);
    const bool follows = std::ranges::any_of(operands, [&](TensorId one) { return touched_[index_of(one)]; }) ||
                         contains(mended_, id) ||
                         (is_of_draws(mistake_) &&
                          std::ranges::any_of(operands, [&](TensorId one) { return is_drawn(one, ours_.setup); }));
    touched_[index_of(id)] = follows;
    const bool changed = std::ranges::any_of(operands, [&](TensorId one) { return changed_[index_of(one)]; });
    if (!follows && verdict != nullptr) return take(*verdict);
    if (const Diagnosis* const other = follows || verdict == nullptr ? made_again(id) : nullptr)
      return repeat(*other, id);
    if (verdict != nullptr && !verdict->step_agrees && !explained_by_mended(*verdict) &&
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
    return mistake_.is_about(verdict.tensor) || is_of_draws(mistake_) ||
           std::ranges::any_of(report_.diagnoses, [&](const Diagnosis& other) {
             return other.explains && other.mistake == mistake_.mistake && other.is_about(verdict.tensor);
           });
  }

  /// Another mistake at this tensor: the best explanation of what differs for its own reason.
  const Diagnosis* made_again(TensorId id) const {
    std::array<bool, tensor_count> explained{};
    for (const Diagnosis& diagnosis : report_.diagnoses) {
      if (!diagnosis.explains || explained[index_of(diagnosis.given)]) continue;
      explained[index_of(diagnosis.given)] = true;
      if (is_same(diagnosis, mistake_) || diagnosis.given == mistake_.given || diagnosis.mistake == mistake_.mistake)
        continue;
      if (!is_of_draws(diagnosis) && contains(diagnosis.at, id)) return &diagnosis;
    }
    return nullptr;
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
  const Diagnosis& mistake_;
  BlockPool blocks_{std::size_t{512} << 20};
  Progress silent_;
  Workspace workspace_;
  Trace trace_;                               ///< of their program with the mistake mended
  std::vector<TensorId> mended_;              ///< where our steps take the place of theirs
  std::array<bool, tensor_count> touched_{};  ///< the tensor follows from what was mended
  std::array<bool, tensor_count> changed_{};  ///< the tensor may be other numbers than ours
};

}  // namespace

std::vector<GivenArray> mended(const Trace& ours, const CheckReport& report, const Diagnosis& mistake,
                               Threads& threads) {
  return Mending(ours, report, mistake, threads).run();
}

Naming names_of(const CheckReport& report) {
  Naming names;
  for (const TensorVerdict& verdict : report.tensors)
    names.emplace_back(verdict.yours, std::string(name(verdict.tensor)));
  return names;
}

}  // namespace headlight
