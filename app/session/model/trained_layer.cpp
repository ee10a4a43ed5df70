#include "app/session/model/trained_layer.hpp"

#include "core/setup/keys.hpp"

namespace headlight {

void choose_model(Session& session, const ControlInput& chosen) {
  session.request(WithTrainedLayer{[chosen](Session& later) -> std::vector<Problem> {
    const auto result = setup_entry(model_entry)->with(later.wanted(), chosen);
    if (!result.owner) return {{"", std::string(model_entry), "this choice", result.why}};
    return later.edit(*result.owner);
  }});
}

}  // namespace headlight
