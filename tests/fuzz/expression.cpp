// Expressions of lectures: whatever is between the braces has a value in a small model, or is refused in words.
#include <string>
#include <variant>

#include "core/engine/engine.hpp"
#include "core/formats/setup/setup_file.hpp"
#include "core/lecture/live_number.hpp"
#include "core/model/names.hpp"
#include "tests/fuzz/target.hpp"

namespace headlight::fuzz {
namespace {

constexpr const char* two_layers = R"(version = 1
tokens = ["a", "b", "c"]
sizes = { query_length = 3, d_model = 4, heads = 2, layers = 2 }
block = { residual = true }
random = { draws = ["seed 0", "X uniform", "L*: W_q uniform, W_k uniform, W_v uniform, W_o uniform"] }
)";

const ModelTrace& model() {
  static const ModelTrace trace = compute_model(parse_setup(two_layers, "two layers"));
  return trace;
}

void judge_readings(const Expression& expression) {
  for (const Expression::Reading& each : expression.readings())
    require(!name(each.tensor).empty(), "what is read is a tensor");
}

}  // namespace

void judge(std::string_view bytes) {
  try {
    const LiveNumber live = LiveNumber::parse(bytes);
    judge_readings(live.expression);
    Work work(Work::in_a_frame);
    const Scope scope{.model = model(), .before = &model(), .guess = 1, .answer = 2};
    require_text(live.words(scope, work), "the words of a number");
  } catch (const InputError& error) {
    for (const Problem& problem : error.problems()) require(!problem.found.empty(), "a problem says what was found");
  }
}

}  // namespace headlight::fuzz
