// The keys of the setup file, an entry for each. Everything that deals with keys walks this table: reading, writing,
// validation, --set, differences, taking a key back, sweeps and `headlight keys`. A new key is a field of Setup and an
// entry here; only a value of a new type needs more, which is how setup_toml.cpp reads and writes that type.
#pragma once

#include <array>
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

/// Where a value of type T stands in a setup.
template <class T>
struct Field {
  T& (*of)(Setup&);
  const T& (*in)(const Setup&);
};

/// A size that may be left out.
struct OptionalField {
  Field<std::optional<Index>> field;
  Index (*meaning)(const Setup&);  ///< what it stands for where it is left out
  std::string_view follows;        ///< "sizes.heads": the key whose value it has where it is left out
};

/// One of several words, by its place among them.
struct ChoiceField {
  std::span<const std::string_view> words;
  std::size_t (*in)(const Setup&);
  void (*put)(Setup&, std::size_t place);
};

using BlockedPairs = std::vector<std::pair<Index, Index>>;
using KeyValue = std::variant<Field<std::string>, Field<Index>, OptionalField, Field<double>, ChoiceField, Field<Scale>,
                              Field<std::vector<std::string>>, Field<std::vector<Index>>, Field<std::vector<MaskKind>>,
                              Field<BlockedPairs>, Field<std::vector<Draw>>>;

struct SetupKey {
  std::string_view name;  ///< "sizes.heads"
  KeyValue value;
  std::string_view help;          ///< what it does, in one sentence
  std::string_view comment = {};  ///< behind the value in a written file; choices have their words there
  /// Whether a written file has it, where that depends: keys without a say are left out.
  bool (*written)(const Setup&) = nullptr;
  std::string_view allowed = {};                    ///< what a value of the right type must be besides, for messages
  bool (*holds)(const Setup&) = nullptr;            ///< whether it is that
  void (*fits)(Findings&, const Setup&) = nullptr;  ///< finds what is wrong with it beside others, or inside it
  std::array<std::string_view, 4> beside = {};      ///< those others; where they cannot be read, `fits` has no say
  bool affects_numbers = true;
  std::string_view short_name = {};  ///< in --frames

  /// "sizes", and "heads". Keys at the top of the file have no section.
  std::string_view section() const;
  std::string_view last_name() const;

  /// The value in words, for people: "2", "causal, window", "none". A key that is left out has what it stands for.
  std::string text(const Setup& setup) const;
  /// Whether it means the same in both. Left out in both it does, even if it then stands for something else: that is
  /// another key's doing.
  bool same(const Setup& a, const Setup& b) const;
  void copy(const Setup& from, Setup& to) const;
  void check(Findings& findings, const Setup& setup) const;
};

/// All of them, in the order of the file: keys at the top first, then section by section.
std::span<const SetupKey> setup_keys();

/// Null where there is no such key.
const SetupKey* setup_key(std::string_view name);

}  // namespace headlight
