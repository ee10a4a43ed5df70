// Reads --frames: which setups, heads or steps an animation shows, one per frame.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/setup.hpp"

namespace headlight {

struct Sweep {
  enum class Kind : std::uint8_t {
    steps,   ///< one frame per step of the lecture
    heads,   ///< one frame per head
    motion,  ///< how what is shown comes about
    values,  ///< one frame per value of a key of the setup
  };
  Kind kind = Kind::steps;
  std::string key;                  ///< an entry of the setup: "attention.temperature", "seed"
  std::vector<std::string> values;  ///< each written as in a setup file
  std::size_t frames = 0;           ///< of a motion

  friend bool operator==(const Sweep&, const Sweep&) = default;
};

constexpr std::size_t most_frames = 1000;

/// Reads "steps", "heads", "motion" or "motion/48" (so many frames), "seed=0..9" (whole numbers one by one),
/// "temperature=0.5..4/8" (eight values at equal distances, first and last included, and whole numbers where the key
/// takes only those), or "sizes.heads=1,2,4". The last part of a key's name is enough where no other key ends with it.
/// Throws InputError (source: --frames) if the text is none of these or has more than most_frames frames.
Sweep parse_sweep(std::string_view text);

/// The setup with `value` assigned to the sweep's key. Throws InputError if the value does not fit.
Setup with_value(const Setup& setup, const Sweep& sweep, const std::string& value);

}  // namespace headlight
