#include "core/model/layer_head.hpp"

#include <fmt/format.h>

#include "core/text/numbers.hpp"

namespace headlight {

std::string layer_prefix(Index layer) { return layer == 0 ? std::string() : fmt::format("L{}.", layer); }

Index take_layer_prefix(std::string_view& text) {
  const auto dot = text.find('.');
  if (!text.starts_with('L') || dot == std::string_view::npos) return 0;
  const auto layer = number_from<Index>(text.substr(1, dot - 1));
  if (!layer || *layer < 0) return 0;
  text.remove_prefix(dot + 1);
  return *layer;
}

std::string to_string(const LayerHead& head) { return fmt::format("{}{}", layer_prefix(head.layer), head.head); }

std::optional<LayerHead> parse_layer_head(std::string_view text) {
  const Index layer = take_layer_prefix(text);
  const auto head = number_from<Index>(text);
  return head ? std::optional(LayerHead(layer, *head)) : std::nullopt;
}

}  // namespace headlight
