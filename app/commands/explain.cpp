#include "app/commands/explain.hpp"

#include <cstdio>

#include <fmt/format.h>

#include "app/commands/exit_code.hpp"
#include "core/engine/engine.hpp"
#include "core/formats/explanation_json.hpp"
#include "core/stages/explain.hpp"

namespace headlight {

int explain_cell(const What& what, const std::string& cell, bool json) {
  const Setup setup = setup_of(what);
  const Cell place = parse_cell(cell, setup);
  const auto trace = compute_trace(setup, what.memory_limit, what.threads);
  const Explanation explanation = explain(*trace, place);
  fmt::print("{}\n", json ? explanation_json(explanation) : explanation_text(explanation));
  return done;
}

}  // namespace headlight
