#include "app/platform/surfaces/window.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <ostream>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <backends/imgui_impl_glfw.h>
#include <epoxy/gl.h>
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <imgui.h>

#include "app/platform/desktop/x11_errors.hpp"
#include "app/platform/machine_error.hpp"
#include "app/platform/surfaces/input_queue.hpp"
#include "app/platform/surfaces/surface.hpp"
#include "app/platform/surfaces/texture.hpp"
#include "app/ui/drawing/imgui_seam.hpp"

namespace headlight {
namespace {

/// Frames drawn after every input, because hovering, opening and closing take a few frames to settle.
constexpr int frames_to_settle = 3;

/// Seconds after which a frame is drawn, even if more keys wait.
constexpr double longest_unseen = 0.1;
/// Drawing takes at most this share of the time while keys and clicks wait.
constexpr double drawing_share = 0.25;

std::string instead(const std::string& reason) {
  return reason +
         ". Without a window, \"headlight render\" draws pictures and \"headlight compute\" gives the numbers.";
}

class Library {
 public:
  Library() {
#ifdef GLFW_PLATFORM_X11
    // Without this folder there is no Wayland; asked all the same, its library complains to the terminal.
    if (std::getenv("XDG_RUNTIME_DIR") == nullptr) glfwInitHint(GLFW_PLATFORM, GLFW_PLATFORM_X11);
#endif
    if (!glfwInit()) {
      const char* why = nullptr;
      glfwGetError(&why);
      throw MachineError(
          instead(std::string("No display to open a window on") + (why ? std::string(" (") + why + ")" : "")));
    }
  }
  ~Library() { glfwTerminate(); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
};

struct WindowDeleter {
  void operator()(GLFWwindow* window) const { glfwDestroyWindow(window); }
};
using WindowHandle = std::unique_ptr<GLFWwindow, WindowDeleter>;

struct Frame {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
};

Frame frame_of(GLFWwindow* window) {
  Frame frame;
  glfwGetWindowPos(window, &frame.x, &frame.y);
  glfwGetWindowSize(window, &frame.width, &frame.height);
  return frame;
}

/// Makes the window no larger than what panels and docks leave of the screen, its own frame included.
void fit_to_screen(GLFWwindow* window, GLFWmonitor* monitor) {
  if (!monitor) return;
  Frame room;
  glfwGetMonitorWorkarea(monitor, &room.x, &room.y, &room.width, &room.height);
  int left = 0;
  int top = 0;
  int right = 0;
  int bottom = 0;
  glfwGetWindowFrameSize(window, &left, &top, &right, &bottom);
  const Frame now = frame_of(window);
  const int width = std::min(now.width, room.width - left - right);
  const int height = std::min(now.height, room.height - top - bottom);
  if (width <= 0 || height <= 0 || (width == now.width && height == now.height)) return;
  glfwSetWindowSize(window, width, height);
  glfwSetWindowPos(window, room.x + left, room.y + top);
}

/// A window that is not shown yet, until it fits its screen. It shares its textures with `sharing`, unless that is
/// null.
WindowHandle open_window(const App& app, int width, int height, GLFWwindow* sharing) {
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
  glfwWindowHintString(GLFW_X11_CLASS_NAME, "headlight");
  glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "headlight");
  glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
  WindowHandle window(glfwCreateWindow(width, height, app.title().c_str(), nullptr, sharing));
  if (!window) throw MachineError(instead("This machine's display doesn't support OpenGL 3.3"));
  outlive_errors_of_x11();
  glfwSetWindowSizeLimits(window.get(), 640, 400, GLFW_DONT_CARE, GLFW_DONT_CARE);
  glfwMakeContextCurrent(window.get());
  glfwSwapInterval(1);
  return window;
}

Key key_of(int glfw) {
  const auto offset = [&](int first, Key key) { return static_cast<Key>(static_cast<int>(key) + glfw - first); };
  if (glfw >= GLFW_KEY_A && glfw <= GLFW_KEY_Z) return offset(GLFW_KEY_A, Key::a);
  if (glfw >= GLFW_KEY_0 && glfw <= GLFW_KEY_9) return offset(GLFW_KEY_0, Key::digit_0);
  if (glfw >= GLFW_KEY_KP_0 && glfw <= GLFW_KEY_KP_9) return offset(GLFW_KEY_KP_0, Key::digit_0);
  if (glfw >= GLFW_KEY_F1 && glfw <= GLFW_KEY_F12) return offset(GLFW_KEY_F1, Key::f1);
  switch (glfw) {
    case GLFW_KEY_LEFT: return Key::left;
    case GLFW_KEY_RIGHT: return Key::right;
    case GLFW_KEY_UP: return Key::up;
    case GLFW_KEY_DOWN: return Key::down;
    case GLFW_KEY_PAGE_UP: return Key::page_up;
    case GLFW_KEY_PAGE_DOWN: return Key::page_down;
    case GLFW_KEY_HOME: return Key::home;
    case GLFW_KEY_END: return Key::end;
    case GLFW_KEY_SPACE: return Key::space;
    case GLFW_KEY_ENTER:
    case GLFW_KEY_KP_ENTER: return Key::enter;
    case GLFW_KEY_ESCAPE: return Key::escape;
    case GLFW_KEY_TAB: return Key::tab;
    case GLFW_KEY_BACKSPACE: return Key::backspace;
    case GLFW_KEY_DELETE: return Key::delete_forward;
    case GLFW_KEY_INSERT: return Key::insert;
    case GLFW_KEY_LEFT_BRACKET: return Key::left_bracket;
    case GLFW_KEY_RIGHT_BRACKET: return Key::right_bracket;
    case GLFW_KEY_MINUS:
    case GLFW_KEY_KP_SUBTRACT: return Key::minus;
    case GLFW_KEY_EQUAL:
    case GLFW_KEY_KP_ADD: return Key::equal;
    case GLFW_KEY_COMMA: return Key::comma;
    case GLFW_KEY_PERIOD: return Key::period;
    case GLFW_KEY_SLASH: return Key::slash;
    case GLFW_KEY_MENU: return Key::menu;
    default: return Key::none;
  }
}

/// Letters and brackets are named by what the keyboard layout types, as printed on the keys; other keys by position.
Key key_typed(int glfw, int scancode) {
  const char* name = glfwGetKeyName(glfw, scancode);
  if (!name || name[0] == '\0' || name[1] != '\0') return key_of(glfw);
  const char c = name[0];
  if (c >= 'a' && c <= 'z') return static_cast<Key>(static_cast<int>(Key::a) + c - 'a');
  if (c == '[') return Key::left_bracket;
  if (c == ']') return Key::right_bracket;
  return key_of(glfw);
}

/// What the callbacks gather between two frames.
struct Gathered {
  Surface* surface = nullptr;    ///< of the window
  Gathered* keyboard = nullptr;  ///< where its keys go, unless they move or use its focus ring; null: they stay
  Input input;
  InputQueue events;
  std::optional<Point> pointer;    ///< in the window system's units, as the events so far tell
  std::optional<Point> button_at;  ///< where the button was pressed or released that the next frame gets
  int frames_due = frames_to_settle;

