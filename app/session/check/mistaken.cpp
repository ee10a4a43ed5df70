#include "app/session/check/mistaken.hpp"

#include "core/diagnose/wrong_work.hpp"
#include "core/model/problem.hpp"

namespace headlight {

std::shared_ptr<const Mistaken> mistaken_work(const Step* step, const Trace& right) {
  if (step == nullptr || step->mistake.empty()) return nullptr;
  try {
    auto made = std::make_shared<Mistaken>();
    made->trace = with_mistake(right, step->mistake, step->title, "mistake");
    made->work = with_arrays({}, {.title = "handed in", .file = {}, .arrays = handed_in(made->trace)});
    return made;
  } catch (const InputError&) {
    return nullptr;  // the person's own settings leave nothing that the mistake would change
  }
}

}  // namespace headlight
