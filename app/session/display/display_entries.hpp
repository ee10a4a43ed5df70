// What a person can choose about how things are shown, as tables of entries. The settings file, the session file,
// `--show` and the command that the export dialog shows are loops over them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "app/session/display/display.hpp"
#include "core/model/setup.hpp"
#include "core/setup/entry.hpp"

namespace headlight {

/// The file that keeps a choice: the settings, which all windows share, or the session, which is a window's own.
enum class KeptIn : std::uint8_t { settings, session };

/// Which pictures a choice matters to: none; every figure, by an option of its own or with `--show`; or only, with
/// `--show`, one of the whole window.
enum class ShownFor : std::uint8_t { none, option, figure, window };

template <>
struct EntryTypes<Display> : UsualEntryTypes<Display> {
  using Group = ShownFor;
  using Kept = KeptIn;
};

inline constexpr std::array theme_words{Word{"dark", "Dark"}, Word{"light", "Light"}};
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

/// The word for an order, "entropy", with what it measures.
const Word& word_of(HeadOrder order);

std::span<const Entry<Display>> display_entries();
/// Whether `--show` takes the entry.
inline bool is_setting(const Entry<Display>& entry) { return entry.group >= ShownFor::figure; }
/// The entry with this name, which there must be.
const Entry<Display>& display_entry(std::string_view name);
/// The display with another value of that entry, and what follows from it; the same if the value isn't allowed.
Display with_choice(const Display& display, std::string_view name, const ControlInput& input);
/// The colours of one tensor: "weights.range" is the entry "range" for the tensor weights.
std::span<const Entry<HeatmapOptions>> colour_entries();

/// "KEY=VALUE", as `--show` takes it, for what matters to every figure and differs from a new Display:
/// "hidden_heads=1,3", "threshold=0.1", "colour_map=safe", and the colours of each tensor: "weights.range=min_max".
std::vector<std::string> display_settings(const Display& display);
/// The same for what only a whole window shows: its panels ("setup_folded=true"), and whether it presents.
std::vector<std::string> window_settings(const Display& display);

/// The display with such settings applied. Throws InputError (source: "--show") with all that is wrong with them.
Display with_display_settings(Display display, std::span<const std::string> settings);
/// The keys that they may have: "head_order, hidden_heads, ..., or TENSOR. and colour_map, ..."
std::string display_keys();
/// The display with every choice brought into its range: numbers into the travel of their entry, the colours' low and
/// high, and heads that a setup with `heads` heads has.
Display fitting(Display display, Index heads);
/// Hides a head or shows it again; the last visible head stays visible.
Display with_head_hidden(Display display, Index head, bool hidden, Index heads);

/// Beyond this many keys an even weight, 1/keys, is too small to be told from zero on a scale from 0 to 1.
inline constexpr Index few_keys = 16;
/// The ranges that the colours of a tensor can have, in the order in which they are offered.
std::span<const RangeKind> offered_ranges(TensorId tensor);
/// The range that a choice gives a tensor: `automatic` means another one where the tensor holds weights, and so do
/// choices for weights where it holds none.
RangeKind range_kind_of(RangeKind chosen, TensorId tensor, const Setup& setup);
/// The offered range after that of a choice; the last is followed by the first. Never `fixed`, which needs numbers.
RangeKind next_range(RangeKind chosen, TensorId tensor, const Setup& setup);

}  // namespace headlight