  void stir() { frames_due = frames_to_settle; }
};

Gathered& gathered(GLFWwindow* window) { return *static_cast<Gathered*>(glfwGetWindowUserPointer(window)); }

/// Whether a key moves or uses a focus ring, rather than being one of the app's.
bool is_for_focus(int key, Gathered& window) {
  if (key == GLFW_KEY_TAB) return true;
  const bool uses =
      key == GLFW_KEY_ENTER || key == GLFW_KEY_KP_ENTER || key == GLFW_KEY_SPACE || key == GLFW_KEY_ESCAPE;
  return uses && window.surface->ui_memory().focus_visible;
}

void add_to(Gathered& window, const InputEvent& event) {
  window.stir();
  window.events.add(event);
}

/// A key with the modifiers that are down after it. On X11, `mods` leaves out the change that the event itself makes.
Chord chord_of(int key, int scancode, int action, int mods) {
  const auto is_down = [&](int modifier, int left, int right) {
    return key == left || key == right ? action != GLFW_RELEASE : (mods & modifier) != 0;
  };
  return {key_typed(key, scancode), is_down(GLFW_MOD_CONTROL, GLFW_KEY_LEFT_CONTROL, GLFW_KEY_RIGHT_CONTROL),
          is_down(GLFW_MOD_SHIFT, GLFW_KEY_LEFT_SHIFT, GLFW_KEY_RIGHT_SHIFT),
          is_down(GLFW_MOD_ALT, GLFW_KEY_LEFT_ALT, GLFW_KEY_RIGHT_ALT)};
}

bool is_modifier(int glfw) { return glfw >= GLFW_KEY_LEFT_SHIFT && glfw <= GLFW_KEY_RIGHT_SUPER; }

void on_key(GLFWwindow* window, int key, int scancode, int action, int mods) {
  Gathered& here = gathered(window);
  const Chord chord = chord_of(key, scancode, action, mods);
  const KeyMove what = action == GLFW_RELEASE ? KeyMove::up : action == GLFW_REPEAT ? KeyMove::repeat : KeyMove::down;
  const KeyChange change{chord, what, is_modifier(key), key};
  const bool stays = here.keyboard == nullptr || is_for_focus(key, here);
  // A key may go up elsewhere than it went down, because what it did has moved the focus ring: both hear of that.
  if (stays || action == GLFW_RELEASE) add_to(here, change);
  if (here.keyboard != nullptr && (!stays || action == GLFW_RELEASE)) add_to(*here.keyboard, change);
}

void on_character(GLFWwindow* window, unsigned character) {
  Gathered& here = gathered(window);
  add_to(here.keyboard != nullptr ? *here.keyboard : here, Typed{character});
}

void pass_on(GLFWwindow* window, const KeyChange& change) {
  const auto [key, ctrl, shift, alt] = change.chord;
  const int action = change.change == KeyMove::up       ? GLFW_RELEASE
                     : change.change == KeyMove::repeat ? GLFW_REPEAT
                                                        : GLFW_PRESS;
  const int mods = (ctrl ? GLFW_MOD_CONTROL : 0) | (shift ? GLFW_MOD_SHIFT : 0) | (alt ? GLFW_MOD_ALT : 0);
  ImGui_ImplGlfw_KeyCallback(window, change.code, 0, action, mods);
  // ImGui asks which modifiers are down now; others may have gone up or down since the event came.
  imgui::set_modifiers(ctrl, shift, alt);
  if (change.change == KeyMove::up) return;
  if (key != Key::none) gathered(window).input.keys.push_back({change.chord, change.change == KeyMove::repeat});
}

void on_drop(GLFWwindow* window, int count, const char** paths) {
  gathered(window).stir();
  for (int i = 0; i < count; ++i) gathered(window).input.dropped_files.emplace_back(paths[i]);
}

void on_mouse_button(GLFWwindow* window, int button, int action, int) {
  Gathered& here = gathered(window);
  here.stir();
  here.events.press(button, action == GLFW_PRESS, glfwGetTime(), here.pointer);
}

/// Makes the window's ImGui context the current one, because events may come while another window's is current.
Gathered& stirred(GLFWwindow* window) {
  Gathered& here = gathered(window);
  here.stir();
  here.surface->make_current();
  return here;
}

void on_pointer(GLFWwindow* window, double x, double y) {
  stirred(window).pointer = Point{static_cast<float>(x), static_cast<float>(y)};
#if IMGUI_VERSION_NUM >= 18700  // until then, each frame asks where the pointer is
  ImGui_ImplGlfw_CursorPosCallback(window, x, y);
#else
  std::ignore = std::pair(x, y);
#endif
}

/// Tells ImGui where the pointer is now, after a frame in which it was where a button was pressed or released.
void return_pointer(GLFWwindow* window) {
  if (const auto at = gathered(window).pointer) on_pointer(window, at->x, at->y);
  else imgui::remove_pointer();
}

/// Passes as much to ImGui and the app as the next frame can take; a frame that leaves something is followed by
/// another.
void pass_on_events(GLFWwindow* window, const App& app, const FrameResult& last) {
  Gathered& here = gathered(window);
  InputQueue& events = here.events;
  if (std::exchange(here.button_at, {})) return_pointer(window);
  for (const InputEvent& event : here.surface->take(events, app, last)) {
    if (const auto* button = std::get_if<ButtonChange>(&event)) {
      here.input.second_click = button->second;
      here.button_at = button->at;
      ImGui_ImplGlfw_MouseButtonCallback(window, button->button, button->down ? GLFW_PRESS : GLFW_RELEASE, 0);
    } else if (const auto* typed = std::get_if<Typed>(&event)) imgui::type(typed->character);
    else pass_on(window, std::get<KeyChange>(event));
  }
  if (events.waits() || here.button_at) here.stir();
}

void on_close(GLFWwindow* window) {
  gathered(window).stir();
  gathered(window).input.wants_to_close = true;
  // The app decides; it may have something to save first.
  glfwSetWindowShouldClose(window, GLFW_FALSE);
}

void install_callbacks(GLFWwindow* window) {
  glfwSetDropCallback(window, on_drop);
  glfwSetWindowCloseCallback(window, on_close);
  glfwSetMouseButtonCallback(window, on_mouse_button);
  glfwSetKeyCallback(window, on_key);
  glfwSetCharCallback(window, on_character);
  glfwSetCursorPosCallback(window, on_pointer);
  glfwSetCursorEnterCallback(window, [](GLFWwindow* w, int entered) {
    stirred(w);
    ImGui_ImplGlfw_CursorEnterCallback(w, entered);
    if (entered == GLFW_FALSE) gathered(w).pointer.reset();
  });
  glfwSetScrollCallback(window, [](GLFWwindow* w, double x, double y) {
    stirred(w);
    ImGui_ImplGlfw_ScrollCallback(w, x, y);
  });
  glfwSetWindowFocusCallback(window, [](GLFWwindow* w, int focused) {
    stirred(w);
    ImGui_ImplGlfw_WindowFocusCallback(w, focused);
  });
  glfwSetWindowIconifyCallback(window, [](GLFWwindow* w, int) { gathered(w).stir(); });
  glfwSetFramebufferSizeCallback(window, [](GLFWwindow* w, int, int) { gathered(w).stir(); });
  glfwSetWindowRefreshCallback(window, [](GLFWwindow* w) { gathered(w).stir(); });
  glfwSetWindowContentScaleCallback(window, [](GLFWwindow* w, float, float) { gathered(w).stir(); });
}

/// Starts ImGui's GLFW back end and shuts it down again; the surface that it serves must outlive it.
class GlfwBackEnd {
 public:
  GlfwBackEnd(GLFWwindow* window, Surface& surface) : surface_(surface) {
    surface.make_current();
    ImGui_ImplGlfw_InitForOpenGL(window, false);
    imgui::start_input();
    install_callbacks(window);
  }
  ~GlfwBackEnd() {
    surface_.make_current();
    ImGui_ImplGlfw_Shutdown();
  }
  GlfwBackEnd(const GlfwBackEnd&) = delete;
  GlfwBackEnd& operator=(const GlfwBackEnd&) = delete;

