#include "app/figures/figure.hpp"

#include "app/session/export/export_job.hpp"

namespace headlight {

Figure figure_of(const ExportJob& job) {
  const ExportChoices& choices = job.choices;
  Figure figure;
  figure.what = choices.figure();
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
  if (choices.size == ExportSize::own && is_window(figure.what)) {
    const WindowSize window = enlarged(own_window(job), choices.scale);
    figure.size = PageSize{window.pixels[0], window.pixels[1], LengthUnit::pixels};
    figure.scale = window.scale;
  }
  return figure;
}

}  // namespace headlight
