// The file config.json beside the weights of a model.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/shape.hpp"

namespace headlight {

/// Its statements about attention.
struct ModelConfig {
  /// A number of heads, and which layers have it.
  struct Heads {
    std::string where;  ///< a word in the path of those layers, as "decoder"; empty for all others
    std::string key;    ///< the key that has it
    Index heads = 0;
  };

  /// Its statements about rotary positions.
  struct Rotary {
    std::optional<double> base;     ///< rope_theta
    std::optional<double> share;    ///< of a head's features that are turned
    std::optional<Index> features;  ///< how many of them are
    bool rescaled = false;          ///< the angles are changed for long texts, by rope_scaling
  };

  /// The number of keys that the queries of some layers see, their own included.
  struct SlidingWindow {
    Index keys = 0;
    Index first_layer = 0;    ///< layers before it see all
    Index period = 0;         ///< the last of so many layers sees all; 0: no such layers
    std::vector<bool> has{};  ///< which layers have it, where the file lists them; empty where it does not

    bool is_of(Index layer) const;
  };

  std::string source;  ///< the file; empty where there is none
  std::vector<Heads> heads = {};
  std::string model_type;
  Rotary rotary;
  std::optional<Rotary> sliding_rotary;  ///< of layers with a sliding window, if theirs is another
  std::optional<Index> head_dim;
  std::optional<SlidingWindow> sliding_window;
  std::optional<double> epsilon;       ///< of the norms
  std::optional<double> query_scalar;  ///< dot products are divided by its root
  std::optional<double> soft_cap;      ///< of the scores
  bool is_decoder = false;

  /// The number of heads of the layer with this path; null if the file has none.
  const Heads* heads_of(std::string_view path) const;
};

/// Throws InputError naming `source` if the text is not a JSON object, or if a value that must be a number is not.
ModelConfig parse_model_config(std::string_view text, const std::string& source);

/// Reads the file of this name in the folder; if there is none, the result is empty.
ModelConfig read_model_config(const std::filesystem::path& folder);

}  // namespace headlight
