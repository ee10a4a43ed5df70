// What --frames of an animation says: the frames, one by one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/setup.hpp"

namespace headlight {

struct Sweep {
  enum class Kind : std::uint8_t {
    steps,   ///< the steps of the lecture
    heads,   ///< the heads
    values,  ///< values of one key of the setup
  };
  Kind kind = Kind::steps;
  std::string key;                  ///< "attention.temperature", or "seed" for the first seed of the draws
  std::vector<std::string> values;  ///< as in a setup file

  friend bool operator==(const Sweep&, const Sweep&) = default;
};

constexpr std::size_t most_frames = 1000;

/// Reads "steps", "heads", "seed=0..9" (whole numbers one by one), "temperature=0.5..4/8" (eight values, evenly from
/// the first to the last), "sizes.heads=1,2,4", or the short name of a key. Throws InputError (source: --frames)
/// where the text is none of these.
Sweep parse_sweep(std::string_view text);

/// The setup with the value in its key. Throws InputError where it does not fit.
Setup with_value(const Setup& setup, const Sweep& sweep, const std::string& value);

}  // namespace headlight
