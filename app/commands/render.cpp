#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "app/commands/commands.hpp"
#include "app/commands/session_of.hpp"
#include "app/platform/png.hpp"
#include "app/session/session.hpp"
#include "app/session/settings.hpp"
#include "app/shell/render_picture.hpp"

namespace headlight {
namespace {

constexpr int narrowest = 320;
constexpr int widest = 8192;

struct PictureSize {
  int width = 0;
  int height = 0;
};

PictureSize parse_size(const std::string& text) {
  PictureSize size;
  const char* const end = text.data() + text.size();
  const auto width = std::from_chars(text.data(), end, size.width);
  bool fits = width.ec == std::errc{} && width.ptr != end && (*width.ptr == 'x' || *width.ptr == 'X');
  if (fits) {
    const auto height = std::from_chars(width.ptr + 1, end, size.height);
    fits = height.ec == std::errc{} && height.ptr == end && std::min(size.width, size.height) >= narrowest &&
           std::max(size.width, size.height) <= widest;
  }
  if (!fits)
    throw InputError({"--size", "", text,
                      fmt::format("WIDTHxHEIGHT in pixels, each from {} to {}, as in 1440x900", narrowest, widest)});
  return size;
}

void require_scale(double scale) {
  if (std::find(ui_scales.begin(), ui_scales.end(), scale) != ui_scales.end()) return;
  throw InputError({"--scale", "", fmt::format("{}", scale), "1, 1.25, 1.5 or 2"});
}

ThemeName parse_theme(const std::string& name) {
  if (name == "dark") return ThemeName::dark;
  if (name == "light") return ThemeName::light;
  throw InputError({"--theme", "", name, "dark or light"});
}

View parse_view(const std::string& name) {
  if (const auto view = view_named(name)) return *view;
  throw InputError({"--view", "", name, "pipeline, heads, tokens or compare"});
}

TensorId parse_tensor(const std::string& text, const Setup& setup) {
  const auto tensor = tensor_named(text);
  if (tensor && exists(*tensor, setup)) return *tensor;
  std::string names;
  for (const TensorInfo& info : all_tensors())
    if (exists(info.id, setup)) names += fmt::format("{}{}", names.empty() ? "" : ", ", info.name);
  throw InputError({"--tensor", "", text, "one of " + names});
}

void require_head(Index head, const Setup& setup) {
  if (head >= 0 && head < setup.sizes.heads) return;
  throw InputError({"--head", "", fmt::format("{}", head), fmt::format("a head from 0 to {}", setup.sizes.heads - 1)});
}

void require_png(const std::filesystem::path& output) {
  if (output.extension() != ".png") throw InputError({"-o", "", output.string(), "a file name that ends in .png"});
}

}  // namespace

int render(const What& what, const RenderOptions& options) {
  require_png(options.output);
  const PictureSize size = parse_size(options.size);
  require_scale(options.scale);
  const bool chooses_view = !options.view.empty();
  const View view = chooses_view ? parse_view(options.view) : View::pipeline;
  Session session = view == View::compare ? compared_session_of(what) : session_of(what);
  Display display = session.display();
  display.appearance.theme = parse_theme(options.theme);
  display.appearance.scale = options.scale;
  session.set_display(display);
  if (chooses_view) session.show(view);
  if (options.head) {
    require_head(*options.head, session.setup());
    session.select_head(*options.head);
  }
  if (!options.tensor.empty()) session.select_tensor(parse_tensor(options.tensor, session.setup()));
  const PictureNotes notes = picture_notes(session);
  const Image picture = render_picture(std::move(session), size.width, size.height);
  write_png(options.output, picture, notes);
  return done;
}

}  // namespace headlight
