// The text that the view Write shows: what a model has written so far, and how it goes on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/generate/sampling.hpp"
#include "core/model/setup.hpp"

namespace headlight {

struct Draft {
  /// How the text begins, which nobody has written yet; none: with the text that the task shows, where one is given.
  std::optional<std::string> prompt = {};
  std::string written = {};  ///< what follows; a line break at its end ends it
  Sampling sampling = {};
  std::int64_t seed = 0;  ///< of the die: as that of `headlight generate`

  friend bool operator==(const Draft& a, const Draft& b) {
    return a.prompt == b.prompt && a.written == b.written && a.sampling.temperature == b.sampling.temperature &&
           a.sampling.top_k == b.sampling.top_k && a.seed == b.seed;
  }
};

/// Why the model of a setup cannot write, in a sentence; empty if it can.
std::string why_silent(const Setup& setup);

/// A draft as the symbols of a setup's task.
struct DraftSymbols {
  std::vector<std::int64_t>
      read;            ///< what the model has read: the line break before the text, the prompt, and the rest
  Index prompt = 0;    ///< so many of them are the prompt's
  bool ended = false;  ///< a line break was written
  bool full = false;   ///< there is no position left

  Index written() const { return std::ssize(read) - 1 - prompt; }
  /// Whether another symbol can follow.
  bool goes_on() const { return !ended && !full; }
  friend bool operator==(const DraftSymbols&, const DraftSymbols&) = default;
};
/// Of a model that can write. What the text doesn't know, or has no position for, is left out.
DraftSymbols symbols_of(const Draft& draft, const Setup& setup, Index batch);
/// The prompt as text, and everything from there on, without a line break at its end.
std::string prompt_of(const Draft& draft, const Setup& setup, Index batch);
std::string text_of(const DraftSymbols& symbols, const Setup& setup);

/// What led from one draft to another: "Write “k”".
std::string words_between(const Draft& earlier, const Draft& later);

/// "seed,top_k,temperature,characters of the prompt,text": "3,0,0.8,2,triven", for links and the command line. Without
/// a prompt of its own, the number of its characters is "-".
std::string to_text(const Draft& draft);
std::optional<Draft> draft_in(std::string_view text);

}  // namespace headlight
