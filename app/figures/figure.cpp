#include "app/figures/figure.hpp"

#include <algorithm>

#include "app/session/export/export_job.hpp"

namespace headlight {
namespace {

constexpr std::array<std::string_view, all_figures.size()> figure_names{
    "window", "view", "heatmap", "heads", "equation", "tokens", "explanation", "curve", "play", "presenter"};

}  // namespace

std::string_view to_string(FigureKind kind) { return figure_names[static_cast<std::size_t>(kind)]; }

std::optional<FigureKind> figure_named(std::string_view name) {
  const auto found = std::find(figure_names.begin(), figure_names.end(), name);
  if (found == figure_names.end()) return std::nullopt;
  return all_figures[static_cast<std::size_t>(found - figure_names.begin())];
}

Figure figure_of(const ExportJob& job) {
  const ExportChoices& choices = job.choices;
  Figure figure;
  figure.kind = *figure_named(to_string(choices.figure()));
  figure.theme = choices.theme;
  figure.scale = choices.scale;
  figure.dpi = choices.dpi;
  figure.transparent = choices.transparent && choices.can_be_transparent();
  figure.zoom = job.snapshot.zoom;
  figure.played = choices.played;
  figure.measure = choices.measure;
  if (choices.size == ExportSize::pixels)
    figure.size = PageSize{choices.pixels[0], choices.pixels[1], LengthUnit::pixels};
  if (choices.size == ExportSize::centimetres)
    figure.size = PageSize{choices.centimetres[0], choices.centimetres[1], LengthUnit::centimetres};
  if (choices.size == ExportSize::own && is_window(figure.kind)) {
    const WindowPicture window = enlarged(job.window, choices.scale);
    figure.size = PageSize{window.pixels[0], window.pixels[1], LengthUnit::pixels};
    figure.scale = window.scale;
  }
  return figure;
}

}  // namespace headlight
