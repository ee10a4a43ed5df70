// A number of the setup to play with: its name, its value, and the range of its slider.
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
  std::string_view unit = {};

  /// Converts a share of the slider, from 0 to 1, to the number there, and back.
  double at(double share) const;
  double share_of(double number) const;
  /// The number as text, with as many digits as the range needs; "30 %".
  std::string text(double number) const;
  friend bool operator==(const PlayNumber&, const PlayNumber&) = default;
};

/// The number of a key in the trace's setup, or of a cell; nullopt if the key names neither.
std::optional<PlayNumber> play_number(const Trace& trace, std::string_view key);
/// Reads a number with its range, "attention.temperature=0.1..10", or without for the default range. The last part of a
/// key's name is enough if it is unique. Throws InputError (source: --play) if the text is anything else.
PlayNumber parse_play(const Trace& trace, std::string_view text);
/// Whether parse_play can read it for a trace of the setup.
bool can_play(const Setup& setup, std::string_view text);
/// The text that parse_play reads.
std::string to_string(const PlayNumber& number);
/// All numbers among the entries of the setup.
std::vector<PlayNumber> play_numbers(const Trace& trace);

/// The setup with another value of the number. Dependent keys are adapted, as heads to d_model. nullopt if the value is
/// out of range, or if the setup no longer has such a number.
std::optional<Setup> with_play_number(const Setup& setup, const PlayNumber& number, double value);

}  // namespace headlight