 private:
  Surface& surface_;
};

/// Lets the app wake the window from its sleep, as long as there is a window.
class Alarm {
 public:
  explicit Alarm(App& app) : app_(app) { app_.set_wake(glfwPostEmptyEvent); }
  ~Alarm() { app_.set_wake({}); }
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

 private:
  App& app_;
};

Point pixels_of(GLFWwindow* window) {
  int width = 0;
  int height = 0;
  glfwGetFramebufferSize(window, &width, &height);
  return {static_cast<float>(width), static_cast<float>(height)};
}

/// The monitor that most of the window is on; null if there is none.
GLFWmonitor* monitor_of(const Frame& window) {
  int count = 0;
  GLFWmonitor** const monitors = glfwGetMonitors(&count);
  GLFWmonitor* best = nullptr;
  long long most = -1;
  for (int i = 0; i < count; ++i) {
    const GLFWvidmode* const mode = glfwGetVideoMode(monitors[i]);
    if (!mode) continue;
    Frame screen;
    glfwGetMonitorPos(monitors[i], &screen.x, &screen.y);
    const auto shared = [](int a, int a_length, int b, int b_length) {
      return std::max(0, std::min(a + a_length, b + b_length) - std::max(a, b));
    };
    const long long covered = 1LL * shared(window.x, window.width, screen.x, mode->width) *
                              shared(window.y, window.height, screen.y, mode->height);
    if (covered <= most) continue;
    most = covered;
    best = monitors[i];
  }
  return best;
}

/// The monitors that are connected, the desktop's main one first.
std::vector<GLFWmonitor*> all_monitors() {
  int count = 0;
  GLFWmonitor** const found = glfwGetMonitors(&count);
  return {found, found + count};
}

std::vector<std::string> names_of(const std::vector<GLFWmonitor*>& monitors) {
  std::vector<std::string> names;
  for (GLFWmonitor* monitor : monitors) {
    const char* const name = glfwGetMonitorName(monitor);
    names.emplace_back(name ? name : "");
  }
  return names;
}

/// The monitor that the first window covers; null if it covers none. Beside a second window it is the chosen one, or
/// the one beside the desktop's main one; on a single monitor the windows share it.
GLFWmonitor* covered_by(GLFWwindow* window, const SurfaceLook& look, bool has_second) {
  if (!look.full_screen) return nullptr;
  GLFWmonitor* const now = glfwGetWindowMonitor(window);
  if (!has_second) return now ? now : monitor_of(frame_of(window));
  const std::vector<GLFWmonitor*> monitors = all_monitors();
  if (monitors.size() < 2) return nullptr;
  const std::vector<std::string> names = names_of(monitors);
  const auto chosen = std::ranges::find(names, look.monitor);
  return monitors[chosen == names.end() ? 1 : static_cast<std::size_t>(chosen - names.begin())];
}

/// Lets the window cover a monitor, and puts it back where it was. A monitor that is unplugged is covered no more.
class FullScreen {
 public:
  explicit FullScreen(GLFWwindow* window) : window_(window) {}

