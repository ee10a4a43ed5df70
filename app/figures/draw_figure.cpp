#include "app/figures/draw_figure.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "app/export/svg.hpp"
#include "app/figures/fitted_surface.hpp"
#include "app/platform/png.hpp"
#include "app/session/settings.hpp"
#include "core/formats/files.hpp"
#include "core/problem.hpp"

namespace headlight {
namespace {

std::string title_of(const Session& session) {
  const std::string& title = session.lecture() ? session.lecture()->title : session.setup().title;
  return title.empty() ? "Headlight" : title;
}

constexpr std::array<std::string_view, 2> endings{".png", ".svg"};

}  // namespace

Image draw_pixels(Session& session, const Figure& figure) {
  return FittedSurface(session, figure).pixels();
}

DisplayList draw_shapes(Session& session, const Figure& figure) {
  return FittedSurface(session, figure).shapes();
}

void require_picture_ending(const std::filesystem::path& path) {
  if (std::find(endings.begin(), endings.end(), path.extension().string()) != endings.end()) return;
  throw InputError({"-o", "", path.string(), "a file name that ends in .png or .svg"});
}

void write_figure(const std::filesystem::path& path, Session& session, const Figure& figure) {
  require_picture_ending(path);
  replaced_file(path);  // says at once where nothing can be written
  FittedSurface fitted(session, figure);
  if (path.extension() == ".png") {
    write_png(path, fitted.pixels(), picture_notes(session));
    return;
  }
  write_file(path, to_svg(fitted.shapes(), {fitted.page(), title_of(session)}));
}

}  // namespace headlight
