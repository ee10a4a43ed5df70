// What a person can choose about how things are shown, as tables of entries. The settings file, the session file,
// `--show` and the command that the export dialog shows are loops over them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "app/session/display/display.hpp"
#include "core/setup/entry.hpp"

namespace headlight {

/// The file that keeps a choice: the settings, which all windows share, or the session, which is a window's own.
/// `other`: the session keeps it under another name.
enum class KeptIn : std::uint8_t { settings, session, other };

/// Where `--show` takes a choice: nowhere, for every figure, or only for one of the whole window.
enum class ShownFor : std::uint8_t { none, figure, window };

template <>
struct EntryTypes<Display> {
  using Value = EntryValue<Display>;
  using Group = ShownFor;
  using Kept = KeptIn;
};

/// The words of ColourMap and RangeKind. Their help is their line in the palette; `fixed` has none, as it needs
/// numbers.
#define HEADLIGHT_WORD(name, words, ...) \
  , Word { #name, words, "Colours: " words }
inline constexpr std::array colour_map_words{
    Word{"automatic", "by kind", "Colours by the kind of tensor"} HEADLIGHT_COLOUR_MAPS(HEADLIGHT_WORD)};
#undef HEADLIGHT_WORD
inline constexpr std::array range_words{Word{"automatic", "±max", "Colours around zero"},
                                        Word{"min_max", "min–max", "Colours from the smallest to the largest number"},
                                        Word{"shared", "shared", "Colours shared between tensors"},
                                        Word{"fixed", "manual"},
                                        Word{"unit", "0–1", "Colours from 0 to 1"},
                                        Word{"even", "× even", "Colours by multiples of even attention"},
                                        Word{"top", "0–max", "Colours from 0 to the largest weights"}};

/// The word for an order, in files and on the screen: "entropy".
std::string_view to_string(HeadOrder order);

std::span<const Entry<Display>> display_entries();
/// The colours of one tensor: "weights.range" is the entry "range" for the tensor weights.
std::span<const Entry<HeatmapOptions>> colour_entries();

/// "KEY=VALUE", as `--show` takes it, for everything that differs from a new Display: heads ("hidden_heads=1,3"),
/// tokens ("threshold=0.1"), and the colours of each tensor ("weights.range=min_max").
std::vector<std::string> display_settings(const Display& display);
/// The same for the tensors' colours alone.
std::vector<std::string> colour_settings(const Display& display);
/// The same for what only a whole window shows: its panels ("setup_folded=true"), and whether it presents.
std::vector<std::string> window_settings(const Display& display);

/// The display with such settings applied. Throws InputError (source: "--show") with all that is wrong with them.
Display with_display_settings(Display display, std::span<const std::string> settings);
/// The keys that they may have: "head_order, hidden_heads, ..., or TENSOR. and colour_map, ..."
std::string display_keys();

/// What an entry's value may be, for messages: "true or false", "one of index, entropy", "a number".
template <class O>
std::string allowed_text(const Entry<O>& entry) {
  if (!entry.allowed.empty()) return std::string(entry.allowed);
  if (std::holds_alternative<Field<O, bool>>(entry.value) || std::holds_alternative<Computed<O, bool>>(entry.value))
    return "true or false";
  if (!entry.words.empty()) {
    std::string words;
    for (const Word& word : entry.words) words += (words.empty() ? "one of " : ", ") + std::string(word.name);
    return words;
  }
  return entry.allowed_words();
}

}  // namespace headlight
