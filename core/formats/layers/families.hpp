// How the arrays of attention layers are named, shaped and packed, and what a layer with such arrays usually computes.
// A new way to name them is an entry of the table in families.cpp, and a file of its kind in tests/library/families.py.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/layers/arithmetic.hpp"

namespace headlight {

/// How an array with several projections holds them.
enum class Packing : std::uint8_t {
  stacked,  ///< one after another
  grouped,  ///< the queries that share a key, that key, its value; then the next ones, as in GPT-NeoX and Falcon 40B
};

/// An array with a projection's weight or bias: with all of it, or with those of several projections.
struct ArrayPiece {
  std::string_view name;  ///< behind the layer's path: "c_attn.weight". Empty: there is no such array
  Index part = 0;
  Index parts = 1;
  Packing packing = Packing::stacked;

  friend bool operator==(const ArrayPiece&, const ArrayPiece&) = default;
};

enum Projection : std::uint8_t { of_query, of_key, of_value, of_output };
inline constexpr std::array all_projections{of_query, of_key, of_value, of_output};

struct ProjectionArrays {
  ArrayPiece weight;
  ArrayPiece bias;  ///< left out in the files of many models
};

/// The axes of the weights.
enum class WeightAxes : std::uint8_t {
  out_in,        ///< of nn.Linear
  in_out,        ///< `X @ W`
  in_heads_out,  ///< (in, heads, d_head), and the output's (heads, d_head, out), as in Keras; biases (heads, d_head)
  heads_in_out,  ///< (heads, in, d_head), and the output's (heads, d_head, out), as in TransformerLens
};

/// The names, for model types to say which of them their files have.
enum class Names : std::uint8_t {
  torch,
  gpt2,
  nano_gpt,
  multi_query_c_attn,
  per_head_c_attn,
  bert,
  distilbert,
  vit,
  timm,
  llama,
  gpt_neo,
  gptj,
  bart,
  phi,
  phi3,
  t5,
  per_head_qkv,
  multi_query_qkv,
  grouped_qkv,
  wqkv_wo,
  wqkv_out_proj,
  internlm2,
  baichuan,
  albert,
  meta,
  courses,  ///< textbooks, courses and libraries, which have no model_type
};

struct Family {
  std::string_view name;
  Names names = Names::courses;
  std::array<ProjectionArrays, 4> projections;  ///< in the order of Projection
  WeightAxes axes = WeightAxes::out_in;
  Arithmetic usual = {};           ///< what a layer computes, if no config.json tells
  std::string_view path_end = {};  ///< what the layer's path must end with, where others have the same names: "attn"
  bool other_features = false;     ///< keys and values may be made from another number of features (kdim, vdim)
  std::array<std::string_view, 2> gains = {};  ///< of the norms of queries and keys: "q_norm.weight"
  bool other_output = false;                   ///< the output may have another number of features than the input
  bool fewer_keys = false;                     ///< packed arrays may hold fewer keys and values than queries
  bool head_modules = false;                   ///< each head has modules of its own: "heads.0.key.weight" and so on

  bool unnamed = false;  ///< the names say nothing, so only arrays whose shapes fit are such a layer

  /// Whether the layer's output is its heads side by side, without a projection.
  bool ends_with_heads() const { return projections[of_output].weight.name.empty(); }
};

/// In the order in which they are tried. Two may have the same names: then config.json decides, or the path's end, or
/// the shapes.
std::span<const Family> families();

/// The names of the weights, each once, the output's last.
std::vector<std::string_view> weight_names(const Family& family);

/// The name of a head's array in a family whose heads have modules of their own: "heads.0.key.weight" of head 3 is
/// "heads.3.key.weight".
std::string of_head(std::string_view name, Index head);

/// The modules that hold the projections, as in {"c_attn", "c_attn", "c_attn", "c_proj"}; nothing if they are not
/// separate modules, as in nn.MultiheadAttention.
std::optional<std::array<std::string_view, 4>> projection_modules(const Family& family);

/// The effect of an array beside the projections, which Headlight does not compute.
struct FurtherArray {
  std::string_view name;  ///< behind the layer's path, or alone in a captured file
  std::string_view what;
};
std::span<const FurtherArray> further_arrays();

/// A way to keep a layer that no setup can refer to, known by an array behind the layer's path.
struct RefusedArray {
  std::string_view name;
  std::string_view what;  ///< "4-bit numbers of GPTQ"
};
std::span<const RefusedArray> refused_arrays();

/// Names of modules that attend to another sequence: "crossattention", "multihead_attn" of nn.TransformerDecoderLayer.
std::span<const std::string_view> cross_attention_names();

}  // namespace headlight
