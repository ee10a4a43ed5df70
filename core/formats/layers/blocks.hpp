// What is around attention in the layers of a family of models: the names of its norms and its MLP, and of what is at
// the ends of the whole model. A new one is an entry of the table in blocks.cpp, and a model in tests/library/whole.py
// that computes it independently.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "core/formats/layers/families.hpp"
#include "core/formats/layers/model_config.hpp"
#include "core/model/setup.hpp"

namespace headlight {

/// What an array's module does in a block, or at the ends of a model. Empty: the family has none.
struct BlockModules {
  std::string_view norm;      ///< of what attention reads, or where norms come after, of what it has added to
  std::string_view mlp_norm;  ///< the same of the MLP
  std::string_view in;
  std::string_view gate;
  std::string_view out;
};
struct EndModules {
  std::string_view norm;       ///< of what leaves the last block
  bool may_lack_norm = false;  ///< a model may be without it
  std::string_view embedding;
  std::string_view positions;  ///< a table that is added to the embedding
  std::string_view unembedding;
  bool is_tied = false;  ///< without an unembedding of its own, the embedding's rows are its columns
};

/// A choice that config.json makes, and what the family's code does where that has no such key.
struct BendChoice {
  const char* key;
  Mlp usual;
};
struct EpsilonChoice {
  const char* key;  ///< null: the code has the number
  double usual;
};

struct BlockFamily {
  std::string_view name;       ///< "GPT-2"
  Names names;                 ///< of its attention layers
  std::string_view types;      ///< every `model_type` whose blocks compute this: "llama mistral"
  std::string_view attention;  ///< the attention layer's name in its block: "self_attn"
  NormKind norm;
  BlockModules block;
  EndModules ends;
  BendChoice bend;
  EpsilonChoice epsilon;
  const char* norm_first;  ///< the key that says whether norms come before, which they usually don't; null: they do
};

std::span<const BlockFamily> block_families();

/// The family of blocks with such attention layers, by config.json if that has a type; null if nobody has checked one.
const BlockFamily* block_family_of(Names names, const ConfigPart& config);

/// The bend that a config.json calls so; nothing if nobody has checked one of this name.
std::optional<Mlp> bend_called(std::string_view word);

/// Names of arrays in an attention layer or block that hold no numbers to learn: masks, angles.
bool is_buffer(std::string_view array);

}  // namespace headlight
