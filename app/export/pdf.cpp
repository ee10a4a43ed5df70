#include "app/export/vector_picture.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <stdexcept>

#include <cairo-pdf.h>

#include "app/export/pdf_fonts.hpp"
#include "app/shaping/destroyer.hpp"
#include "core/text/characters.hpp"

namespace headlight {
namespace {

constexpr double points_per_pixel = 0.75;
constexpr double points_per_centimetre = 72 / 2.54;

using CairoSurface = Owned<cairo_surface_t, cairo_surface_destroy>;
using CairoPattern = Owned<cairo_pattern_t, cairo_pattern_destroy>;
using Cairo = Owned<cairo_t, cairo_destroy>;

void require(cairo_status_t status) {
  if (status != CAIRO_STATUS_SUCCESS) throw std::runtime_error(cairo_status_to_string(status));
}

double wide(float v) { return static_cast<double>(v); }

/// Whether the cells of a heatmap touch. They are then drawn with a small overlap, because PDF viewers otherwise show
/// the background in thin lines between them.
bool touching(const CellsShape& cells) {
  return cells.cells.size() > 1 && cells.cells[1].r.x - cells.cells[0].r.right() < 0.01f &&
         cells.cells[1].r.y - cells.cells[0].r.bottom() < 0.01f;
}

std::uint32_t premultiplied(Color color) {
  const auto channel = [&](std::uint8_t v) { return static_cast<std::uint32_t>((v * color.a + 127) / 255); };
  return static_cast<std::uint32_t>(color.a) << 24 | channel(color.r) << 16 | channel(color.g) << 8 | channel(color.b);
}

class Pen {
 public:
  explicit Pen(cairo_t* cairo) : cairo_(cairo) {}

  void draw(const DisplayList& drawing) {
    if (drawing.ground) {
      const Color ground = *drawing.ground;
      cairo_set_source_rgb(cairo_, ground.r / 255.0, ground.g / 255.0, ground.b / 255.0);
      cairo_paint(cairo_);
    }
    for (const Drawn& drawn : drawing.drawn) draw(drawn);
  }

  void draw(const Drawn& drawn) {
    cairo_save(cairo_);
    const Rect bounds = bounds_of(drawn.shape);
    const Rect shown = bounds.intersected(drawn.clip);
    if (std::abs(shown.w - bounds.w) > 0.01f || std::abs(shown.h - bounds.h) > 0.01f) {
      add(drawn.clip);
      cairo_clip(cairo_);
    }
    std::visit([this](const auto& shape) { draw(shape); }, drawn.shape);
    cairo_restore(cairo_);
  }

 private:
  void ink(Color color) {
    cairo_set_source_rgba(cairo_, color.r / 255.0, color.g / 255.0, color.b / 255.0, color.a / 255.0);
  }

  void add(const Rect& r, float radius = 0) {
    const double most = wide(std::min({radius, r.w / 2, r.h / 2}));
    if (most <= 0) return cairo_rectangle(cairo_, wide(r.x), wide(r.y), wide(r.w), wide(r.h));
    constexpr double quarter = std::numbers::pi / 2;
    const double left = wide(r.x) + most;
    const double right = wide(r.right()) - most;
    const double top = wide(r.y) + most;
    const double bottom = wide(r.bottom()) - most;
    cairo_new_sub_path(cairo_);
    cairo_arc(cairo_, right, top, most, -quarter, 0);
    cairo_arc(cairo_, right, bottom, most, 0, quarter);
    cairo_arc(cairo_, left, bottom, most, quarter, 2 * quarter);
    cairo_arc(cairo_, left, top, most, 2 * quarter, 3 * quarter);
    cairo_close_path(cairo_);
  }

  void paint(Color color, float width) {
    ink(color);
    if (width <= 0) return cairo_fill(cairo_);
    cairo_set_line_width(cairo_, wide(width));
    cairo_stroke(cairo_);
  }

  void draw(const BoxShape& box) {
    add(box.r, box.radius);
    paint(box.color, box.width);
  }

  void draw(const PathShape& path) {
    const auto& p = path.points;
    cairo_move_to(cairo_, wide(p[0].x), wide(p[0].y));
    if (path.curve)
      cairo_curve_to(cairo_, wide(p[1].x), wide(p[1].y), wide(p[2].x), wide(p[2].y), wide(p[3].x), wide(p[3].y));
    else
      for (std::size_t i = 1; i < p.size(); ++i) cairo_line_to(cairo_, wide(p[i].x), wide(p[i].y));
    if (path.closed) cairo_close_path(cairo_);
    paint(path.color, path.width);
  }

  void draw(const CircleShape& circle) {
    cairo_arc(cairo_, wide(circle.center.x), wide(circle.center.y), wide(circle.radius), 0, 2 * std::numbers::pi);
    paint(circle.color, circle.width);
  }

