#include "app/session/edits/changes.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <type_traits>

#include <fmt/format.h>

namespace headlight {
namespace {

// --- A value as the setup file writes it -----------------------------------------------------------------------------

std::string text(const std::string& value) { return value; }
std::string text(Index value) { return fmt::format("{}", value); }
std::string text(double value) { return fmt::format("{}", value); }
std::string text(const Draw& value) { return to_string(value); }
std::string text(const std::pair<Index, Index>& value) { return fmt::format("[{}, {}]", value.first, value.second); }

template <class Enum>
  requires std::is_enum_v<Enum>
std::string text(Enum value) {
  return std::string(to_string(value));
}

std::string text(const Scale& value) {
  if (std::holds_alternative<InverseSqrtDHead>(value)) return "inverse_sqrt_d_head";
  if (std::holds_alternative<NoScale>(value)) return "none";
  return text(std::get<double>(value));
}

template <class Value>
std::string text(const std::vector<Value>& values) {
  if (values.empty()) return "none";
  std::string list;
  for (const Value& value : values) list += (list.empty() ? "" : ", ") + text(value);
  return list;
}

// --- One entry per key -----------------------------------------------------------------------------------------------

/// A key of the setup file: how its meaning reads, and how it is copied.
struct SetupKey {
  std::string_view name;
  bool affects_numbers = true;
  std::function<bool(const Setup&, const Setup&)> same;
  std::function<std::string(const Setup&)> text;
  std::function<void(const Setup& from, Setup& to)> copy;
};

/// A key that is one field: `field` gives a reference to it.
template <class Field>
SetupKey plain(std::string_view name, Field field, bool affects_numbers = true) {
  return {name, affects_numbers, [field](const Setup& a, const Setup& b) { return field(a) == field(b); },
          [field](const Setup& setup) { return text(field(setup)); },
          [field](const Setup& from, Setup& to) { field(to) = field(from); }};
}

/// A key that may be left out: `meaning` gives what it then stands for. Left out on both sides it is the same, even if
/// it then stands for something else: that is another key's doing.
template <class Field, class Meaning>
SetupKey optional(std::string_view name, Field field, Meaning meaning) {
  return {name, true,
          [field, meaning](const Setup& a, const Setup& b) { return field(a) == field(b) || meaning(a) == meaning(b); },
          [meaning](const Setup& setup) { return text(meaning(setup)); },
          [field](const Setup& from, Setup& to) { field(to) = field(from); }};
}

const std::vector<SetupKey>& setup_keys() {
  static const std::vector<SetupKey> keys{
      plain(
          "title", [](auto& s) -> auto& { return s.title; }, false),
      plain(
          "tokens", [](auto& s) -> auto& { return s.tokens; }, false),
      plain(
          "key_tokens", [](auto& s) -> auto& { return s.key_tokens; }, false),
      plain("sizes.batch", [](auto& s) -> auto& { return s.sizes.batch; }),
      plain("sizes.query_length", [](auto& s) -> auto& { return s.sizes.query_length; }),
      optional(
          "sizes.key_length", [](auto& s) -> auto& { return s.sizes.key_length; },
          [](const Setup& s) { return s.key_length(); }),
      plain("sizes.d_model", [](auto& s) -> auto& { return s.sizes.d_model; }),
      plain("sizes.heads", [](auto& s) -> auto& { return s.sizes.heads; }),
      optional(
          "sizes.kv_heads", [](auto& s) -> auto& { return s.sizes.kv_heads; },
          [](const Setup& s) { return s.kv_heads(); }),
      plain("attention.source", [](auto& s) -> auto& { return s.attention.source; }),
      plain("attention.token_axis", [](auto& s) -> auto& { return s.attention.token_axis; }),
      plain("attention.weight_layout", [](auto& s) -> auto& { return s.attention.weight_layout; }),
      plain("attention.scale", [](auto& s) -> auto& { return s.attention.scale; }),
      plain("attention.temperature", [](auto& s) -> auto& { return s.attention.temperature; }),
      plain("attention.dropout", [](auto& s) -> auto& { return s.attention.dropout; }),
      plain("attention.precision", [](auto& s) -> auto& { return s.attention.precision; }),
      plain("mask.kinds", [](auto& s) -> auto& { return s.mask.kinds; }),
      plain("mask.valid_lengths", [](auto& s) -> auto& { return s.mask.valid_lengths; }),
      plain("mask.window", [](auto& s) -> auto& { return s.mask.window; }),
      plain("mask.blocked", [](auto& s) -> auto& { return s.mask.blocked; }),
      plain("random.generator", [](auto& s) -> auto& { return s.random.generator; }),
  };
  return keys;
}

constexpr std::string_view draws_key = "random.draws";

bool same_draw_count(const Setup& a, const Setup& b) { return a.random.draws.size() == b.random.draws.size(); }

void add_draw_changes(const Setup& lecture, const Setup& own, std::vector<Change>& found) {
  const auto& theirs = lecture.random.draws;
  const auto& ours = own.random.draws;
  if (theirs == ours) return;
  if (!same_draw_count(lecture, own)) {
    found.push_back({std::string(draws_key), text(theirs), text(ours), true});
    return;
  }
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (theirs[i] != ours[i])
      found.push_back({fmt::format("{}[{}]", draws_key, i), text(theirs[i]), text(ours[i]), true});
  }
}

/// The number in "random.draws[3]".
std::optional<std::size_t> draw_place(std::string_view key) {
  if (!key.starts_with(draws_key) || !key.ends_with(']')) return std::nullopt;
  const std::string_view digits = key.substr(draws_key.size() + 1, key.size() - draws_key.size() - 2);
  std::size_t place = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), place);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return place;
}

}  // namespace

std::vector<Change> changes(const Setup& lecture, const Setup& own) {
  std::vector<Change> found;
  for (const SetupKey& key : setup_keys()) {
    if (key.same(lecture, own)) continue;
    found.push_back({std::string(key.name), key.text(lecture), key.text(own), key.affects_numbers});
  }
  add_draw_changes(lecture, own, found);
  return found;
}

Setup with_key_of(const Setup& lecture, Setup own, std::string_view key) {
  if (key == draws_key) own.random.draws = lecture.random.draws;
  if (const auto place = draw_place(key); place && same_draw_count(lecture, own) && *place < own.random.draws.size()) {
    own.random.draws[*place] = lecture.random.draws[*place];
  }
  const auto& keys = setup_keys();
  const auto found = std::find_if(keys.begin(), keys.end(), [&](const SetupKey& entry) { return entry.name == key; });
  if (found != keys.end()) found->copy(lecture, own);
  return own;
}

}  // namespace headlight
