// The keys of the setup file as a table of entries (entry.hpp). All code that deals with what a person can change about
// a setup walks this table: reading, writing, validation, --set, differences, `headlight keys`, the rows of the setup
// panel, the palette, sliders, sweeps and resets. A new key needs a field in Setup and an entry here; a value of a new
// type also needs code in setup_toml.cpp to read and write that type.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/setup.hpp"
#include "core/setup/entry.hpp"

namespace headlight {

/// The topic of a key, for a person: the sections of the setup panel, from top to bottom.
enum class SetupGroup : std::uint8_t { tokens, sizes, random, position, mask, attention, block, task, conventions };
inline constexpr std::array<std::string_view, 9> setup_group_labels{
    "Tokens", "Sizes", "Random", "Position", "Mask", "Attention", "Block", "Task", "Conventions"};
constexpr std::string_view label_of(SetupGroup group) { return setup_group_labels[static_cast<std::size_t>(group)]; }

using BlockedPairs = std::vector<std::pair<Index, Index>>;

template <>
struct EntryTypes<Setup> : UsualEntryTypes<Setup> {
  using Group = SetupGroup;
};
using SetupKey = Entry<Setup>;

/// What may decide an entry in place of a person (Entry::decided): a trained layer gives it, or it follows from weights
/// that are given alone. `beside_weights`: it can be changed beside such weights. All that is neither `by_weights` nor
/// `beside_weights` has its default there.
inline constexpr std::uint8_t by_model = 1;
inline constexpr std::uint8_t by_weights = 2;
inline constexpr std::uint8_t beside_weights = 4;

std::string value_text(MaskKind kind);
std::string value_text(const Draw& draw);
std::string value_text(const LayerHead& head);
/// A head in a list that is typed. False if it is none.
bool read_entry(std::string_view text, LayerHead& head);
/// What such lists hold.
constexpr std::string_view words_for(const LayerHead&) { return "heads, as in 0, 2, L1.1"; }
std::string value_text(const Values& values);
/// A text in a few words: its file, or how many lines it has.
std::string value_text(const TaskText& text);

/// Everything that can be changed, each group in the order of its rows: the keys, and what sums up several draws, such
/// as the first seed ("seed") or the distribution of all weights ("W").
std::span<const SetupKey> setup_entries();
/// The keys, in the order of the file: keys at the top first, then section by section.
std::span<const SetupKey> setup_keys();

/// Whether a trained layer, or weights that are given alone, decide the entry's value, so that nobody can change it.
bool is_decided(const SetupKey& entry, const Setup& setup);
/// Whether the entry has an effect, and nothing else decides it.
bool can_change(const SetupKey& entry, const Setup& setup);

/// Whether a file of the setup has the key: a key that has no effect is left out where it has its default.
bool is_written(const SetupKey& key, const Setup& setup);

/// The key with this name; null if there is none.
const SetupKey* setup_key(std::string_view name);
/// The entry with this name, or with this last part of its name if it is the only one; else null.
const SetupKey* setup_entry(std::string_view name);

extern template struct Entry<Setup>;

}  // namespace headlight
