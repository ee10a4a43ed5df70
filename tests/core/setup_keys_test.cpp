// Goes through the table of setup keys, so that a new key is tested too: reading, writing, refusing, overriding and
// taking back. Only everything() needs a value for it that is not its default.
#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/formats/setup/setup_file.hpp"
#include "core/formats/setup/setup_overrides.hpp"
#include "core/formats/setup/setup_toml.hpp"
#include "core/formats/toml/toml_value.hpp"
#include "core/model/shapes.hpp"
#include "core/setup/checks.hpp"
#include "core/setup/edits.hpp"
#include "core/setup/keys.hpp"
#include "tests/core/setups.hpp"

using namespace headlight;
using headlight::testing::everything;
using headlight::testing::everything_with;

namespace {

/// The default setup, with the value of everything() for one key. It need not be valid.
Setup only(const SetupKey& key) {
  Setup setup;
  key.copy(everything_with(key.name), setup);
  return setup;
}

struct Read {
  Setup setup;
  std::vector<Problem> problems;
};
Read read(const TomlTable& document) {
  Read result;
  TomlReader reader(document, "", result.problems);
  result.setup = setup_from(reader, Version::required);
  return result;
}

/// The default setup as a document, with another value for one key.
TomlTable document_with(const SetupKey& key, TomlValue value) {
  TomlTable document = toml_of(Setup{});
  if (key.section().empty()) {
    document[key.last_name()] = std::move(value);
    return document;
  }
  TomlValue& section = document[key.section()];
  if (section.as<TomlTable>() == nullptr)
    section = TomlValue{TomlTable{}, 0};  // a section that says nothing is left out
  (*section.as<TomlTable>())[key.last_name()] = std::move(value);
  return document;
}

bool has(const std::vector<Problem>& problems, std::string_view key, std::string_view allowed) {
  return std::any_of(problems.begin(), problems.end(),
                     [&](const Problem& problem) { return problem.key == key && problem.allowed == allowed; });
}

/// A number that no key of this type allows; nullopt if the key takes no numbers.
std::optional<TomlValue> impossible_number(const SetupKey& key) {
  if (!key.number(Setup{})) return std::nullopt;
  return key.is_whole() ? TomlValue{Index{-1}, 0} : TomlValue{std::nan(""), 0};
}

/// The keys that can have a value by themselves. A trained layer decides others too: see sentence_encoder_test.cpp.
std::vector<const SetupKey*> keys_by_themselves() {
  std::vector<const SetupKey*> keys;
  for (const SetupKey& key : setup_keys())
    if (key.section() != "model") keys.push_back(&key);
  return keys;
}

}  // namespace

TEST_CASE("a tensor that is given reads so, and makes room for draws where a distribution is chosen") {
  Setup setup = testing::small_setup();
  const auto shown = [&](std::string_view entry) { return setup_entry(entry)->control(setup).text; };
  CHECK(shown("X") == "normal");
  const auto numbers = [&](TensorId id) { return GivenNumbers(Tensor::zeros(Precision::float64, shape(id, setup))); };
  const Setup before = setup;
  setup = with_array(setup, TensorId::X, numbers(TensorId::X));
  CHECK(shown("X") == "given");
  setup.random.draws.clear();
  CHECK(shown("X") == "given");
  setup = with_array(before, TensorId::W_q, numbers(TensorId::W_q));
  CHECK(shown("W") == "mixed");
  CHECK(setup_entry("W")->control(setup).words.back().help.starts_with("W_q: given, W_k: "));
  for (const TensorId id : {TensorId::W_k, TensorId::W_v, TensorId::W_o}) setup = with_array(setup, id, numbers(id));
  CHECK(shown("W") == "given");
  const Setup drawn = setup_entry("W")->with(setup, std::size_t{0}).owner.value();
  CHECK(drawn.values.empty());
  CHECK(distribution_of(drawn, TensorId::W_o) == Distribution::uniform);
  CHECK(setup_entry("W")->taken(setup, drawn).values == setup.values);  // back to the lecture's
  setup = with_biases(before, false);
  CHECK(shown("biases") == "off");
  setup = with_array(setup, TensorId::b_q, numbers(TensorId::b_q));
  CHECK(shown("biases") == "on");
  CHECK(with_biases(setup, false).values.empty());
}

