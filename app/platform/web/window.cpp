// The window in a page. The browser calls us for each event and each frame, so nothing here waits.
#include "app/platform/surfaces/window.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <emscripten.h>
#include <emscripten/html5.h>
#include <imgui.h>

#include "app/machine.hpp"
#include "app/platform/machine_error.hpp"
#include "app/platform/surfaces/input_queue.hpp"
#include "app/platform/surfaces/surface.hpp"
#include "app/ui/drawing/imgui_seam.hpp"
#include "app/ui/gestures.hpp"
#include "core/text/characters.hpp"

extern "C" {
void page_listen();
void page_title(const char* text);
void page_full_screen(int on);
int page_hidden();
void page_types(int on);
void page_cursor(const char* shape);
void page_copy(const char* text);
char* page_clipboard();
void page_read_clipboard();  // answers by page_pasted, now or later
void page_drawn(int settled);
void page_wake_soon();
void page_words(const char* html);
void page_ways_back(int count);
int page_is_touched();
}

namespace headlight {
namespace {

/// Frames drawn after every input, because hovering, opening and closing take a few frames to settle.
constexpr int frames_to_settle = 3;
/// Frames that a finger is over an item before it does anything: ImGui must know what is under it.
constexpr int frames_before_touch = 2;
/// The effect of a notch of the wheel, which converts fingers to notches: design pixels, and times as large.
constexpr float pixels_per_notch = 60;
constexpr float zoom_per_notch = 1.25F;
/// Seconds until the next frame of something that moves, as in an animation; a blinking caret takes longer.
constexpr double soon = 0.2;

double now() { return emscripten_get_now() / 1000; }

Key key_of(std::string_view key, std::string_view code) {
  const auto offset = [](Key first, int by) { return static_cast<Key>(static_cast<int>(first) + by); };
  if (key.size() == 1) {
    const char letter = static_cast<char>(key[0] >= 'A' && key[0] <= 'Z' ? key[0] - 'A' + 'a' : key[0]);
    if (letter >= 'a' && letter <= 'z') return offset(Key::a, letter - 'a');
    if (letter == '[') return Key::left_bracket;
    if (letter == ']') return Key::right_bracket;
  }
  if (code.size() == 6 && code.starts_with("Digit")) return offset(Key::digit_0, code[5] - '0');
  if (code.size() == 7 && code.starts_with("Numpad") && code[6] >= '0' && code[6] <= '9')
    return offset(Key::digit_0, code[6] - '0');
  if (code.size() == 4 && code.starts_with("Key")) return offset(Key::a, code[3] - 'A');
  if (key.size() >= 2 && key[0] == 'F' && key[1] >= '1' && key[1] <= '9')
    return offset(Key::f1, std::atoi(std::string(key.substr(1)).c_str()) - 1);
  constexpr std::array<std::pair<std::string_view, Key>, 25> named{{{"ArrowLeft", Key::left},
                                                                    {"ArrowRight", Key::right},
                                                                    {"ArrowUp", Key::up},
                                                                    {"ArrowDown", Key::down},
                                                                    {"PageUp", Key::page_up},
                                                                    {"PageDown", Key::page_down},
                                                                    {"Home", Key::home},
                                                                    {"End", Key::end},
                                                                    {"Space", Key::space},
                                                                    {"Enter", Key::enter},
                                                                    {"NumpadEnter", Key::enter},
                                                                    {"Escape", Key::escape},
                                                                    {"Tab", Key::tab},
                                                                    {"Backspace", Key::backspace},
                                                                    {"Delete", Key::delete_forward},
                                                                    {"Insert", Key::insert},
                                                                    {"BracketLeft", Key::left_bracket},
                                                                    {"BracketRight", Key::right_bracket},
                                                                    {"Minus", Key::minus},
                                                                    {"NumpadSubtract", Key::minus},
                                                                    {"Equal", Key::equal},
                                                                    {"NumpadAdd", Key::equal},
                                                                    {"Comma", Key::comma},
                                                                    {"Period", Key::period},
                                                                    {"Slash", Key::slash}}};
  const auto found = std::ranges::find(named, code, &std::pair<std::string_view, Key>::first);
  if (found != named.end()) return found->second;
  return code == "ContextMenu" ? Key::menu : Key::none;
}

bool only_modifies(std::string_view key) {
  constexpr std::array<std::string_view, 7> modifiers{"Control",  "Shift",    "Alt",    "Meta",
                                                      "AltGraph", "CapsLock", "NumLock"};
  return std::ranges::find(modifiers, key) != modifiers.end();
}

// Modifiers as page.js tells them.
constexpr int told_ctrl = 1, told_shift = 2, told_alt = 4;

Chord chord_of(const char* key, const char* code, int modifiers) {
  return {key_of(key, code), (modifiers & told_ctrl) != 0, (modifiers & told_shift) != 0, (modifiers & told_alt) != 0};
}

/// Buttons by ImGui's numbers: left, right, middle.
int button_of(int in_browser) { return in_browser == 1 ? 2 : in_browser == 2 ? 1 : in_browser; }

const char* cursor_shape(ImGuiMouseCursor cursor) {
  switch (cursor) {
    case ImGuiMouseCursor_TextInput: return "text";
    case ImGuiMouseCursor_Hand: return "pointer";
    case ImGuiMouseCursor_ResizeEW: return "ew-resize";
    case ImGuiMouseCursor_ResizeNS: return "ns-resize";
    case ImGuiMouseCursor_ResizeAll: return "move";
    case ImGuiMouseCursor_NotAllowed: return "not-allowed";
    default: return "default";
  }
}

/// The app in the page. It is there until the browser closes the page.
class Page {
 public:
  explicit Page(std::shared_ptr<App> app) : app_(std::move(app)) {
    imgui::start_input();
    ImGuiIO& io = ImGui::GetIO();
    io.SetClipboardTextFn = [](void*, const char* text) { page_copy(text); };
    io.ClipboardUserData = this;
    io.GetClipboardTextFn = [](void* page) {
      char* const text = page_clipboard();
      std::string& pasted = static_cast<Page*>(page)->pasted_;
      pasted = text;
      std::free(text);
      return pasted.c_str();
    };
  }

