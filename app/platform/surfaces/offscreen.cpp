#include "app/platform/surfaces/offscreen.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include <imgui.h>

#include "app/platform/surfaces/framebuffer.hpp"
#include "app/platform/surfaces/offscreen_context.hpp"
#include "app/platform/surfaces/surface.hpp"
#include "app/ui/drawing/imgui_seam.hpp"
#include "core/text/characters.hpp"

namespace headlight {
namespace {

constexpr double frame_step = 1.0 / 60;

}  // namespace

struct Offscreen::Impl {
  App& app;
  OffscreenContext context;
  Surface surface;
  std::optional<Framebuffer> framebuffer;  ///< made when the first picture is needed; recording shapes needs none
  int width = 0;                           ///< device pixels
  int height = 0;
  float display_scale = 1;
  double time = 0;
  bool moves = false;
  bool rendered = false;  ///< the last frame is in the framebuffer
  FrameResult last;
  Input input;
  std::string typed;
  bool by_finger = false;

  explicit Impl(App& a) : app(a) {}

  Point size() const { return {static_cast<float>(width), static_cast<float>(height)}; }
  void make_current() {
    context.make_current();
    surface.make_current();
  }
  void set_size(int w, int h) {
    width = static_cast<int>(std::lround(static_cast<float>(w) * display_scale));
    height = static_cast<int>(std::lround(static_cast<float>(h) * display_scale));
    make_current();
    framebuffer.reset();
    rendered = false;
  }
  void frame(DisplayList* record = nullptr) {
    make_current();
    ImGui::GetIO().DeltaTime = static_cast<float>(frame_step);
    for (const char32_t character : characters_of(std::exchange(typed, {}))) imgui::type(character);
    SurfaceLook look = app.look();
    look.reduce_motion |= !moves;
    surface.prepare(look, display_scale, size());
    time += frame_step;
    input.by_finger = by_finger;
    last = surface.frame(app, std::exchange(input, {}), {time, frame_step}, record);
    rendered = false;
    if (surface.picture_wanted()) render();
  }
  /// Draws the pixels of the last frame only when a picture is asked for, because a long test script needs few of them.
  void render() {
    if (!framebuffer) framebuffer.emplace(width, height);
    framebuffer->bind();
    if (!rendered) surface.render();
    rendered = true;
  }
};

Offscreen::Offscreen(App& app, int width, int height, float scale) : impl_(std::make_unique<Impl>(app)) {
  impl_->display_scale = scale;
  impl_->set_size(width, height);
  imgui::start_input();
  impl_->surface.prepare(app.look(), scale, impl_->size());
}

Offscreen::~Offscreen() { impl_->make_current(); }

void Offscreen::resize(int width, int height) { impl_->set_size(width, height); }

void Offscreen::let_move(bool moves) { impl_->moves = moves; }

void Offscreen::frames(int count) {
  for (int i = 0; i < count; ++i) impl_->frame();
}

void Offscreen::settle(double limit) {
  frames(2);
  const double end = time() + limit;
  while (next_frame_in() <= frame_step && time() < end) frames();
}

void Offscreen::wait(double seconds) { frames(static_cast<int>(std::ceil(seconds / frame_step))); }

void Offscreen::move_mouse(Point to) {
  impl_->make_current();
  imgui::move_pointer(as_vec2(to * impl_->surface.scale()));
}
void Offscreen::use_finger() { impl_->by_finger = true; }
void Offscreen::press_mouse(MouseButton button) {
  impl_->make_current();
  imgui::set_button(static_cast<int>(button), true);
}
void Offscreen::release_mouse(MouseButton button) {
  impl_->make_current();
  imgui::set_button(static_cast<int>(button), false);
}

void Offscreen::click(Point at) {
  move_mouse(at);
  frames(2);  // it takes a frame until an item knows that the mouse is over it
  press_mouse();
  frames();
  release_mouse();
  frames();
}

void Offscreen::double_click(Point at) {
  click(at);
  press_mouse();
  impl_->input.second_click = true;
  frames();
  release_mouse();
  impl_->input.second_click = true;
  frames();
}

void Offscreen::drag(Point from, Point to, int steps, MouseButton button) {
  move_mouse(from);
  frames(2);
  press_mouse(button);
  frames();
  for (int i = 1; i <= steps; ++i) {
    move_mouse(from + (to - from) * (static_cast<float>(i) / static_cast<float>(steps)));
    frames();
  }
  release_mouse(button);
  frames();
}

void Offscreen::wheel(float notches) {
  impl_->make_current();
  imgui::turn_wheel(notches);
  frames();
}

void Offscreen::key(const Chord& chord) {
  impl_->make_current();
  imgui::set_modifiers(chord.ctrl, chord.shift, chord.alt);
  imgui::set_key(chord.key, true);
  impl_->input.keys.push_back({chord, false});
  frames();
  imgui::set_key(chord.key, false);
  imgui::set_modifiers(false, false, false);
  frames();
}

namespace {

/// The events of a key with its modifiers, and the letter that it types.
void tap(InputQueue& queue, const Chord& chord) {
  const Chord held{Key::none, chord.ctrl, chord.shift, chord.alt};
  const bool modified = chord.ctrl || chord.shift || chord.alt;
  if (modified) queue.add(KeyChange{held, KeyMove::down, true});
  queue.add(KeyChange{chord, KeyMove::down});
  if (!modified && chord.key >= Key::a && chord.key <= Key::z)
    queue.add(Typed{static_cast<unsigned>('a' + static_cast<int>(chord.key) - static_cast<int>(Key::a))});
  queue.add(KeyChange{chord, KeyMove::up});
  if (modified) queue.add(KeyChange{{}, KeyMove::up, true});
}

}  // namespace

int Offscreen::keys_at_once(std::span<const Chord> chords) {
  InputQueue queue;
  for (const Chord& chord : chords) tap(queue, chord);
  int drawn = 0;
  for (; queue.waits(); ++drawn) {
    impl_->make_current();
    for (const InputEvent& event : impl_->surface.take(queue, impl_->app, impl_->last)) {
      if (const auto* typed = std::get_if<Typed>(&event)) imgui::type(typed->character);
      const auto* key = std::get_if<KeyChange>(&event);
      if (key == nullptr) continue;
      imgui::set_modifiers(key->chord.ctrl, key->chord.shift, key->chord.alt);
      imgui::set_key(key->chord.key, key->change != KeyMove::up);
      if (key->change == KeyMove::down && !key->modifies) impl_->input.keys.push_back({key->chord, false});
    }
    frames();
  }
  return drawn;
}

void Offscreen::hold_ctrl(bool down) {
  impl_->make_current();
  imgui::set_modifiers(down, false, false);
}

void Offscreen::type(std::string_view utf8) {
  impl_->typed = utf8;
  frames(2);
}

void Offscreen::drop(std::vector<std::filesystem::path> files) {
  impl_->input.dropped_files = std::move(files);
  frames();
}

void Offscreen::close() {
  impl_->input.wants_to_close = true;
  frames();
}

Image Offscreen::picture() const {
  impl_->make_current();
  impl_->render();
  return read_pixels(impl_->width, impl_->height);
}

Image Offscreen::settled_picture() {
  settle();
  return picture();
}

DisplayList Offscreen::drawing(bool outlines) {
  DisplayList drawing;
  drawing.outlines = outlines;
  impl_->frame(&drawing);
  return drawing;
}

DisplayList Offscreen::settled_drawing(bool outlines) {
  settle();
  return drawing(outlines);
}

std::optional<Rect> Offscreen::item(std::string_view path) {
  for (const PlacedItem& item : items()) {
    const std::string& found = item.path;
    const bool ends = found.ends_with(path);
    if (ends && (found.size() == path.size() || found[found.size() - path.size() - 1] == '/')) return item.rect;
  }
  return {};
}

std::vector<PlacedItem> Offscreen::items() {
  UiMemory& memory = impl_->surface.ui_memory();
  memory.lists_items = true;
  frames();
  memory.lists_items = false;
  return memory.items;
}

std::vector<PlacedWords> Offscreen::words() {
  items();
  return impl_->surface.ui_memory().words;
}

void Offscreen::lengthen_words() { impl_->surface.ui_memory().longer_words = true; }

std::size_t Offscreen::tab_stops() const { return impl_->surface.ui_memory().tab_order.size(); }
std::string Offscreen::said() const { return impl_->surface.ui_memory().said; }

double Offscreen::time() const { return impl_->time; }
double Offscreen::next_frame_in() const { return impl_->last.next_frame_in; }
bool Offscreen::closed() const { return impl_->last.close; }
const HeatmapRenderer& Offscreen::heatmaps() const { return impl_->surface.heatmaps(); }

std::string Offscreen::clipboard() const {
  impl_->make_current();
  const char* text = ImGui::GetClipboardText();
  return text ? text : "";
}

}  // namespace headlight
