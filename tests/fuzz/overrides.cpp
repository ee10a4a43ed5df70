// Lines of "KEY=VALUE" assigned to a setup: a result that is accepted is valid, and assigning the differences to the
// setup gives the same result again.
#include <sstream>

#include "core/formats/setup/setup_file.hpp"
#include "core/formats/setup/setup_overrides.hpp"
#include "core/setup/validity.hpp"
#include "tests/fuzz/target.hpp"

namespace headlight::fuzz {
namespace {

constexpr const char* cross = R"(version = 1
title = "Three keys"
tokens = ["a", "b"]
key_tokens = ["x", "y", "z"]
sizes = { batch = 2, query_length = 2, key_length = 3, d_model = 8, heads = 4, kv_heads = 2 }
attention = { source = "cross", scale = 0.5, temperature = 2.0, dropout = 0.1 }
mask = { kinds = ["padding", "custom"], valid_lengths = [3, 2], window = 2, blocked = [[0, 1], [1, 2]] }
random = { generator = "torch", draws = ["seed 1", "X normal", "Y normal", "W_q linear", "W_k[1] uniform"] }
)";

std::vector<std::string> lines_of(std::string_view bytes) {
  std::vector<std::string> lines;
  std::istringstream stream{std::string(bytes)};
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

void judge_on(const Setup& base, const std::vector<std::string>& assignments) {
  Setup setup;
  try {
    setup = with_overrides(base, assignments, "--set");
  } catch (const InputError& error) {
    require_told(error, "--set");
    return;
  }
  require(problems(setup).empty(), "what is accepted is a valid setup");
  require(parse_setup(write_setup(setup), "written") == setup, "a setup is read again as it was written");
  const Setup again = with_overrides(base, overrides_between(base, setup), "--set");
  require(write_setup(again) == write_setup(setup), "the differences make the setup again");
}

}  // namespace

void judge(std::string_view bytes) {
  static const Setup bases[]{Setup{}, parse_setup(cross, "cross")};
  for (const Setup& base : bases) judge_on(base, lines_of(bytes));
}

}  // namespace headlight::fuzz
