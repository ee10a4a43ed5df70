// The families of models by the `model_type` of their config.json: how their files name the arrays of attention, and
// what their code computes. A new one is an entry of the table in model_types.cpp, and a class in
// tests/library/model_types.py that computes it independently.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/layers/arithmetic.hpp"
#include "core/formats/layers/families.hpp"
#include "core/formats/layers/model_config.hpp"

namespace headlight {

struct ModelType {
  std::string_view name;     ///< "Cohere"
  std::string_view types;    ///< every `model_type` that computes this, with spaces between them: "cohere"
  std::vector<Names> names;  ///< those that its files may have
  Arithmetic arithmetic = {};
  std::string_view only_if =
      {};            ///< only where config.json has this key as true, or as this word: "alibi", "part:vision"
  Index heads = 0;   ///< unless config.json has another number
  Index d_head = 0;  ///< the same
};

std::span<const ModelType> model_types();

/// Whether a list such as "llama code_llama" has the type, which ConfigPart::type() has read.
bool has_type(std::string_view types, std::string_view type);

/// The entry of the part of the model that the config describes; null if it says no type, or one that is not checked.
const ModelType* model_type_of(const ConfigPart& part);

}  // namespace headlight