TEST_CASE("keys: every one has a name of its own, help, and stands beside those of its section") {
  std::set<std::string_view> names;
  std::set<std::string_view> sections;
  std::string_view section;
  for (const SetupKey& key : setup_keys()) {
    CAPTURE(key.name);
    CHECK(names.insert(key.name).second);
    CHECK(setup_key(key.name) == &key);
    CHECK_FALSE(key.help.empty());
    CHECK_FALSE(key.label.empty());
    CHECK((key.section() == section || sections.insert(key.section()).second));
    section = key.section();
    for (const std::string_view other : key.reads) CHECK((other.empty() || setup_key(other) != nullptr));
    CHECK(key.allowed.empty() == (key.holds == nullptr));
  }
  CHECK(setup_key("sizes.haeds") == nullptr);
  CHECK(setup_key("") == nullptr);
}

TEST_CASE("keys: an entry is found by the last part of its name where no other ends with it") {
  CHECK(setup_entry("temperature") == setup_entry("attention.temperature"));
  CHECK(setup_entry("seed")->name == "seed");
  CHECK(setup_entry("batch") == nullptr);
  CHECK(setup_entry("") == nullptr);
}

TEST_CASE("keys: what sums up several draws is no key of the file") {
  for (const SetupKey& entry : setup_entries())
    CHECK((setup_key(entry.name) == nullptr) == (entry.saved == Saved::never));
}

TEST_CASE("entries of the setup: each gives its value back to a setup with another one") {
  for (const SetupKey& entry : setup_entries()) {
    if (setup_key(entry.name) == nullptr) continue;
    CAPTURE(entry.name);
    const Setup theirs = everything_with(entry.name);
    Setup own = theirs;
    entry.copy(Setup{}, own);
    CHECK(entry.same(entry.taken(theirs, own), theirs));
  }
}

TEST_CASE("entries of the setup: a seed and distributions change the draws, and come back") {
  const Setup setup = testing::small_setup();
  const auto with = [&](const char* name, const ControlInput& input) {
    return setup_entry(name)->with(setup, input).owner.value();
  };
  CHECK(with("seed", "7").random.draws.front() == Draw{SeedDraw{7}});
  CHECK_FALSE(setup_entry("seed")->with(setup, "many").owner);
  CHECK(with("X", "zeros").random.draws[1] == *parse_draw("X zeros"));
  CHECK(with("W", "uniform").random.draws[2] == *parse_draw("W_q uniform"));
  CHECK_FALSE(with("biases", false).fills(TensorId::b_q));
  Setup mixed = setup;
  mixed.random.draws[2] = *parse_draw("W_q uniform");
  const SetupKey& weights = *setup_entry("W");
  CHECK(weights.control(mixed).words.back().help == "W_q: uniform [0, 1), W_k: normal, W_v: normal, W_o: normal");
  CHECK(weights.shown(mixed) == "mixed");
  CHECK(weights.taken(mixed, setup) == mixed);
}

TEST_CASE("keys: each says what it is about, whatever section of the file it stands in") {
  CHECK(setup_key("tokens")->group == SetupGroup::tokens);
  CHECK(setup_key("attention.source")->group == SetupGroup::tokens);
  CHECK(setup_key("attention.dropout")->group == SetupGroup::attention);
  CHECK(setup_key("attention.precision")->group == SetupGroup::conventions);
}

