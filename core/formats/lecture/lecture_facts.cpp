#include "core/formats/lecture/lecture_facts.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include <fmt/format.h>

#include "core/formats/arrays/printed_numbers.hpp"
#include "core/model/shapes.hpp"

namespace headlight {
namespace {

std::string tensor_names() {
  std::string names;
  for (const TensorInfo& tensor : all_tensors()) names += fmt::format("{}{}", names.empty() ? "" : ", ", tensor.name);
  return names;
}

/// Nested lists as a printout, so that both are read by the same code.
std::string printed(const TomlValue& value) {
  const auto* list = value.as<TomlList>();
  if (list == nullptr) return describe(value);
  std::string text = "[";
  for (const TomlValue& entry : *list) text += printed(entry) + ' ';
  return text + ']';
}

void read_values(TomlReader& reader, Fact& fact) {
  const TomlValue* value = reader.value("values");
  if (value == nullptr) return;
  constexpr const char* allowed = "a rectangular array of numbers, as lists or as a printout in quotes";
  const auto* printout = value->as<std::string>();
  if (printout == nullptr && value->as<TomlList>() == nullptr) {
    reader.add("values", describe(*value), allowed);
    return;
  }
  try {
    PrintedNumbers numbers = parse_printed(printout != nullptr ? *printout : printed(*value));
    fact.values_shape = numbers.shape;
    fact.values = std::move(numbers.values);
  } catch (const std::invalid_argument& error) {
    reader.add("values", error.what(), allowed);
  }
}

void read_shape(TomlReader& reader, Fact& fact) {
  if (!reader.has("shape")) return;
  std::vector<Index> extents;
  reader.read("shape", extents);
  const bool positive = std::all_of(extents.begin(), extents.end(), [](Index extent) { return extent > 0; });
  if (extents.empty() || extents.size() > static_cast<std::size_t>(Shape::max_rank) || !positive) {
    reader.add("shape", fmt::format("[{}]", fmt::join(extents, ", ")),
               "one to four extents of at least 1, such as [1, 4, 8]");
    return;
  }
  fact.printed_shape = Shape(extents);
}

/// The shape of the block at the leading indices `at`; nullopt if they are outside the tensor.
std::optional<Shape> block_shape(const Shape& tensor, const std::vector<Index>& at) {
  if (at.size() > static_cast<std::size_t>(tensor.rank())) return std::nullopt;
  for (std::size_t axis = 0; axis < at.size(); ++axis) {
    if (at[axis] < 0 || at[axis] >= tensor[static_cast<int>(axis)]) return std::nullopt;
  }
  return Shape(std::span(tensor.begin() + at.size(), tensor.end()));
}

void check_block(TomlReader& reader, Fact& fact, const std::vector<Index>& at, const Setup& setup) {
  const Shape whole = shape(fact.tensor, setup);
  const auto block = block_shape(whole, at);
  if (!block) {
    reader.add("at", fmt::format("[{}]", fmt::join(at, ", ")),
               fmt::format("leading indices inside {} {}", name(fact.tensor), whole.to_string()));
    return;
  }
  fact.at = Shape(at);
  if (!fact.values.empty() && static_cast<Index>(fact.values.size()) != block->elements()) {
    reader.add("values", fmt::format("{} numbers", fact.values.size()),
               fmt::format("{} numbers: {} of {} {}", block->elements(), block->to_string(), name(fact.tensor),
                           whole.to_string()));
  }
}

void read_decimals(TomlReader& reader, Fact& fact) {
  constexpr Index most = 17;
  Index decimals = 0;
  const bool needed = reader.has("values") && fact.not_reproducible.empty();
  if (needed && !reader.has("decimals"))
    reader.add("decimals", "none", "how many decimals the values were printed with");
  reader.read("decimals", decimals);
  if (decimals < 0 || decimals > most)
    reader.add("decimals", fmt::format("{}", decimals), fmt::format("0 to {}", most));
  else fact.decimals = static_cast<int>(decimals);
}

Fact fact_from(TomlReader& reader, const CheckedSetup& checked) {
  Fact fact;
  if (!reader.has("tensor")) reader.add("tensor", "none", fmt::format("one of {}", tensor_names()));
  const auto tensor = read_layer_tensor(reader, "tensor", checked);
  fact.tensor = tensor ? tensor->tensor : TensorId::output;
  fact.layer = tensor ? tensor->layer : 0;
  constexpr std::array<std::string_view, 2> origins{"notebook", "library"};
  if (const auto origin = reader.read_word("from", origins)) fact.origin = static_cast<FactOrigin>(*origin);
  reader.read("not_reproducible", fact.not_reproducible);
  if (reader.has("not_reproducible") && fact.not_reproducible.empty())
    reader.add("not_reproducible", "no reason", "the reason in words");
  read_shape(reader, fact);
  read_values(reader, fact);
  read_decimals(reader, fact);
  std::vector<Index> at;
  reader.read("at", at);
  reader.finish();

  const bool has_shape = reader.has("shape");
  const bool has_values = reader.has("values");
  if (has_shape && has_values)
    reader.add("values", "values beside a shape", "one of shape and values; two facts for both");
  if (!has_shape && !has_values && fact.not_reproducible.empty())
    reader.add("values", "neither shape nor values", "one of them");
  if (checked.valid && tensor) check_block(reader, fact, at, seen_at(checked.setup, fact.layer));
  return fact;
}

}  // namespace

std::optional<LayerTensor> read_layer_tensor(TomlReader& reader, std::string_view key, const CheckedSetup& checked) {
  std::string text;
  reader.read(key, text);
  if (text.empty()) return std::nullopt;
  std::string_view name = text;
  const Index named = take_layer_prefix(name);
  const auto id = tensor_named(name);
  const auto refuse = [&](std::string allowed) {
    reader.add(key, fmt::format("\"{}\"", text), std::move(allowed));
    return std::nullopt;
  };
  if (!id) return refuse(fmt::format("one of {}", tensor_names()));
  if (!checked.valid) return LayerTensor{named, *id};
  const Index layers = checked.setup.sizes.layers;
  if (named >= layers) return refuse(fmt::format("a layer from L0 to L{}", layers - 1));
  const Index layer = layer_with(*id, named, checked.setup);
  if (!exists(*id, seen_at(checked.setup, layer)))
    return refuse("a tensor that this setup has (biases only where drawn, Y only in cross-attention)");
  return LayerTensor{layer, *id};
}

std::optional<TensorId> read_tensor(TomlReader& reader, std::string_view key, const CheckedSetup& checked) {
  const auto found = read_layer_tensor(reader, key, checked);
  if (!found) return std::nullopt;
  if (found->layer == 0 || info(found->tensor).is_of_model()) return found->tensor;
  reader.add(key, fmt::format("a tensor of layer {}", found->layer), "one of layer 0");
  return std::nullopt;
}

std::vector<Fact> facts_from(TomlReader& reader, const CheckedSetup& checked) {
  std::vector<Fact> facts;
  for (TomlReader& entry : reader.tables("facts")) facts.push_back(fact_from(entry, checked));
  return facts;
}

}  // namespace headlight