  void follow(GLFWmonitor* wanted) {
    GLFWmonitor* const covered = glfwGetWindowMonitor(window_);
    if (wanted == covered) return;
    if (!covered) before_ = frame_of(window_);
    if (!wanted)
      return glfwSetWindowMonitor(window_, nullptr, before_.x, before_.y, before_.width, before_.height,
                                  GLFW_DONT_CARE);
    const GLFWvidmode* const mode = glfwGetVideoMode(wanted);
    if (!mode) return;
    // A window manager may let a window cover the monitor that it is on, and no other.
    int x = 0;
    int y = 0;
    glfwGetMonitorPos(wanted, &x, &y);
    if (covered) glfwSetWindowMonitor(window_, nullptr, x, y, before_.width, before_.height, GLFW_DONT_CARE);
    else glfwSetWindowPos(window_, x, y);
    glfwSetWindowMonitor(window_, wanted, 0, 0, mode->width, mode->height, mode->refreshRate);
  }

 private:
  GLFWwindow* window_;
  Frame before_;
};

/// Sets ImGui's size and pointer in device pixels, which all of Headlight uses, even if the window system counts in
/// other units. The pointer is where a button was pressed or released, if the frame gets one.
void use_device_pixels(GLFWwindow* window) {
  ImGuiIO& io = ImGui::GetIO();
  const Point size = pixels_of(window);
  const ImVec2 ratio = std::exchange(io.DisplayFramebufferScale, {1, 1});
  io.DisplaySize = {std::max(1.0f, size.x), std::max(1.0f, size.y)};
  if (const auto& at = gathered(window).button_at) return imgui::move_pointer({at->x * ratio.x, at->y * ratio.y});
  if (ratio.x == 1 && ratio.y == 1) return;
  const bool drags = glfwGetMouseButton(window, GLFW_MOUSE_BUTTON_LEFT) == GLFW_PRESS ||
                     glfwGetMouseButton(window, GLFW_MOUSE_BUTTON_MIDDLE) == GLFW_PRESS;
  if (!drags && !glfwGetWindowAttrib(window, GLFW_HOVERED)) return imgui::remove_pointer();
  double x = 0;
  double y = 0;
  glfwGetCursorPos(window, &x, &y);
  imgui::move_pointer({static_cast<float>(x) * ratio.x, static_cast<float>(y) * ratio.y});
}

/// Whether the window cannot be seen: minimised, or without an area.
bool is_out_of_sight(GLFWwindow* window) {
  const Point size = pixels_of(window);
  return size.x <= 0 || size.y <= 0 || glfwGetWindowAttrib(window, GLFW_ICONIFIED) != 0;
}

float display_scale(GLFWwindow* window) {
  float x = 1;
  float y = 1;
  glfwGetWindowContentScale(window, &x, &y);
  // Quarter steps keep the number of font sizes small and the text sharp.
  return std::max(1.0f, std::round(std::max(x, y) * 4) / 4);
}

// --- A window and its app --------------------------------------------------------------------------------------------

class AppWindow {
 public:
  /// `sharing` is the window whose textures it can draw; null: none.
  AppWindow(App& app, const WindowOptions& options, std::ostream* frames, AppWindow* sharing = nullptr)
      : app_(app),
        frames_(frames),
        handle_(open_window(app, options.width, options.height, sharing ? sharing->handle_.get() : nullptr)),
        back_end_(prepared(sharing), surface_),
        cover_(handle_.get()),
        title_(app.title()) {}
  ~AppWindow() {
    glfwMakeContextCurrent(handle_.get());
    surface_.make_current();
  }
  AppWindow(const AppWindow&) = delete;
  AppWindow& operator=(const AppWindow&) = delete;