TEST_CASE("keys: every one has a value that is not its default, which its file and its document keep") {
  for (const SetupKey* const one : keys_by_themselves()) {
    const SetupKey& key = *one;
    CAPTURE(key.name);
    const Setup setup = only(key);
    CHECK(setup != Setup{});
    CHECK(key.text(setup) != key.text(Setup{}));
    CHECK(read(toml_of(setup)).setup == setup);
    CHECK(read(parse_toml(write_setup(setup), "written")).setup == setup);
  }
}

TEST_CASE("keys: a value of the wrong type is one problem, with the words of the key") {
  for (const SetupKey& key : setup_keys()) {
    CAPTURE(key.name);
    const bool is_flag = key.value.kind == ValueKind::flag;
    const TomlValue value = is_flag ? toml_value(Index{1}) : TomlValue{true, 0};
    const auto found = read(document_with(key, value)).problems;
    REQUIRE(found.size() == 1);
    CHECK(found[0] == Problem{"", std::string(key.name), is_flag ? "1" : "true", wanted(key)});
  }
}

TEST_CASE("keys: a number that cannot be is a problem, with the words of the key") {
  for (const SetupKey& key : setup_keys()) {
    const auto number = impossible_number(key);
    if (!number) continue;
    CAPTURE(key.name);
    TomlTable document = document_with(key, *number);
    REQUIRE_FALSE(key.allowed_words().empty());
    CHECK(has(read(document).problems, key.name, key.allowed_words()));
  }
}

TEST_CASE("keys: one that is left out has its default") {
  for (const SetupKey* const one : keys_by_themselves()) {
    const SetupKey& key = *one;
    CAPTURE(key.name);
    if (key.is_default(everything())) continue;  // it is left out already, perhaps with its section
    TomlTable document = toml_of(everything());
    TomlTable& section = key.section().empty() ? document : *document[key.section()].as<TomlTable>();
    std::erase_if(section.entries, [&](const auto& entry) { return entry.first == key.last_name(); });
    Setup setup = everything();
    key.copy(Setup{}, setup);
    CHECK(read(document).setup == setup);
  }
}

TEST_CASE("keys: taking one back changes that one alone") {
  for (const SetupKey& key : setup_keys()) {
    CAPTURE(key.name);
    const Setup whole = everything_with(key.name);
    Setup setup = whole;
    key.copy(Setup{}, setup);
    CHECK(key.same(setup, Setup{}));
    CHECK(setup != whole);
    for (const SetupKey& other : setup_keys()) CHECK(other.same(setup, whole) == (&other != &key));
  }
}

TEST_CASE("keys: every one is among the differences, and --set sets it") {
  for (const SetupKey* const one : keys_by_themselves()) {
    const SetupKey& key = *one;
    CAPTURE(key.name);
    const Setup whole = everything_with(key.name);
    const std::vector<std::string> assignments = overrides_between(Setup{}, whole);
    CHECK(with_overrides(Setup{}, assignments) == whole);
    const std::string begin = fmt::format("{}=", key.name);
    CHECK(std::count_if(assignments.begin(), assignments.end(),
                        [&](const std::string& assignment) { return assignment.starts_with(begin); }) == 1);
    const std::string again = fmt::format("{}={}", key.name, toml_text(toml_of(key, whole)));
    CHECK(with_overrides(whole, {again}) == whole);
  }
}

TEST_CASE("keys: what cannot be read is no problem of those that are compared with it") {
  for (const SetupKey& key : setup_keys()) {
    for (const std::string_view other : key.reads) {
      if (other.empty()) continue;
      CAPTURE(key.name);
      CAPTURE(other);
      TomlTable document = toml_of(everything());
      const SetupKey& unread = *setup_key(other);
      TomlValue& section = document[unread.section()];
      if (section.as<TomlTable>() == nullptr) section = TomlValue{TomlTable{}, 0};
      (*section.as<TomlTable>())[unread.last_name()] = TomlValue{true, 0};
      for (const Problem& problem : read(document).problems) CHECK_FALSE(within(problem.key, key.name));
    }
  }
}
