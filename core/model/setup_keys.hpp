// The keys of the setup file as a table with one entry each. All code that deals with keys walks this table: reading,
// writing, validation, --set, differences, resetting a key, sweeps and `headlight keys`. A new key needs a field in
// Setup and an entry here; a value of a new type also needs code in setup_toml.cpp to read and write that type.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/model/findings.hpp"
#include "core/model/setup.hpp"

namespace headlight {

/// How to reach a value of type T in a setup, to write it (`of`) or to read it (`in`).
template <class T>
struct Field {
  T& (*of)(Setup&);
  const T& (*in)(const Setup&);
};

/// A size that may be left out.
struct OptionalField {
  Field<std::optional<Index>> field;
  Index (*meaning)(const Setup&);  ///< the size that is used if it is left out
  std::string_view follows;        ///< "sizes.heads": the key whose value is used if it is left out
};

/// A choice between words, as the position of the chosen word in `words`.
struct ChoiceField {
  std::span<const std::string_view> words;
  std::size_t (*in)(const Setup&);
  void (*put)(Setup&, std::size_t place);
};

using BlockedPairs = std::vector<std::pair<Index, Index>>;
using KeyValue = std::variant<Field<std::string>, Field<Index>, OptionalField, Field<double>, ChoiceField, Field<Scale>,
                              Field<std::vector<std::string>>, Field<std::vector<Index>>, Field<std::vector<MaskKind>>,
                              Field<BlockedPairs>, Field<std::vector<Draw>>, Field<Values>>;

/// What a key is about, for a person: the sections of the setup panel, from top to bottom.
enum class SetupTopic : std::uint8_t { tokens, sizes, random, position, mask, attention, task, conventions };
inline constexpr std::size_t setup_topic_count = static_cast<std::size_t>(SetupTopic::conventions) + 1;

struct SetupKey {
  std::string_view name;  ///< "sizes.heads"
  KeyValue value;
  SetupTopic topic;
  std::string_view help;          ///< what the key does, in one sentence
  std::string_view comment = {};  ///< written after the value in a setup file; choices list their words instead
  /// Whether the key is written to a setup file. Null: it always is.
  bool (*written)(const Setup&) = nullptr;
  std::string_view allowed = {};                    ///< for messages: what a value of the right type must also satisfy
  bool (*holds)(const Setup&) = nullptr;            ///< whether the value satisfies `allowed`
  void (*fits)(Findings&, const Setup&) = nullptr;  ///< finds problems with other keys' values, or inside the value
  std::array<std::string_view, 9> beside = {};      ///< those other keys; if one cannot be read, `fits` is not called
  bool affects_numbers = true;
  std::string_view short_name = {};  ///< the name in the text of --frames

  /// The parts of the name: "sizes" and "heads". Keys at the top of the file have no section, and `values` is a section
  /// as a whole, because its keys are tensors and parts of them.
  std::string_view section() const;
  std::string_view last_name() const;

  /// The value in words, for people: "2", "causal, window", "none". For a key that is left out, the value used instead.
  std::string text(const Setup& setup) const;
  /// Whether both setups have the same value. A key that both leave out counts as the same, even if the value used
  /// instead differs: that difference belongs to another key.
  bool same(const Setup& a, const Setup& b) const;
  void copy(const Setup& from, Setup& to) const;
  void check(Findings& findings, const Setup& setup) const;
};

/// All keys, in the order of the file: keys at the top first, then section by section.
std::span<const SetupKey> setup_keys();

/// The key with this name; null if there is none.
const SetupKey* setup_key(std::string_view name);

}  // namespace headlight
