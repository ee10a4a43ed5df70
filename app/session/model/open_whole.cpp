#include "app/session/model/open_whole.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/formats/layers/read_whole.hpp"
#include "core/formats/layers/whole_setup.hpp"

namespace headlight {

WholeModel whole_in_window(const OpenModel& model) {
  constexpr double most_seconds = 0.5;
  try {
    return whole_model(model, {.symbols = {}, .seconds = most_seconds});
  } catch (const InputError& error) {
    WholeModel none;
    none.file = model.path;
    none.problems = error.problems();
    return none;
  }
}

bool may_be_whole(const Session& session) {
  const auto& model = session.state().model;
  return model != nullptr && has_blocks(*model);
}

std::vector<Problem> open_whole(Session& session, const WholeModel& whole) {
  try {
    std::vector<Problem> problems = session.open_setup(whole_setup(whole, session.memory_limit()), nullptr);
    if (!problems.empty()) return problems;
    std::vector<std::string> words = whole.remarks();
    if (words.empty()) words = {fmt::format("Opened {}", whole.in_words())};
    words.insert(words.end(), whole.assumed.begin(), whole.assumed.end());
    session.notify(fmt::format("{}", fmt::join(words, ". ")));
    session.when_shown(+[](Session& shown) {
      if (shown.setup().sizes.layers > 1) shown.show(View::layers);
    });
    return {};
  } catch (const InputError& error) {
    return error.problems();
  }
}

}  // namespace headlight