  void draw(const TextShape& text) {
    ink(text.color);
    cairo_save(cairo_);
    cairo_translate(cairo_, wide(text.baseline.x), wide(text.baseline.y));
    cairo_rotate(cairo_, -wide(text.turn));
    cairo_translate(cairo_, -wide(text.baseline.x), -wide(text.baseline.y));
    fonts_.show(cairo_, text);
    cairo_restore(cairo_);
  }

  void draw(const HatchShape& hatch) {
    for (const Rect& r : hatch.rects) add(r, hatch.radius);
    cairo_clip(cairo_);
    ink(hatch.ground);
    cairo_paint(cairo_);
    const Rect all = bounds_of(hatch);
    const double step = wide(hatch.spacing) * std::numbers::sqrt2;
    const double top = wide(all.y) - 1;
    const double bottom = wide(all.bottom()) + 1;
    for (double sum = std::floor(wide(all.x + all.y) / step) * step; sum <= wide(all.right() + all.bottom()) + step;
         sum += step) {
      cairo_move_to(cairo_, sum - top, top);
      cairo_line_to(cairo_, sum - bottom, bottom);
    }
    paint(hatch.ink, hatch.line_width);
  }

  void draw(const StripShape& strip) {
    const CairoPattern gradient(cairo_pattern_create_linear(wide(strip.r.x), 0, wide(strip.r.right()), 0));
    const auto count = static_cast<double>(strip.colors.size());
    for (std::size_t i = 0; i < strip.colors.size(); ++i) {
      const Color color = strip.colors[i];
      cairo_pattern_add_color_stop_rgba(gradient.get(), (static_cast<double>(i) + 0.5) / count, color.r / 255.0,
                                        color.g / 255.0, color.b / 255.0, color.a / 255.0);
    }
    add(strip.r);
    cairo_set_source(cairo_, gradient.get());
    cairo_fill(cairo_);
  }

  void draw(const CellsShape& cells) {
    const float overlap = touching(cells) ? 0.3f : 0;
    for (const CellsShape::Cell& cell : cells.cells) {
      add({cell.r.x, cell.r.y, cell.r.w + overlap, cell.r.h + overlap}, cells.radius);
      paint(cell.color, 0);
    }
  }

  void draw(const PixelsShape& pixels) {
    const CairoSurface image(cairo_image_surface_create(CAIRO_FORMAT_ARGB32, pixels.columns, pixels.rows));
    require(cairo_surface_status(image.get()));
    const int stride = cairo_image_surface_get_stride(image.get());
    unsigned char* const rows = cairo_image_surface_get_data(image.get());
    std::size_t at = 0;
    for (int y = 0; y < pixels.rows; ++y) {
      auto* row = reinterpret_cast<std::uint32_t*>(rows + static_cast<std::ptrdiff_t>(y) * stride);
      for (int x = 0; x < pixels.columns; ++x) row[x] = premultiplied(pixels.colors[at++]);
    }
    cairo_surface_mark_dirty(image.get());
    cairo_translate(cairo_, wide(pixels.r.x), wide(pixels.r.y));
    cairo_scale(cairo_, wide(pixels.r.w) / pixels.columns, wide(pixels.r.h) / pixels.rows);
    cairo_set_source_surface(cairo_, image.get(), 0, 0);
    cairo_pattern_set_filter(cairo_get_source(cairo_), CAIRO_FILTER_NEAREST);
    cairo_rectangle(cairo_, 0, 0, pixels.columns, pixels.rows);
    cairo_fill(cairo_);
  }

  cairo_t* cairo_;
  PdfFonts fonts_;
};

cairo_status_t append(void* bytes, const unsigned char* data, unsigned length) {
  static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(data), length);
  return CAIRO_STATUS_SUCCESS;
}

}  // namespace

std::string to_pdf(const DisplayList& drawing, const VectorOptions& options) {
  const PageSize& size = options.size;
  const double unit = size.unit == LengthUnit::centimetres ? points_per_centimetre : points_per_pixel;
  std::string bytes;
  const CairoSurface surface(
      cairo_pdf_surface_create_for_stream(append, &bytes, size.width * unit, size.height * unit));
  require(cairo_surface_status(surface.get()));
  cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_TITLE, writable(options.title).c_str());
  cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_CREATOR, "Headlight");
  cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_CREATE_DATE,
                                 "");  // no date, so that the same drawing gives the same bytes
  {
    const Cairo cairo(cairo_create(surface.get()));
    cairo_scale(cairo.get(), size.width * unit / wide(drawing.width), size.height * unit / wide(drawing.height));
    Pen(cairo.get()).draw(drawing);
    cairo_show_page(cairo.get());
    require(cairo_status(cairo.get()));
  }
  cairo_surface_finish(surface.get());
  require(cairo_surface_status(surface.get()));
  return bytes;
}

}  // namespace headlight