  App& app() { return app_; }
  GLFWwindow* handle() { return handle_.get(); }
  const FrameResult& last() const { return last_; }
  bool in_sight() const { return !is_out_of_sight(handle_.get()) || gathered_.input.wants_to_close; }
  /// Draws soon, because something outside has changed: a few frames, or one that only shows it.
  void stir(int frames = frames_to_settle) { gathered_.frames_due = std::max(gathered_.frames_due, frames); }
  void stir_if_changed() {
    if (app_.changed_outside()) stir();
  }
  void show(GLFWmonitor* monitor, bool maximised = false) {
    fit_to_screen(handle_.get(), monitor);
    if (maximised) glfwMaximizeWindow(handle_.get());
    glfwShowWindow(handle_.get());
  }
  void cover(GLFWmonitor* monitor) { cover_.follow(monitor); }

  /// Seconds until its next frame is due. While the window is out of sight, animations stop too: with no screen to wait
  /// for they would run as fast as the machine can.
  double due_in() const {
    if (!in_sight()) return std::numeric_limits<double>::infinity();
    return gathered_.frames_due > 0 ? 0 : next_frame_at_ - glfwGetTime();
  }

  /// Sets the pointer that another window holds over its picture of this one; nullopt: it no longer does.
  void point(const std::optional<FarPointer>& pointer) {
    if (pointer == far_pointer_) return;
    lifts_far_pointer_ = far_pointer_.has_value() && !pointer;
    far_pointer_ = pointer;
    stir();
  }

