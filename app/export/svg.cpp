#include "app/export/vector_picture.hpp"

#include <cmath>
#include <map>
#include <numbers>
#include <sstream>
#include <string_view>
#include <tuple>

#include <fmt/format.h>
#include <pugixml.hpp>

#include "app/export/font_subset.hpp"
#include "app/platform/pictures/png.hpp"
#include "core/text/base64.hpp"
#include "core/text/characters.hpp"

namespace headlight {
namespace {

constexpr float sqrt_2 = 1.41421356f;

/// The number rounded to hundredths of a pixel, without zeros at its end.
std::string number(double v) {
  std::string text = fmt::format("{:.2f}", v);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string length(double v, LengthUnit unit) {
  return unit == LengthUnit::centimetres ? fmt::format("{:.6g}cm", v) : fmt::format("{:.6g}", v);
}

void set(pugi::xml_node node, const char* name, std::string_view value) {
  node.append_attribute(name).set_value(std::string(value).c_str());
}
void set(pugi::xml_node node, const char* name, float value) { set(node, name, number(static_cast<double>(value))); }

void set_rect(pugi::xml_node node, const Rect& r) {
  set(node, "x", r.x);
  set(node, "y", r.y);
  set(node, "width", r.w);
  set(node, "height", r.h);
}

/// Sets the attribute "fill" or "stroke", and its opacity if the colour is not opaque.
void set_color(pugi::xml_node node, const char* what, Color color) {
  set(node, what, to_hex({color.r, color.g, color.b, 255}));
  if (color.a < 255) set(node, (std::string(what) + "-opacity").c_str(), fmt::format("{:.3g}", color.a / 255.0));
}

void set_paint(pugi::xml_node node, Color color, float stroke_width) {
  if (stroke_width <= 0) return set_color(node, "fill", color);
  set(node, "fill", "none");
  set_color(node, "stroke", color);
  set(node, "stroke-width", stroke_width);
}

/// The name in quotes, which it must not hold itself.
std::string quoted(std::string_view family) {
  std::string name(family);
  std::erase_if(name, [](char c) { return c == '\'' || c == '"' || c == '\\'; });
  return fmt::format("'{}'", name);
}

bool is_of_system(const FontFace& face, const FontFace& own) { return &face != &own && &face != &fallback_face(); }

/// The families for a text whose style has this face, and which uses these faces.
std::string families_of(const FontFace& own, const std::vector<UsedFace>& used) {
  std::string families = own.monospaced ? "'JetBrains Mono'" : std::string(own.family);
  families += ", " + quoted(fallback_face().family);
  for (const UsedFace& face : used)
    if (is_of_system(*face.face, own)) families += ", " + quoted(face.face->family);
  return families + (own.monospaced ? ", monospace" : ", sans-serif");
}

/// The text with marks around it that keep its direction, where the viewer would lay it out from left to right.
std::string with_direction(const std::string& text, Shaper& shaper) {
  const bool turned = needs_shaping(text) && shaper.shape(text, fallback_face(), fallback_face()).right_to_left;
  return turned ? "\u2067" + text + "\u2069" : text;
}

std::string data_url(std::string_view type, std::span<const unsigned char> bytes) {
  return fmt::format("data:{};base64,{}", type, to_base64(bytes));
}

class Writer {
 public:
  /// `prefix` begins the ids.
  Writer(pugi::xml_node root, pugi::xml_node definitions, std::string_view prefix)
      : root_(root), definitions_(definitions), into_(root), prefix_(prefix) {}

  void write(const Drawn& drawn) {
    enter(drawn);
    std::visit([this](const auto& shape) { write(shape); }, drawn.shape);
  }

 private:
  /// Chooses the group for the next shape. Consecutive shapes with the same clip share a group; a shape that its clip
  /// does not cut goes to the root.
  void enter(const Drawn& drawn) {
    const Rect bounds = bounds_of(drawn.shape);
    const Rect shown = bounds.intersected(drawn.clip);
    const bool cut = std::abs(shown.w - bounds.w) > 0.01f || std::abs(shown.h - bounds.h) > 0.01f;
    const std::string clip = cut ? clip_id(drawn.clip) : "";
    if (clip == clip_) return;
    clip_ = clip;
    into_ = root_;
    if (clip.empty()) return;
    into_ = root_.append_child("g");
    set(into_, "clip-path", fmt::format("url(#{})", clip));
  }

  std::string clip_id(const Rect& r) {
    const auto [found, added] =
        clips_.try_emplace({r.x, r.y, r.w, r.h}, fmt::format("{}clip{}", prefix_, clips_.size()));
    if (added) {
      pugi::xml_node clip = definitions_.append_child("clipPath");
      set(clip, "id", found->second);
      set_rect(clip.append_child("rect"), r);
    }
    return found->second;
  }

  void write(const BoxShape& box) {
    pugi::xml_node node = into_.append_child("rect");
    set_rect(node, box.r);
    if (box.radius > 0) set(node, "rx", box.radius);
    set_paint(node, box.color, box.width);
  }

  void write(const PathShape& path) {
    pugi::xml_node node = into_.append_child("path");
    std::string d;
    for (std::size_t i = 0; i < path.points.size(); ++i) {
      const char* command = i == 0 ? "M" : i > 1 ? " " : path.curve ? "C" : "L";
      d += fmt::format("{}{} {}", command, number(static_cast<double>(path.points[i].x)),
                       number(static_cast<double>(path.points[i].y)));
    }
    if (path.closed) d += "Z";
    set(node, "d", d);
    set_paint(node, path.color, path.width);
  }

  void write(const CircleShape& circle) {
    pugi::xml_node node = into_.append_child("circle");
    set(node, "cx", circle.center.x);
    set(node, "cy", circle.center.y);
    set(node, "r", circle.radius);
    set_paint(node, circle.color, circle.width);
  }

  void write(const TextShape& text) {
    pugi::xml_node node = into_.append_child("text");
    const float share = text.align == Align::left ? 0.0f : text.align == Align::right ? 1.0f : 0.5f;
    set(node, "x", text.baseline.x + share * text.width);
    set(node, "y", text.baseline.y);
    if (text.turn != 0)
      set(node, "transform",
          fmt::format("rotate({:.4g} {:.5g} {:.5g})", -text.turn * 180 / std::numbers::pi_v<float>, text.baseline.x,
                      text.baseline.y));
    if (text.align != Align::left) set(node, "text-anchor", text.align == Align::right ? "end" : "middle");
    const FontFace& face = face_of(text.style);
    set(node, "font-family", families_of(face, faces_in(text, coverages_, shaper_)));
    set(node, "font-size", text_size(text.style, text.script));
    if (face.weight != 400) set(node, "font-weight", std::to_string(face.weight));
    set_color(node, "fill", text.color);
    // No textLength if a character is missing in the program's fonts: the viewer's own font draws it, in its own width.
    const bool is_plain = !needs_shaping(text.text) && coverages_.has_all(text);
    if (is_plain && characters_of(text.text).size() > 1) {
      set(node, "textLength", text.width);
      set(node, "lengthAdjust", "spacingAndGlyphs");
    }
    if (text.text.front() == ' ' || text.text.back() == ' ' || text.text.find("  ") != std::string::npos)
      set(node, "xml:space", "preserve");
    node.text().set(with_direction(writable(text.text), shaper_).c_str());
  }

  void write(const HatchShape& hatch) {
    const std::string fill = fmt::format("url(#{})", hatch_id(hatch));
    pugi::xml_node group = hatch.rects.size() > 1 ? into_.append_child("g") : into_;
    for (const Rect& r : hatch.rects) {
      pugi::xml_node node = group.append_child("rect");
      set_rect(node, r);
      if (hatch.radius > 0) set(node, "rx", hatch.radius);
      set(node, "fill", fill);
    }
  }

  std::string hatch_id(const HatchShape& hatch) {
    const std::string key =
        fmt::format("{} {} {} {}", hatch.spacing, hatch.line_width, to_hex(hatch.ground), to_hex(hatch.ink));
    const auto [found, added] = hatches_.try_emplace(key, fmt::format("{}hatch{}", prefix_, hatches_.size()));
    if (!added) return found->second;
    const float tile = hatch.spacing * sqrt_2;
    pugi::xml_node pattern = definitions_.append_child("pattern");
    set(pattern, "id", found->second);
    set(pattern, "patternUnits", "userSpaceOnUse");
    // More digits than elsewhere: over hundreds of tiles a rounding error would tear the lines apart.
    set(pattern, "width", fmt::format("{:.6f}", tile));
    set(pattern, "height", fmt::format("{:.6f}", tile));
    pugi::xml_node ground = pattern.append_child("rect");
    set_rect(ground, {0, 0, tile + 0.01f, tile + 0.01f});
    set_color(ground, "fill", hatch.ground);
    pugi::xml_node lines = pattern.append_child("path");
    set(lines, "d",
        fmt::format("M-2 2L2 -2M0 {0:.6f}L{0:.6f} 0M{1:.6f} {2:.6f}L{2:.6f} {1:.6f}", tile, tile - 2, tile + 2));
    set_color(lines, "stroke", hatch.ink);
    set(lines, "stroke-width", hatch.line_width);
    return found->second;
  }

  void write(const StripShape& strip) {
    const std::string id = fmt::format("{}bar{}", prefix_, bars_++);
    pugi::xml_node gradient = definitions_.append_child("linearGradient");
    set(gradient, "id", id);
    const auto count = static_cast<double>(strip.colors.size());
    for (std::size_t i = 0; i < strip.colors.size(); ++i) {
      pugi::xml_node stop = gradient.append_child("stop");
      set(stop, "offset", fmt::format("{:.5g}", (static_cast<double>(i) + 0.5) / count));
      set_color(stop, "stop-color", strip.colors[i]);
    }
    pugi::xml_node node = into_.append_child("rect");
    set(node, "class", "color-bar");
    set_rect(node, strip.r);
    set(node, "fill", fmt::format("url(#{})", id));
  }

  void write(const CellsShape& cells) {
    pugi::xml_node group = into_.append_child("g");
    set(group, "class", "cells");
    // Without antialiasing, so that the background does not show through between cells that touch.
    if (cells.radius <= 0) set(group, "shape-rendering", "crispEdges");
    for (const CellsShape::Cell& cell : cells.cells) {
      pugi::xml_node node = group.append_child("rect");
      set_rect(node, cell.r);
      if (cells.radius > 0) set(node, "rx", cells.radius);
      set_color(node, "fill", cell.color);
    }
  }

  void write(const PixelsShape& pixels) {
    Image image(pixels.columns, pixels.rows);
    for (int y = 0, at = 0; y < image.height; ++y)
      for (int x = 0; x < image.width; ++x) image.set(x, y, pixels.colors[static_cast<std::size_t>(at++)]);
    pugi::xml_node node = into_.append_child("image");
    set(node, "class", "cells");
    set_rect(node, pixels.r);
    set(node, "preserveAspectRatio", "none");
    set(node, "style", "image-rendering:crisp-edges;image-rendering:pixelated");
    const std::string url = data_url("image/png", encode_png(image));
    set(node, "xlink:href", url);
  }

  pugi::xml_node root_;
  pugi::xml_node definitions_;
  pugi::xml_node into_;
  std::string prefix_;
  Coverages coverages_;
  Shaper shaper_;
  std::string clip_;
  std::map<std::tuple<float, float, float, float>, std::string> clips_;
  std::map<std::string, std::string> hatches_;
  int bars_ = 0;
};

/// Draws into an SVG element; `styles` may be empty.
void fill(pugi::xml_node root, const DisplayList& drawing, const VectorOptions& options, std::string_view prefix,
          const std::string& styles) {
  set(root, "width", length(options.size.width, options.size.unit));
  set(root, "height", length(options.size.height, options.size.unit));
  set(root, "viewBox", fmt::format("0 0 {:.6g} {:.6g}", drawing.width, drawing.height));
  if (!options.title.empty()) root.append_child("title").text().set(writable(options.title).c_str());
  pugi::xml_node definitions = root.append_child("defs");
  if (!styles.empty()) definitions.append_child("style").text().set(styles.c_str());
  if (drawing.ground) {
    pugi::xml_node ground = root.append_child("rect");
    set(ground, "width", drawing.width);
    set(ground, "height", drawing.height);
    set_color(ground, "fill", *drawing.ground);
  }
  Writer writer(root, definitions, prefix);
  for (const Drawn& drawn : drawing.drawn) writer.write(drawn);
}

}  // namespace

std::string to_svg(const DisplayList& drawing, const VectorOptions& options) {
  pugi::xml_document document;
  pugi::xml_node root = document.append_child("svg");
  set(root, "xmlns", "http://www.w3.org/2000/svg");
  set(root, "xmlns:xlink", "http://www.w3.org/1999/xlink");
  fill(root, drawing, options, "", font_styles(drawing));
  std::ostringstream text;
  document.save(text, "", pugi::format_indent, pugi::encoding_utf8);
  return text.str();
}

std::string to_svg_element(const DisplayList& drawing, const VectorOptions& options, std::string_view prefix) {
  pugi::xml_document document;
  fill(document.append_child("svg"), drawing, options, prefix, {});
  std::ostringstream text;
  document.save(text, "", pugi::format_indent | pugi::format_no_declaration, pugi::encoding_utf8);
  return text.str();
}

std::string font_styles(const DisplayList& drawing) {
  std::string css =
      "text{font-kerning:none;font-variant-ligatures:none;font-feature-settings:\"calt\" 0;font-synthesis:none}";
  for (const UsedFace& used : used_faces(drawing)) {
    const std::vector<unsigned char> file = subset_of(used);
    if (!file.empty())
      css += fmt::format("@font-face{{font-family:{};font-weight:{};src:url({})}}", quoted(used.face->family),
                         used.face->weight, data_url("font/otf", file));
  }
  return css;
}

}  // namespace headlight
