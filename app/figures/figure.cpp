#include "app/figures/figure.hpp"

#include <algorithm>

namespace headlight {
namespace {

constexpr std::array<std::string_view, all_figures.size()> figure_names{
    "window", "view", "heatmap", "heads", "equation", "tokens", "explanation", "curve", "play"};

}  // namespace

std::string_view to_string(FigureKind kind) { return figure_names[static_cast<std::size_t>(kind)]; }

std::optional<FigureKind> figure_named(std::string_view name) {
  const auto found = std::find(figure_names.begin(), figure_names.end(), name);
  if (found == figure_names.end()) return std::nullopt;
  return all_figures[static_cast<std::size_t>(found - figure_names.begin())];
}

}  // namespace headlight
