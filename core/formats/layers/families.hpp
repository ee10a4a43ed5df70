// The families of attention layers that are known by the names and shapes of their arrays. A new family is an entry of
// the table in families.cpp, and a file of its kind in tests/library/families.py.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/setup.hpp"

namespace headlight {

/// An array with a projection's weight or bias: with all of it, or one of several equal parts of its outputs.
struct ArrayPiece {
  std::string_view name;  ///< behind the layer's path: "c_attn.weight"
  Index part = 0;
  Index parts = 1;
  bool per_head = false;  ///< the parts of one head are together, then those of the next, as in GPT-NeoX

  friend bool operator==(const ArrayPiece&, const ArrayPiece&) = default;
};

enum Projection : std::uint8_t { of_query, of_key, of_value, of_output };
inline constexpr std::array all_projections{of_query, of_key, of_value, of_output};

struct ProjectionArrays {
  ArrayPiece weight;
  ArrayPiece bias;  ///< left out in the files of many models
};

enum class CausalMask : std::uint8_t {
  never,
  always,
  decoders,  ///< in self-attention of what is a decoder by its name, by its cross-attention or by its config.json
};

/// The influence of positions on the scores of a family, as far as a setup can express it.
struct FamilyPositions {
  std::string_view name = {};          ///< "rotary positions"; empty if they do not
  Encoding encoding = Encoding::none;  ///< none: a setup cannot express it
  PairLayout layout = PairLayout::half;
  double turned = 1;  ///< rotary: the share of a head's features, unless config.json has another; 0: it must have one
};

struct Family {
  std::string_view name;
  std::array<ProjectionArrays, 4> projections;  ///< in the order of Projection
  WeightLayout layout = WeightLayout::out_in;   ///< of the arrays: out_in is that of nn.Linear
  CausalMask causal = CausalMask::decoders;
  Scale scale = InverseSqrtDHead{};
  FamilyPositions positions = {};
  std::string_view path_end = {};  ///< what the layer's path must end with, where others have the same names: "attn"
  bool other_features = false;     ///< keys and values may be made from another number of features (kdim, vdim)
  std::array<std::string_view, 2> gains = {};  ///< of the norms of queries and keys: "q_norm.weight"
  bool other_output = false;                   ///< the output may have another number of features than the input
};

/// In the order in which they are tried. Two may have the same names: then the path's end decides, or the shapes.
std::span<const Family> families();

/// The names of the weights, each once, the output's last.
std::vector<std::string_view> weight_names(const Family& family);

/// The modules that hold the projections, as in {"c_attn", "c_attn", "c_attn", "c_proj"}; nothing if they are not
/// separate modules, as in nn.MultiheadAttention.
std::optional<std::array<std::string_view, 4>> projection_modules(const Family& family);

/// The effect of an array beside the projections, which Headlight does not compute.
struct FurtherArray {
  std::string_view name;  ///< behind the layer's path, or alone in a captured file
  std::string_view what;
};
std::span<const FurtherArray> further_arrays();

/// Names of modules that attend to another sequence: "crossattention", "multihead_attn" of nn.TransformerDecoderLayer.
std::span<const std::string_view> cross_attention_names();

}  // namespace headlight
