// One attention layer among the arrays of a model, and of a model that was opened.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/layers/families.hpp"
#include "core/formats/layers/model_arrays.hpp"
#include "core/model/array_part.hpp"
#include "core/model/problem.hpp"

namespace headlight {

/// The source of a weight or bias of the layer, or of a part of it.
struct LayerArray {
  TensorId tensor = TensorId::W_q;
  ArrayPart part;         ///< of the tensor; empty for all of it
  std::size_t array = 0;  ///< its index among the arrays of the model
  std::string steps;      ///< what is done to it, as in a setup: ".T", "[0:768].T"
  double added = 0;       ///< to each of its numbers: the files of Gemma hold gains less 1
};

struct AttentionLayer {
  std::string path;                ///< "h.3.attn"; empty where the arrays' names have nothing in front
  const Family* family = nullptr;  ///< whose names its arrays have
  Arithmetic arithmetic = {};      ///< what it computes, by its model_type, or as the family usually does
  std::string_view type;           ///< the model's own name: "Cohere"; empty if only the arrays' names tell
  std::string unchecked;       ///< "foo" if config.json has this model_type, and nobody has checked what it computes
  bool is_configured = false;  ///< there is a config.json
  Index usual_heads = 0;       ///< of this model_type, unless config.json has another number; 0: it must have one
  Index usual_d_head = 0;      ///< the same
  Index d_model = 0;           ///< 0, as all sizes, where arrays are missing or do not fit
  Index head_columns = 0;      ///< of the queries of all heads: d_model in most models
  Index kv_columns = 0;        ///< of the keys, and of the values, of all heads
  Index d_out = 0;             ///< features of the output: d_model in most models
  Index heads = 0;             ///< 0 also if their number is unknown
  Index kv_heads = 0;
  Index stored_heads = 0;  ///< heads, if the shapes or the number of the arrays tell; else 0
  Index key_features = 0;  ///< of the input of keys and values: d_model in most models
  Index value_features = 0;
  bool is_cross = false;
  bool own_values = false;              ///< keys and values are made from different sequences
  bool is_causal = false;               ///< by its family or its name
  std::optional<Index> sliding_window;  ///< how many keys a query sees, its own included; if not causal, of one side
  std::optional<NormSpan> qk_norm;      ///< of its queries and keys, if they have a norm that a setup can have
  double epsilon = NormSettings{}.epsilon;  ///< of that norm
  Scale scale;
  double soft_cap = 0;
  Sink sink = Sink::none;
  PositionSettings position;       ///< of its scores
  std::vector<LayerArray> arrays;  ///< of every weight and bias that it has
  std::optional<Shape>
      weights;  ///< (batch, head, query, key), of a layer of which only the attention weights are known
  std::vector<std::string_view> not_computed;  ///< effects of the layer that Headlight does not compute
  std::vector<std::string_view> assumed;       ///< assumed, because no file tells: most models of the family have it
  std::vector<std::string> findings;           ///< what its captured results say about it
  std::vector<Problem> problems;               ///< why it cannot be a setup; empty where it can

  /// Whose layer it is, in words: "Cohere", or the families with such names.
  std::string_view name() const { return type.empty() ? family->name : type; }
  /// What to say of a layer whose model_type nobody has checked; empty for all others.
  std::string doubt() const;
  /// What a person should know before believing its numbers, the weightiest first: what its captured results say, that
  /// nobody has checked its model_type, and what is not computed.
  std::vector<std::string> remarks() const;

  /// The first of Y's features that values are made from: after those of the keys, if the two differ.
  Index first_value_feature() const { return own_values ? key_features : 0; }
  /// The features of Y: those of the keys and then those of the values, if the two are not the same.
  Index d_source() const { return first_value_feature() + value_features; }
  /// Features of a head; 0 while nobody knows how many heads it has.
  Index d_head() const { return heads > 0 ? head_columns / heads : 0; }
};

/// Tokens, which many layers share; null where there are none.
using Labels = std::shared_ptr<const std::vector<std::string>>;

/// A layer of a model that was opened.
struct ModelLayer {
  std::string name;                           ///< "encoder.layers.3.self_attn"; never empty
  std::filesystem::path file;                 ///< that holds it, or the index of those that do
  std::shared_ptr<const NamedArrays> arrays;  ///< of the file; never null
  AttentionLayer layer;                       ///< among them
  Labels tokens;                              ///< of its queries, where an index gives them
  Labels key_tokens;                          ///< of its keys, if they come from another sequence
};

}  // namespace headlight