  App& app() { return *app_; }
  void stir() {
    frames_due_ = frames_to_settle;
    ask_for_frame();
  }
  void restore() {
    surface_.restore();
    stir();
  }
  void stir_if_changed() {
    if (app_->changed_outside()) stir();
  }
  void move_mouse(Point at) {
    by_finger_ = false;
    mouse_ = at;
    point(at);
  }
  void lift_mouse() {
    mouse_.reset();
    imgui::remove_pointer();
  }
  void press(int button, bool down) {
    // Frames find the pointer at the finger by themselves.
    events_.press(button, down, now(), by_finger_ ? std::nullopt : mouse_);
  }
  /// A finger, in device pixels.
  void touch(PointerEvent::Kind kind, int finger, Point at) {
    by_finger_ = true;
    const float scale = surface_.scale();
    touches_.push_back({kind, true, finger, {at.x / scale, at.y / scale}, now()});
  }
  void add(const InputEvent& event) { events_.add(event); }
  /// As Escape, where something is open over the rest; else a step.
  void go_back() {
    if (app_->ways_back().covers == 0) return app_->step_back();
    for (const KeyMove move : {KeyMove::down, KeyMove::up}) add(KeyChange{Chord{Key::escape}, move, false});
  }
  void drop(std::string path) { input_.dropped_files.emplace_back(std::move(path)); }
  void frame();

 private:
  void ask_for_frame() {
    if (std::exchange(frame_asked_, true)) return;
    emscripten_request_animation_frame(
        [](double, void* page) {
          static_cast<Page*>(page)->frame_asked_ = false;
          static_cast<Page*>(page)->frame();
          return false;
        },
        this);
  }
  void wait_for_next();
  void turn_wheel(const WheelTurn& turn);
  static void point(Point at) { imgui::move_pointer({at.x, at.y}); }
  void return_mouse();
  void pass_on_events();
  void do_later(const std::vector<Deed>& deeds) { deeds_.insert(deeds_.end(), deeds.begin(), deeds.end()); }
  void take_touches();
  void do_deeds();
  bool has_done(const Deed& deed);
  /// Whether it isn't where a finger has last put the pointer.
  bool is_elsewhere(Point at) const { return std::hypot(at.x - finger_at_.x, at.y - finger_at_.y) > finger_strays; }

