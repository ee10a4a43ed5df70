#include "app/figures/draw_figure.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "app/export/pdf.hpp"
#include "app/export/svg.hpp"
#include "app/figures/fitted_surface.hpp"
#include "app/platform/pictures/png.hpp"
#include "app/session/settings/settings.hpp"
#include "core/formats/files.hpp"
#include "core/model/problem.hpp"

namespace headlight {
namespace {

std::string title_of(const Session& session) {
  const std::string& title = session.lecture() ? session.lecture()->title : session.setup().title;
  return title.empty() ? "Headlight" : title;
}

constexpr std::array<std::string_view, 3> endings{".png", ".svg", ".pdf"};

}  // namespace

Image draw_pixels(Session& session, const Figure& figure) { return FittedSurface(session, figure).pixels(); }

DisplayList draw_shapes(Session& session, const Figure& figure) { return FittedSurface(session, figure).shapes(); }

void require_picture_ending(const std::filesystem::path& path) {
  if (std::find(endings.begin(), endings.end(), path.extension().string()) != endings.end()) return;
  throw InputError({"-o", "", path.string(), "a file name that ends in .png, .svg or .pdf"});
}

void write_figure(const std::filesystem::path& path, Session& session, const Figure& figure,
                  const std::function<void(double fraction)>& report) {
  const auto reached = [&](double fraction) {
    if (report) report(fraction);
  };
  require_picture_ending(path);
  replaced_file(path);  // says at once where nothing can be written
  FittedSurface fitted(session, figure);
  reached(0.3);
  if (path.extension() == ".png") {
    const bool printed = fitted.page().unit == LengthUnit::centimetres;
    const Image pixels = fitted.pixels();
    reached(0.7);
    write_png(path, pixels, picture_notes(session), printed ? figure.dpi : 0);
    return;
  }
  const VectorOptions options{fitted.page(), title_of(session)};
  const DisplayList shapes = fitted.shapes();
  reached(0.7);
  write_file(path, path.extension() == ".svg" ? to_svg(shapes, options) : to_pdf(shapes, options));
}

}  // namespace headlight
