// A number of the setup that can be played with: what it is called, what it is, and the range of its slider.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/setup.hpp"
#include "core/model/trace.hpp"

namespace headlight {

struct PlayNumber {
  std::string key;    ///< an entry of the setup, "attention.temperature"; or a cell of an input or weight, "W_q[2,5]"
  std::string title;  ///< "Temperature"
  double value = 0;
  double low = 0;
  double high = 1;
  bool logarithmic = false;
  bool whole = false;  ///< only whole numbers

  /// From a share of the way, 0 to 1, to the number there, and back.
  double at(double share) const;
  double share_of(double number) const;
  /// The number as it is written: with as many digits as the range needs.
  std::string text(double number) const;
  friend bool operator==(const PlayNumber&, const PlayNumber&) = default;
};

/// The number that a key names in a trace's setup, or that of a cell; nothing where it names none.
std::optional<PlayNumber> play_number(const Trace& trace, std::string_view key);
/// The number that a text names with its range, "attention.temperature=0.1..10"; without a range the one that suits it.
/// The last part of a key's name is enough where no other key ends with it. Throws InputError (source: --play) if the
/// text says something else.
PlayNumber parse_play(const Trace& trace, std::string_view text);
/// The text that parse_play reads.
std::string to_string(const PlayNumber& number);
/// All numbers among the entries of the setup.
std::vector<PlayNumber> play_numbers(const Trace& trace);

/// The setup with another number. What depends on it, as the heads on d_model, follows. nullopt where the number is out
/// of range, or the setup has no such number any more.
std::optional<Setup> with_play_number(const Setup& setup, const PlayNumber& number, double value);

}  // namespace headlight