  std::shared_ptr<App> app_;
  Surface surface_;
  Input input_;
  InputQueue events_;
  FrameResult last_;
  std::string title_;
  std::string pasted_;
  const char* cursor_ = "";
  int frames_due_ = frames_to_settle;
  Gestures gestures_;
  std::deque<PointerEvent> touches_;  ///< until frames have found out what is under the finger
  std::deque<Deed> deeds_;            ///< of fingers, until a frame does them
  std::optional<Point> mouse_;        ///< as the events so far tell
  bool mouse_was_away_ = false;       ///< the last frame had it where a button was pressed
  Point finger_at_;
  int frames_over_ = 0;                      ///< since a finger has moved the pointer
  bool by_finger_ = page_is_touched() != 0;  ///< where fingers are all that there is, before the first one comes
  float zoomed_ = 0;                         ///< notches that are not whole yet
  Chord held_;                               ///< the last key, with the modifiers that have been down since
  bool lent_modifiers_ = false;              ///< the last frame had those of the wheel
  bool covers_ = false;
  bool types_ = false;
  int ways_back_ = 0;
  bool frame_asked_ = false;
  double before_ = now();
  int timer_ = 0;
};

/// The meaning of a moving finger depends on what is under it, so its moves wait until frames have found that out.
void Page::take_touches() {
  while (!touches_.empty() && deeds_.empty()) {
    const PointerEvent touch = touches_.front();
    if (touch.kind != PointerEvent::Kind::down && frames_over_ < frames_before_touch) return;
    touches_.pop_front();
    do_later(gestures_.take(touch, app_->drag_use()));
  }
}

/// Carries out what fingers have asked for, in order, and no more than one frame can take.
void Page::do_deeds() {
  ++frames_over_;
  if (std::exchange(lent_modifiers_, false)) imgui::set_modifiers(held_.ctrl, held_.shift, held_.alt);
  take_touches();
  do_later(gestures_.rest_until(touches_.empty() ? now() : touches_.front().time, app_->drag_use()));
  bool moved = false, scrolled = false;
  for (; !deeds_.empty(); take_touches()) {
    const Deed deed = deeds_.front();
    const auto* const to = std::get_if<PointTo>(&deed);
    const bool is_to_move = to != nullptr;
    if (!is_to_move && frames_over_ < frames_before_touch) break;
    // A dragged item must get its last position in a frame before the button is released.
    if (moved && std::holds_alternative<PressButton>(deed)) break;
    if (scrolled && is_to_move && is_elsewhere(to->at)) break;  // what scrolls is where the pointer is in this frame
    deeds_.pop_front();
    moved |= is_to_move;
    scrolled |= std::holds_alternative<ScrollBy>(deed);
    if (!has_done(deed)) continue;
    if (is_to_move) frames_over_ = 0;
    break;
  }
  if (!deeds_.empty() || !touches_.empty()) frames_due_ = frames_to_settle;
}

/// Whether the frame has enough then.
bool Page::has_done(const Deed& deed) {
  const float scale = surface_.scale();
  if (const auto* to = std::get_if<PointTo>(&deed)) {
    point({to->at.x * scale, to->at.y * scale});
    const bool leaves = is_elsewhere(to->at);
    finger_at_ = to->at;
    return leaves && !ImGui::GetIO().MouseDown[0];
  }
  if (const auto* button = std::get_if<PressButton>(&deed)) {
    press(button->button, button->down);
    return true;
  }
  if (const auto* scroll = std::get_if<ScrollBy>(&deed)) {
    turn_wheel({scroll->by.x / pixels_per_notch, scroll->by.y / pixels_per_notch, held_.ctrl, held_.shift, held_.alt});
    return false;
  }
  zoomed_ += std::log(std::get<ZoomBy>(deed).factor) / std::log(zoom_per_notch);
  const float notches = std::trunc(zoomed_);
  if (notches == 0) return false;
  zoomed_ -= notches;
  turn_wheel({0, notches, true, held_.shift, held_.alt});
  return true;
}

/// Its modifiers hold for one frame: a pinch has Ctrl, and no key will go up after it.
void Page::turn_wheel(const WheelTurn& turn) {
  imgui::set_modifiers(turn.ctrl, turn.shift, turn.alt);
  ImGui::GetIO().AddMouseWheelEvent(turn.x, turn.y);
  lent_modifiers_ = true;
}

void Page::return_mouse() {
  if (mouse_) point(*mouse_);
  else imgui::remove_pointer();
}

void Page::pass_on_events() {
  if (std::exchange(mouse_was_away_, false)) return_mouse();
  for (const InputEvent& event : surface_.take(events_, *app_, last_)) {
    if (const auto* button = std::get_if<ButtonChange>(&event)) {
      input_.second_click = button->second;
      mouse_was_away_ = button->at.has_value();
      if (button->at) point(*button->at);
      imgui::set_button(button->button, button->down);
    } else if (const auto* typed = std::get_if<Typed>(&event)) {
      ImGui::GetIO().AddInputCharacter(typed->character);
    } else if (const auto* turn = std::get_if<WheelTurn>(&event)) {
      turn_wheel(*turn);
    } else {
      const auto& change = std::get<KeyChange>(event);
      const Chord& chord = held_ = change.chord;
      imgui::set_modifiers(chord.ctrl, chord.shift, chord.alt);
      if (chord.key == Key::none) continue;
      imgui::set_key(chord.key, change.change != KeyMove::up);
      if (change.change != KeyMove::up) input_.keys.push_back({chord, change.change == KeyMove::repeat});
    }
  }
  if (events_.waits() || mouse_was_away_) frames_due_ = frames_to_settle;
}

void Page::frame() {
  const double start = now();
  int width = 1, height = 1;
  emscripten_get_canvas_element_size("#canvas", &width, &height);
  const Point pixels{static_cast<float>(width), static_cast<float>(height)};
  frames_due_ = std::max(0, frames_due_ - 1);
  const SurfaceLook look = app_->look();
  if (look.full_screen != covers_) page_full_screen(covers_ = look.full_screen);
  const float scale = std::max(1.0f, std::round(static_cast<float>(emscripten_get_device_pixel_ratio()) * 4) / 4);
  surface_.prepare(look, scale, pixels);
  ImGuiIO& io = ImGui::GetIO();
  do_deeds();
  pass_on_events();
  // The page's clock may not move between two frames; ImGui needs a step.
  const double step = std::clamp(start - std::exchange(before_, start), 0.0001, 0.05);
  io.DeltaTime = static_cast<float>(step);
  input_.by_finger = by_finger_;
  last_ = surface_.frame(*app_, std::exchange(input_, {}), {start, step});
  surface_.render();
  if (app_->title() != title_) page_title((title_ = app_->title()).c_str());
  if (const char* shape = cursor_shape(ImGui::GetMouseCursor()); shape != cursor_) page_cursor(cursor_ = shape);
  if (const bool types = ImGui::GetIO().WantTextInput || last_.awaits_keyboard; types != types_)
    page_types(types_ = types);
  if (const int ways = app_->ways_back().count(); ways != ways_back_) page_ways_back(ways_back_ = ways);
  const bool goes_on = frames_due_ > 0 || gestures_.glides() || last_.next_frame_in <= 0;
  if (const auto words = app_->new_words()) page_words(words->c_str());
  page_drawn(!goes_on && last_.next_frame_in > soon);
  if (goes_on) ask_for_frame();
  else wait_for_next();
}

/// Sleeps until the next frame or the next look at what is outside.
void Page::wait_for_next() {
  const double watch = app_->watch_interval();
  const double rested = gestures_.due() ? std::max(0.0, *gestures_.due() - now()) : INFINITY;
  const double sleep = std::min({last_.next_frame_in, watch, rested});
  if (timer_ != 0) emscripten_clear_timeout(timer_);
  timer_ = 0;
  if (std::isinf(sleep)) return;
  timer_ = emscripten_set_timeout(
      [](void* it) {
        auto& page = *static_cast<Page*>(it);
        page.timer_ = 0;
        if (page_hidden()) return page.wait_for_next();
        if (page.gestures_.due() && now() >= *page.gestures_.due()) return page.stir();
        if (page.last_.next_frame_in <= page.app_->watch_interval()) return page.ask_for_frame();
        if (page.app_->changed_outside()) return page.stir();
        page.wait_for_next();
      },
      std::max(1.0, sleep * 1000), this);
}

/// The browser knows no object of ours, so there is one page for the whole program.
Page* the_page = nullptr;

/// Gets the clipboard's text when the browser gives it out.
std::function<void(const std::string&)> awaits_text;

}  // namespace

extern "C" {
/// `what`: 0 the pointer moved, 1 a button went down, 2 it went up, 3 the pointer left.
EMSCRIPTEN_KEEPALIVE void page_pointer(int what, double x, double y, int button) {
  if (what == 3) the_page->lift_mouse();
  else the_page->move_mouse({static_cast<float>(x), static_cast<float>(y)});
  if (what == 1 || what == 2) the_page->press(button_of(button), what == 1);
  the_page->stir();
}
/// `kind`: 0 a finger comes down, 1 it moves, 2 it goes up, 3 the browser takes it away.
EMSCRIPTEN_KEEPALIVE void page_finger(int kind, int finger, double x, double y) {
  the_page->touch(static_cast<PointerEvent::Kind>(kind), finger, {static_cast<float>(x), static_cast<float>(y)});
  the_page->stir();
}
EMSCRIPTEN_KEEPALIVE void page_wheel(double x, double y, int modifiers) {
  the_page->add(WheelTurn{static_cast<float>(x), static_cast<float>(y), (modifiers & told_ctrl) != 0,
                          (modifiers & told_shift) != 0, (modifiers & told_alt) != 0});
  the_page->stir();
}
EMSCRIPTEN_KEEPALIVE void page_key(int down, const char* key, const char* code, int modifiers, int repeat) {
  const KeyMove change = down == 0 ? KeyMove::up : repeat != 0 ? KeyMove::repeat : KeyMove::down;
  the_page->add(KeyChange{chord_of(key, code, modifiers), change, only_modifies(key)});
  the_page->stir();
}
EMSCRIPTEN_KEEPALIVE void page_text(const char* text) {
  for (const char32_t character : characters_of(text)) the_page->add(Typed{static_cast<unsigned>(character)});
  the_page->stir();
}
EMSCRIPTEN_KEEPALIVE void page_back() {
  the_page->go_back();
  the_page->stir();
}
EMSCRIPTEN_KEEPALIVE void page_pasted(const char* text) {
  if (const auto take = std::exchange(awaits_text, nullptr)) take(text);
}
EMSCRIPTEN_KEEPALIVE void page_file(const char* path) {
  the_page->drop(path);
  the_page->stir();
}
EMSCRIPTEN_KEEPALIVE int page_uses_key(const char* key, const char* code, int modifiers) {
  return the_page->app().uses_key(chord_of(key, code, modifiers)) ? 1 : 0;
}
EMSCRIPTEN_KEEPALIVE int page_keeps_key(const char* key, const char* code, int modifiers) {
  return is_taken(chord_of(key, code, modifiers)) ? 1 : 0;
}
EMSCRIPTEN_KEEPALIVE int page_leaves_by_tab(int forward) {
  the_page->stir();
  return the_page->app().leave_by_tab(forward != 0) ? 1 : 0;
}
EMSCRIPTEN_KEEPALIVE int page_scrolls(int up) {
  const WheelUse use = the_page->app().wheel_use();
  return (up > 0 ? use.up : use.down) ? 1 : 0;
}
EMSCRIPTEN_KEEPALIVE void page_stir() { the_page->stir(); }
EMSCRIPTEN_KEEPALIVE void page_restore() { the_page->restore(); }
EMSCRIPTEN_KEEPALIVE void page_wake() { the_page->stir_if_changed(); }
}

WindowState run_window(const std::shared_ptr<App>& app, const WindowOptions&) {
  EmscriptenWebGLContextAttributes wanted;
  emscripten_webgl_init_context_attributes(&wanted);
  wanted.majorVersion = 2;
  wanted.alpha = wanted.depth = wanted.stencil = wanted.antialias = false;
  const auto context = emscripten_webgl_create_context("#canvas", &wanted);
  if (context <= 0 || emscripten_webgl_make_context_current(context) != EMSCRIPTEN_RESULT_SUCCESS)
    throw MachineError("This browser doesn't support WebGL 2, which Headlight needs");
  app->set_wake(page_wake_soon);
  the_page = new Page(app);
  page_listen();
  the_page->stir();
  return WindowState::open;
}

void read_clipboard(std::function<void(const std::string&)> take) {
  awaits_text = std::move(take);
  page_read_clipboard();
}

}  // namespace headlight
