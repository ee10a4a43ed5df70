#include "app/session/actions/target.hpp"

#include <fmt/format.h>

#include "core/model/shapes.hpp"

namespace headlight {
namespace {

Selection on(const Session& session, TensorId tensor, Index head) {
  Selection place = on_tensor(session.selection(), tensor, session.setup());
  place.head = head;
  return fitting(place, session.setup());
}

}  // namespace

bool TargetKinds::has(TargetKind kind) const {
  switch (kind) {
    case TargetKind::cell: return cell;
    case TargetKind::head: return head;
    case TargetKind::token: return token;
    case TargetKind::tensor: return tensor;
  }
  return false;
}

Target shown_target(const Session& session) {
  return {TargetKind::cell, at_cell(session.selection(), session.cell(), session.setup())};
}

Target head_target(const Session& session, Index head) {
  const TensorId selected = session.selection().tensor;
  return {TargetKind::head, on(session, info(selected).has_heads() ? selected : TensorId::weights, head)};
}

Target tensor_target(const Session& session, TensorId tensor, Index head) {
  return {TargetKind::tensor, on(session, tensor, head)};
}

Target token_target(const Session& session, Index position, bool as_key) {
  const TensorId selected = session.selection().tensor;
  const TensorId attention = info(selected).is_attention() ? selected : TensorId::weights;
  Target target{TargetKind::token, on(session, attention, session.selection().head), as_key};
  (as_key ? target.place.column : target.place.row) = position;
  target.place = fitting(target.place, session.setup());
  return target;
}

std::string words_of(const Target& target, const Setup& setup) {
  const Selection& place = target.place;
  switch (target.kind) {
    case TargetKind::cell: break;
    case TargetKind::head: return fmt::format("head {}", setup.head_label(place.head));
    case TargetKind::token:
      return target.as_key ? fmt::format("{}, a key", setup.key_label(place.column))
                           : fmt::format("{}, a query", setup.query_label(place.row));
    case TargetKind::tensor: return fmt::format("{}  {}", name(place.tensor), shape(place.tensor, setup).to_string());
  }
  return to_string(cell_of(place, setup));
}

}  // namespace headlight
