#include "app/figures/draw_figure.hpp"

#include <array>
#include <string>
#include <string_view>

#include "app/export/vector_picture.hpp"
#include "app/figures/fitted_surface.hpp"
#include "app/platform/pictures/png.hpp"
#include "app/session/export/export_forms.hpp"
#include "app/session/snapshot/snapshot.hpp"
#include "core/formats/files.hpp"
#include "core/model/problem.hpp"

namespace headlight {
namespace {

std::string title_of(const Session& session) {
  const std::string& title = session.lesson().lecture() ? session.lesson().lecture()->title : session.setup().title;
  return title.empty() ? "Headlight" : title;
}

/// A figure, its session and its surface, for the writer of one file.
struct Drawing {
  FittedSurface& surface;
  const Session& session;
  const Figure& figure;
  const std::function<void(double fraction)>& reached;

  Image pixels() const { return shown(surface.pixels()); }
  DisplayList shapes() const { return shown(surface.shapes()); }
  VectorOptions options() const { return {surface.page(), title_of(session)}; }

 private:
  /// Reports that the drawing is done: 0.7 of the work. The rest is writing the file.
  template <class Picture>
  Picture shown(Picture picture) const {
    reached(0.7);
    return picture;
  }
};

void write_pixels(const std::filesystem::path& path, const Drawing& drawing) {
  const bool printed = drawing.surface.page().unit == LengthUnit::centimetres;
  write_png(path, drawing.pixels(), picture_notes(drawing.session), printed ? drawing.figure.dpi : 0);
}

/// The function that writes a form of picture. `form` is the name of the form in export_forms.cpp.
struct PictureWriter {
  std::string_view form;
  void (*write)(const std::filesystem::path& path, const Drawing& drawing);
};
constexpr std::array writers{
    PictureWriter{"png", write_pixels},
    PictureWriter{"svg", [](const std::filesystem::path& path,
                            const Drawing& drawing) { write_file(path, to_svg(drawing.shapes(), drawing.options())); }},
    PictureWriter{"pdf", [](const std::filesystem::path& path,
                            const Drawing& drawing) { write_file(path, to_pdf(drawing.shapes(), drawing.options())); }},
};

const PictureWriter& writer_for(const std::filesystem::path& path) {
  if (const ExportForm* form = form_ending(FormKind::picture, path))
    for (const PictureWriter& writer : writers)
      if (writer.form == form->name) return writer;
  throw InputError({"-o", "", path.string(), "a file name that ends in " + endings_of(FormKind::picture)});
}

}  // namespace

Image draw_pixels(Session& session, const Figure& figure) { return FittedSurface(session, figure).pixels(); }

void require_picture_ending(const std::filesystem::path& path) { writer_for(path); }

void write_figure(const std::filesystem::path& path, Session& session, const Figure& figure,
                  const std::function<void(double fraction)>& report) {
  const std::function<void(double)> reached = [&](double fraction) {
    if (report) report(fraction);
  };
  const PictureWriter& writer = writer_for(path);
  if (figure.what == ExportWhat::presenter && writer.form != writers.front().form)
    throw InputError(
        {"-o", "", path.string(), "a file name that ends in .png: this window shows its slides as pixels"});
  replaced_file(path);  // throws before anything is drawn if the file cannot be written
  FittedSurface fitted(session, figure);
  reached(0.3);
  writer.write(path, {fitted, session, figure, reached});
}

}  // namespace headlight
