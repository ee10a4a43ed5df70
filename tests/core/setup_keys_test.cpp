// Goes through the table of setup keys, so that a new key is tested too: reading, writing, refusing, overriding and
// taking back. Only everything() needs a value for it that is not its default.
#include <algorithm>
#include <cmath>
#include <set>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/formats/setup/setup_difference.hpp"
#include "core/formats/setup/setup_file.hpp"
#include "core/formats/setup/setup_overrides.hpp"
#include "core/formats/setup/setup_toml.hpp"
#include "core/formats/toml/toml_text.hpp"
#include "core/model/setup_keys.hpp"
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
  if (std::holds_alternative<Field<Index>>(key.value) || std::holds_alternative<OptionalField>(key.value))
    return TomlValue{Index{-1}, 0};
  if (std::holds_alternative<Field<double>>(key.value) || std::holds_alternative<Field<Scale>>(key.value))
    return TomlValue{std::nan(""), 0};
  return std::nullopt;
}

}  // namespace

TEST_CASE("keys: every one has a name of its own, help, and stands beside those of its section") {
  std::set<std::string_view> names;
  std::set<std::string_view> sections;
  std::string_view section;
  for (const SetupKey& key : setup_keys()) {
    CAPTURE(key.name);
    CHECK(names.insert(key.name).second);
    CHECK(setup_key(key.name) == &key);
    CHECK_FALSE(key.help.empty());
    CHECK((key.short_name.empty() || names.insert(key.short_name).second));
    CHECK((key.section() == section || sections.insert(key.section()).second));
    section = key.section();
    for (const std::string_view other : key.beside) CHECK((other.empty() || setup_key(other) != nullptr));
    CHECK(key.allowed.empty() == (key.holds == nullptr));
  }
  CHECK(setup_key("sizes.haeds") == nullptr);
  CHECK(setup_key("") == nullptr);
}

TEST_CASE("keys: each says what it is about, whatever section of the file it stands in") {
  CHECK(setup_key("tokens")->topic == SetupTopic::tokens);
  CHECK(setup_key("attention.source")->topic == SetupTopic::tokens);
  CHECK(setup_key("attention.dropout")->topic == SetupTopic::attention);
  CHECK(setup_key("attention.precision")->topic == SetupTopic::conventions);
}

TEST_CASE("keys: every one has a value that is not its default, which its file and its document keep") {
  for (const SetupKey& key : setup_keys()) {
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
    const auto found = read(document_with(key, TomlValue{true, 0})).problems;
    REQUIRE(found.size() == 1);
    CHECK(found[0] == Problem{"", std::string(key.name), "true", wanted(key)});
  }
}

TEST_CASE("keys: a number that cannot be is a problem, with the words of the key") {
  for (const SetupKey& key : setup_keys()) {
    const auto number = impossible_number(key);
    if (!number) continue;
    CAPTURE(key.name);
    TomlTable document = document_with(key, *number);
    auto& mask = *document["mask"].as<TomlTable>();
    mask["kinds"] =
        TomlValue{TomlList{TomlValue{std::string("window"), 0}}, 0};  // so that the size of the window is checked too
    REQUIRE_FALSE(key.allowed.empty());
    CHECK(has(read(document).problems, key.name, key.allowed));
  }
}

TEST_CASE("keys: one that is left out has its default") {
  for (const SetupKey& key : setup_keys()) {
    CAPTURE(key.name);
    TomlTable document = toml_of(everything());
    TomlTable& section = key.section().empty() ? document : *document[key.section()].as<TomlTable>();
    std::erase_if(section.entries, [&](const TomlEntry& entry) { return entry.key == key.last_name(); });
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
  for (const SetupKey& key : setup_keys()) {
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
    for (const std::string_view other : key.beside) {
      if (other.empty()) continue;
      CAPTURE(key.name);
      CAPTURE(other);
      TomlTable document = toml_of(everything());
      const SetupKey& unread = *setup_key(other);
      (*document[unread.section()].as<TomlTable>())[unread.last_name()] = TomlValue{true, 0};
      for (const Problem& problem : read(document).problems) CHECK_FALSE(within(problem.key, key.name));
    }
  }
}