  /// Makes a frame. `copied`: its picture can be drawn by other windows. While more keys and clicks wait, the frame
  /// only lets the last one take effect, and just now and then one is seen: without a graphics card, drawing takes most
  /// of the time.
  void draw(const Surroundings& around, bool copied, bool waits_for_screen) {
    GLFWwindow* const window = handle_.get();
    glfwMakeContextCurrent(window);
    glfwSwapInterval(waits_for_screen ? 1 : 0);
    gathered_.frames_due = std::max(0, gathered_.frames_due - 1);
    const SurfaceLook look = app_.look();
    surface_.prepare(look, display_scale(window), pixels_of(window));
    pass_on_events(window, app_, last_);
    ImGui_ImplGlfw_NewFrame();
    use_device_pixels(window);
    use_far_pointer();
    const double now = glfwGetTime();
    // After a pause an animation starts from its beginning, not from its end.
    const double step = std::min(now - std::exchange(before_, now), 0.05);
    last_ = surface_.frame(app_, std::exchange(gathered_.input, {}), {now, step}, nullptr, around);
    const double made = glfwGetTime();
    next_frame_at_ = made + last_.next_frame_in;
    const double unseen = std::max(longest_unseen, drawing_took_ * (1 / drawing_share - 1));
    if (gathered_.events.waits() && !surface_.picture_wanted() && made - seen_at_ < unseen) return;
    surface_.render();
    if (copied) copy_picture();
    glfwSwapBuffers(window);
    seen_at_ = glfwGetTime();
    drawing_took_ = seen_at_ - made;
    if (frames_) *frames_ << now << ' ' << made - now << ' ' << glfwGetTime() - made << '\n' << std::flush;
    if (app_.title() != title_) glfwSetWindowTitle(window, (title_ = app_.title()).c_str());
    next_frame_at_ = seen_at_ + last_.next_frame_in;
  }

