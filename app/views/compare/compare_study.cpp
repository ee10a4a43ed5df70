#include "app/views/compare/compare_study.hpp"

#include <memory>

namespace headlight {
namespace {

/// The `hidden` tensor of the difference: −inf only where both have −inf, so that only cells masked in both are masked.
/// Empty if one state has no mask.
Tensor hidden_in_both(Threads& threads, const Tensor& a, const Tensor& b) {
  if (a.empty() || b.empty() || a.shape() != b.shape()) return {};
  return a.same_window(b) ? b : larger_of(threads, a, b);
}

Slice difference_between(Threads& threads, const Trace& a, const Trace& b, TensorId tensor, Index batch, Index head) {
  const Slice from = slice_of(a, tensor, batch, head);
  const Slice to = slice_of(b, tensor, batch, head);
  Slice slice{difference_of(threads, from.values, to.values), hidden_in_both(threads, from.hidden, to.hidden)};
  if (!slice.hidden.empty() && slice.hidden.precision() != slice.values.precision())
    slice.hidden = larger_of(threads, slice.hidden, slice.hidden);
  return slice;
}

}  // namespace

const std::vector<TensorComparison>& CompareStudy::of(Session& session) {
  const std::shared_ptr<const Trace> a = session.state().checking.reference_at(session.setup().layer);
  const std::shared_ptr<const Trace> b = session.state().trace;
  const auto* const found =
      all_.of(session, {a->version, b->version}, b->elements(),
              [=](Threads& threads, const std::stop_token& stop) { return compare(threads, *a, *b, stop); });
  return found ? *found : to_come_ = compare_shapes(*a, *b);
}

const Slice* CompareStudy::difference(Session& session) {
  const std::shared_ptr<const Trace> a = session.state().checking.reference_at(session.setup().layer);
  const std::shared_ptr<const Trace> b = session.state().trace;
  const auto [tensor, batch, head, row, column] = session.selection();
  const Slice shown = slice_of(*b, tensor, batch, head);
  return difference_.of(session, {{a->version, b->version}, tensor, batch, head}, shown.rows() * shown.columns(),
                        [=](Threads& threads, const std::stop_token&) {
                          return difference_between(threads, *a, *b, tensor, batch, head);
                        });
}

}  // namespace headlight
