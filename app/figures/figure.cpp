#include "app/figures/figure.hpp"

#include <algorithm>

namespace headlight {
namespace {

constexpr std::array<std::string_view, all_figures.size()> names{
    "window", "view", "heatmap", "heads", "equation", "tokens", "explanation", "curve", "play"};

}  // namespace

std::string_view to_string(FigureKind kind) { return names[static_cast<std::size_t>(kind)]; }

std::optional<FigureKind> figure_named(std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return all_figures[static_cast<std::size_t>(found - names.begin())];
}

}  // namespace headlight