  /// The texture of its last picture; null if it was not copied.
  void* picture() const { return copy_ ? copy_->id() : nullptr; }
  Point pixels() { return pixels_of(handle_.get()); }
  void forget_picture() {
    glfwMakeContextCurrent(handle_.get());
    copy_.reset();
  }

 private:
  /// Before the back end starts, so that the first events find what they need.
  GLFWwindow* prepared(AppWindow* sharing) {
    gathered_.surface = &surface_;
    if (sharing) gathered_.keyboard = &sharing->gathered_;
    glfwSetWindowUserPointer(handle_.get(), &gathered_);
    return handle_.get();
  }
  void use_far_pointer() {
    if (std::exchange(lifts_far_pointer_, false)) {
      imgui::set_button(0, false);
      imgui::remove_pointer();
    }
    if (!far_pointer_) return;
    const Point size = pixels();
    imgui::move_pointer({far_pointer_->at.x * size.x, far_pointer_->at.y * size.y});
    imgui::set_button(0, far_pointer_->pressed);
  }
  void copy_picture() {
    const Point size = pixels();
    if (size.x <= 0 || size.y <= 0) return;
    if (!copy_) copy_.emplace();
    copy_->copy(static_cast<int>(size.x), static_cast<int>(size.y));
    glFinish();  // another context draws it next
  }

  App& app_;
  std::ostream* frames_;
  WindowHandle handle_;
  Gathered gathered_;
  Surface surface_;
  GlfwBackEnd back_end_;
  FullScreen cover_;
  std::optional<CopiedTexture> copy_;
  std::optional<FarPointer> far_pointer_;
  bool lifts_far_pointer_ = false;
  std::string title_;
  FrameResult last_;
  double before_ = glfwGetTime();
  double next_frame_at_ = 0;
  double seen_at_ = 0;  ///< when the last frame came to the screen
  double drawing_took_ = 0;
};

// --- Two windows -----------------------------------------------------------------------------------------------------

/// Puts the second window on a monitor that the first one does not cover, if there is one.
void keep_apart(GLFWwindow* second, GLFWwindow* first) {
  GLFWmonitor* const taken = glfwGetWindowMonitor(first);
  if (!taken || monitor_of(frame_of(second)) != taken) return;
  const std::vector<GLFWmonitor*> monitors = all_monitors();
  const auto free = std::ranges::find_if(monitors, [&](GLFWmonitor* monitor) { return monitor != taken; });
  if (free == monitors.end()) return;
  Frame room;
  glfwGetMonitorWorkarea(*free, &room.x, &room.y, &room.width, &room.height);
  if (glfwGetWindowAttrib(second, GLFW_MAXIMIZED)) glfwRestoreWindow(second);
  glfwSetWindowPos(second, room.x, room.y);
  glfwSetWindowSize(second, room.width, room.height);
  glfwMaximizeWindow(second);
}

/// The windows of the program: the first one, and a second one while the app wants it.
class Windows {
 public:
  Windows(App& app, const WindowOptions& options) : options_(options), first_(app, options, options.frames) {
    first_.show(glfwGetPrimaryMonitor(), options.maximised);
  }

