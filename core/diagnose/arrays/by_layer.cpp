#include "core/diagnose/arrays/by_layer.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/diagnose/arrays/matching.hpp"
#include "core/model/cell.hpp"
#include "core/model/shapes.hpp"
#include "core/text/numbers.hpp"

namespace headlight {
namespace {

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Ours for a name of TransformerLens' HookedTransformer; the name itself where it is none.
std::string without_hook(const std::string& name, const Setup& setup) {
  using Pair = std::pair<std::string_view, std::string_view>;
  const bool gated = setup.block.gated;
  const std::array hooks{Pair{"hook_embed", "embed"},
                         Pair{"hook_resid_pre", "resid_pre"},
                         Pair{"ln1.hook_normalized", "N"},
                         Pair{"hook_q", "Q_heads"},
                         Pair{"hook_k", "K_heads"},
                         Pair{"hook_v", "V_heads"},
                         Pair{"hook_rot_q", "Q_rotated"},
                         Pair{"hook_rot_k", "K_rotated"},
                         Pair{"hook_attn_scores", "masked_scores"},
                         Pair{"hook_pattern", "weights"},
                         Pair{"hook_z", "context"},
                         Pair{"hook_attn_out", "output"},
                         Pair{"hook_resid_mid", "resid_mid"},
                         Pair{"ln2.hook_normalized", "N_mlp"},
                         Pair{"hook_pre_linear", "mlp_pre"},
                         Pair{"hook_pre", gated ? "mlp_gate" : "mlp_pre"},
                         Pair{"hook_post", gated ? "mlp_post" : "mlp_act"},
                         Pair{"hook_mlp_out", "mlp_out"},
                         Pair{"hook_resid_post", "resid_post"},
                         Pair{"ln_final.hook_normalized", "N_final"}};
  const auto found = std::ranges::find_if(
      hooks, [&](const Pair& hook) { return name == hook.first || name.ends_with("." + std::string(hook.first)); });
  return found == hooks.end() ? name : std::string(found->second);
}

struct Parts {
  std::vector<std::string> all;
  std::vector<char> before;  ///< the mark before each
};
Parts parts_of(std::string_view name) {
  Parts parts{{""}, {'\0'}};
  for (const char c : name) {
    if (c != '.' && c != '/') {
      parts.all.back() += c;
      continue;
    }
    parts.all.emplace_back();
    parts.before.push_back(c);
  }
  return parts;
}

std::string joined(const Parts& parts, std::size_t first) {
  std::string text;
  for (std::size_t i = first; i < parts.all.size(); ++i) text += (i == first ? "" : ".") + parts.all[i];
  return text;
}

/// "scores_1", "scores[1]": a number at the end of a known name.
std::optional<LayerName> numbered(std::string_view name) {
  const std::size_t mark = name.find_last_of("_[");
  if (mark == std::string_view::npos || mark == 0) return std::nullopt;
  std::string_view digits = name.substr(mark + 1);
  if (name[mark] == '[') {
    if (!digits.ends_with(']')) return std::nullopt;
    digits.remove_suffix(1);
  }
  const std::string_view base = name.substr(0, mark);
  if (!is_number(digits) || tensors_called(base).empty()) return std::nullopt;
  return LayerName{number_from<Index>(digits), std::string(base)};
}

/// The layer that has what the model has once; layer 0 for everything else.
Index layer_without_name(const std::string& name, const Setup& setup) {
  const std::vector<TensorId> called = tensors_called(name);
  return !called.empty() && info(called.front()).layers == OfLayers::last ? setup.sizes.layers - 1 : 0;
}

/// Whether the array has one part for each layer, along its first axis.
bool has_all_layers(const GivenArray& array, const std::string& name, const Setup& setup) {
  const std::vector<TensorId> called = tensors_called(name);
  const Shape& shape = array.values.shape();
  return setup.sizes.layers > 1 && !called.empty() && !info(called.front()).is_of_model() &&
         shape.rank() == info(called.front()).rank + 1 && shape[0] == setup.sizes.layers;
}

}  // namespace

LayerName layer_name(std::string_view name, const Setup& setup) {
  const Parts parts = parts_of(name);
  const std::string& first = parts.all.front();
  if (parts.all.size() > 1 && first.size() > 1 && first[0] == 'L' && is_number(first.substr(1)))
    return {number_from<Index>(first.substr(1)), without_hook(joined(parts, 1), setup)};
  for (std::size_t i = 1; i < parts.all.size(); ++i) {
    if (!is_number(parts.all[i])) continue;
    const bool is_last = i + 1 == parts.all.size();
    return {number_from<Index>(parts.all[i]), is_last ? parts.all[i - 1] : without_hook(joined(parts, i + 1), setup)};
  }
  if (setup.sizes.layers > 1 && tensors_called(name).empty())
    if (auto found = numbered(name)) return *found;
  return {std::nullopt, without_hook(std::string(name), setup)};
}

std::vector<LayerArrays> by_layer(std::span<const GivenArray> arrays, const Setup& setup, const Naming& by_hand,
                                  std::vector<std::string>& unrecognised) {
  std::vector<LayerArrays> layers(static_cast<std::size_t>(setup.sizes.layers));
  const auto put = [&](Index layer, GivenArray array, const std::string& yours) {
    if (layer < 0 || layer >= setup.sizes.layers) return unrecognised.push_back(yours);
    LayerArrays& own = layers[static_cast<std::size_t>(layer)];
    own.arrays.push_back(std::move(array));
    own.yours.push_back(yours);
  };
  for (const GivenArray& array : arrays) {
    const auto hand = std::ranges::find(by_hand, array.name, &std::pair<std::string, std::string>::first);
    LayerName called = layer_name(hand == by_hand.end() ? array.name : hand->second, setup);
    GivenArray own = array;
    own.name = called.name;
    if (hand != by_hand.end()) {
      own.name = array.name;
      const Index layer = called.layer.value_or(layer_without_name(called.name, setup));
      if (layer >= 0 && layer < setup.sizes.layers)
        layers[static_cast<std::size_t>(layer)].by_hand.emplace_back(array.name, called.name);
      put(layer, std::move(own), array.name);
    } else if (!called.layer && has_all_layers(array, called.name, setup)) {
      for (Index layer = 0; layer < setup.sizes.layers; ++layer) {
        GivenArray part = own;
        part.values = array.values.selected(0, layer);
        if (!array.half_digits.empty()) part.half_digits = array.half_digits.selected(0, layer);
        put(layer, std::move(part), array.name + "[" + std::to_string(layer) + "]");
      }
    } else {
      put(called.layer.value_or(layer_without_name(called.name, setup)), std::move(own), array.name);
    }
  }
  return layers;
}

}  // namespace headlight
