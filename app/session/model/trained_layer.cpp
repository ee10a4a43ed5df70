#include "app/session/model/trained_layer.hpp"

namespace headlight {

bool choose_model(Session& session, const SetupKey& entry, const ControlInput& chosen) {
  if (entry.name != "model.name") return false;
  session.request(WithTrainedLayer{[&entry, chosen](Session& later) -> std::vector<Problem> {
    const auto result = entry.with(later.wanted(), chosen);
    if (!result.owner) return {{"", std::string(entry.name), "this choice", result.why}};
    return later.edit(*result.owner);
  }});
  return true;
}

void edit_entry(Session& session, const SetupKey& entry, const ControlInput& chosen) {
  if (choose_model(session, entry, chosen)) return;
  if (const auto result = entry.with(session.wanted(), chosen); result.owner) session.edit(*result.owner);
}

}  // namespace headlight