  bool closed() const { return first_.last().close; }

  /// Opens or closes the second window, and moves both to their monitors.
  void arrange() {
    App* const wanted = first_.app().second();
    // The first window must not vanish when the user goes to the second one.
    glfwSetWindowAttrib(first_.handle(), GLFW_AUTO_ICONIFY, wanted ? GLFW_FALSE : GLFW_TRUE);
    if (wanted && !second_) {
      second_ = std::make_unique<AppWindow>(*wanted, options_, options_.second_frames, &first_);
      second_->show(glfwGetPrimaryMonitor());
      first_.stir();
    } else if (!wanted && second_) {
      second_.reset();
      first_.forget_picture();
      first_.point(std::nullopt);
    }
    first_.cover(covered_by(first_.handle(), first_.app().look(), second_ != nullptr));
    if (second_) keep_apart(second_->handle(), first_.handle());
  }

  /// Sleeps until there is something to draw.
  void wait() {
    if (due_in() <= 0) return glfwPollEvents();
    while (due_in() > 0) {
      const double sleep = std::min(due_in(), watch_interval());
      if (std::isinf(sleep)) glfwWaitEvents();
      else if (sleep > 0) glfwWaitEventsTimeout(sleep);
      if (due_in() <= 0) return;
      first_.stir_if_changed();
      if (second_) second_->stir_if_changed();
    }
  }

  void draw() {
    const bool first_is_due = first_.due_in() <= 0;
    if (first_is_due) {
      first_.draw(surroundings(), second_ != nullptr, true);
      if (second_) second_->stir(1);
    }
    // One window a round waits for its screen, so that they do not wait for each other.
    if (!second_ || second_->due_in() > 0) return;
    second_->draw(surroundings(), false, !first_is_due);
    first_.point(second_->last().far_pointer);
    first_.stir_if_changed();
  }

 private:
  double due_in() const { return second_ ? std::min(first_.due_in(), second_->due_in()) : first_.due_in(); }
  double watch_interval() {
    const bool seen = first_.in_sight() || (second_ && second_->in_sight());
    return seen ? first_.app().watch_interval() : std::numeric_limits<double>::infinity();
  }
  Surroundings surroundings() {
    const std::vector<GLFWmonitor*> monitors = all_monitors();
    GLFWmonitor* const covered = glfwGetWindowMonitor(first_.handle());
    const auto here = std::ranges::find(monitors, covered ? covered : monitor_of(frame_of(first_.handle())));
    const auto index = here == monitors.end() ? 0 : static_cast<std::size_t>(here - monitors.begin());
    const std::optional<bool> maximised =
        covered ? std::nullopt : std::optional(glfwGetWindowAttrib(first_.handle(), GLFW_MAXIMIZED) != 0);
    return {names_of(monitors), index, first_.picture(), first_.pixels(), maximised};
  }

  WindowOptions options_;
  AppWindow first_;
  std::unique_ptr<AppWindow> second_;
};

}  // namespace

WindowState run_window(const std::shared_ptr<App>& app, const WindowOptions& options) {
  const Library library;
  Windows windows(*app, options);
  const Alarm alarm(*app);
  while (!windows.closed()) {
    windows.arrange();
    windows.wait();
    windows.draw();
  }
  return WindowState::closed;
}

// In a browser it is kept until the text is there.
// NOLINTNEXTLINE(performance-unnecessary-value-param)
void read_clipboard(std::function<void(const std::string&)> take) {
  const char* const text = ImGui::GetClipboardText();
  take(text == nullptr ? "" : text);
}

}  // namespace headlight
