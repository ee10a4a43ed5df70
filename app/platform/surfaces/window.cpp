#include "app/platform/surfaces/window.hpp"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>
#include <utility>
#include <variant>

#include <backends/imgui_impl_glfw.h>
#include <epoxy/gl.h>
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <imgui.h>

#include "app/platform/machine_error.hpp"
#include "app/platform/surfaces/input_queue.hpp"
#include "app/platform/surfaces/surface.hpp"
#include "app/ui/imgui_seam.hpp"

namespace headlight {
namespace {

/// Frames drawn after every input, because hovering, opening and closing take a few frames to settle.
constexpr int frames_to_settle = 3;

std::string instead(const std::string& reason) {
  return reason +
         ". Without a window, \"headlight render\" draws pictures and \"headlight compute\" gives the numbers.";
}

class Library {
 public:
  Library() {
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
void fit_to_screen(GLFWwindow* window) {
  GLFWmonitor* const monitor = glfwGetPrimaryMonitor();
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

WindowHandle open_window(const App& app, const WindowOptions& options) {
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
  glfwWindowHintString(GLFW_X11_CLASS_NAME, "headlight");
  glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "headlight");
  glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);  // until it fits its screen
  WindowHandle window(glfwCreateWindow(options.width, options.height, app.title().c_str(), nullptr, nullptr));
  if (!window) throw MachineError(instead("This machine's display offers no OpenGL 3.3"));
  glfwSetWindowSizeLimits(window.get(), 640, 400, GLFW_DONT_CARE, GLFW_DONT_CARE);
  fit_to_screen(window.get());
  glfwShowWindow(window.get());
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

/// The last click, to tell a double click from two. Frames may come too late to tell.
struct Clicks {
  int button = -1;
  double at = 0;
  bool second = false;
};

/// What the callbacks gather between two frames.
struct Gathered {
  Input input;
  InputQueue events;
  Clicks clicks;
  int frames_due = frames_to_settle;

  void stir() { frames_due = frames_to_settle; }
};

Gathered& gathered(GLFWwindow* window) { return *static_cast<Gathered*>(glfwGetWindowUserPointer(window)); }

void on_key(GLFWwindow* window, int key, int scancode, int action, int mods) {
  gathered(window).stir();
  gathered(window).events.add(KeyChange{key, scancode, action, mods});
}

void on_character(GLFWwindow* window, unsigned character) {
  gathered(window).stir();
  gathered(window).events.add(Typed{character});
}

bool is_modifier(int glfw) { return glfw >= GLFW_KEY_LEFT_SHIFT && glfw <= GLFW_KEY_RIGHT_SUPER; }

void pass_on(GLFWwindow* window, const KeyChange& change) {
  const bool ctrl = (change.mods & GLFW_MOD_CONTROL) != 0, shift = (change.mods & GLFW_MOD_SHIFT) != 0,
             alt = (change.mods & GLFW_MOD_ALT) != 0;
  ImGui_ImplGlfw_KeyCallback(window, change.key, change.scancode, change.action, change.mods);
  if (change.action == GLFW_RELEASE) return;
  // ImGui asks which modifiers are down now; they may have gone up since the key went down.
  if (!is_modifier(change.key)) imgui::set_modifiers(ctrl, shift, alt);
  const Key key = key_typed(change.key, change.scancode);
  if (key != Key::none) gathered(window).input.keys.push_back({{key, ctrl, shift, alt}, change.action == GLFW_REPEAT});
}

void on_drop(GLFWwindow* window, int count, const char** paths) {
  gathered(window).stir();
  for (int i = 0; i < count; ++i) gathered(window).input.dropped_files.emplace_back(paths[i]);
}

void on_mouse_button(GLFWwindow* window, int button, int action, int mods) {
  gathered(window).stir();
  constexpr double double_click = 0.6;
  Clicks& clicks = gathered(window).clicks;
  if (action == GLFW_PRESS) {
    const double now = glfwGetTime();
    clicks.second = button == clicks.button && now - clicks.at < double_click && !clicks.second;
    clicks.at = now;
    clicks.button = button;
  }
  gathered(window).events.add(ButtonChange{button, action, mods, clicks.second});
}

/// Passes on to ImGui and to the app what the next frame can take; a frame that leaves something is followed by
/// another.
void pass_on_events(GLFWwindow* window, KeysGoTo keys) {
  InputQueue& events = gathered(window).events;
  for (const InputEvent& event : events.take(keys)) {
    if (const auto* button = std::get_if<ButtonChange>(&event)) {
      gathered(window).input.second_click = button->second;
      ImGui_ImplGlfw_MouseButtonCallback(window, button->button, button->action, button->mods);
    } else if (const auto* typed = std::get_if<Typed>(&event)) imgui::type(typed->character);
    else pass_on(window, std::get<KeyChange>(event));
  }
  if (events.waits()) gathered(window).stir();
}

void on_close(GLFWwindow* window) {
  gathered(window).stir();
  gathered(window).input.wants_to_close = true;
  // The app decides; it may have something to save first.
  glfwSetWindowShouldClose(window, GLFW_FALSE);
}

/// Call it before ImGui's back end installs its own callbacks, which then call these.
void install_callbacks(GLFWwindow* window) {
  glfwSetDropCallback(window, on_drop);
  glfwSetWindowCloseCallback(window, on_close);
  glfwSetCursorPosCallback(window, [](GLFWwindow* w, double, double) { gathered(w).stir(); });
  glfwSetCursorEnterCallback(window, [](GLFWwindow* w, int) { gathered(w).stir(); });
  glfwSetScrollCallback(window, [](GLFWwindow* w, double, double) { gathered(w).stir(); });
  glfwSetWindowFocusCallback(window, [](GLFWwindow* w, int) { gathered(w).stir(); });
  glfwSetWindowIconifyCallback(window, [](GLFWwindow* w, int) { gathered(w).stir(); });
  glfwSetFramebufferSizeCallback(window, [](GLFWwindow* w, int, int) { gathered(w).stir(); });
  glfwSetWindowRefreshCallback(window, [](GLFWwindow* w) { gathered(w).stir(); });
  glfwSetWindowContentScaleCallback(window, [](GLFWwindow* w, float, float) { gathered(w).stir(); });
}

/// Starts ImGui's GLFW back end and shuts it down again; the surface that it serves must outlive it.
class GlfwBackEnd {
 public:
  explicit GlfwBackEnd(GLFWwindow* window) {
    ImGui_ImplGlfw_InitForOpenGL(window, true);
    imgui::start_input();
    glfwSetMouseButtonCallback(window, on_mouse_button);
    glfwSetKeyCallback(window, on_key);
    glfwSetCharCallback(window, on_character);
  }
  ~GlfwBackEnd() { ImGui_ImplGlfw_Shutdown(); }
  GlfwBackEnd(const GlfwBackEnd&) = delete;
  GlfwBackEnd& operator=(const GlfwBackEnd&) = delete;
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

struct FramebufferSize {
  int width = 0;
  int height = 0;
  bool empty() const { return width <= 0 || height <= 0; }
};

FramebufferSize framebuffer_of(GLFWwindow* window) {
  FramebufferSize size;
  glfwGetFramebufferSize(window, &size.width, &size.height);
  return size;
}

Point pixels_of(GLFWwindow* window) {
  const FramebufferSize size = framebuffer_of(window);
  return {static_cast<float>(size.width), static_cast<float>(size.height)};
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

/// Lets the window cover its monitor, and puts it back where it was.
class FullScreen {
 public:
  explicit FullScreen(GLFWwindow* window) : window_(window) {}

  void follow(bool wanted) {
    if (wanted == covers_) return;
    covers_ = wanted;
    if (!wanted) {
      glfwSetWindowMonitor(window_, nullptr, before_.x, before_.y, before_.width, before_.height, GLFW_DONT_CARE);
      return;
    }
    before_ = frame_of(window_);
    GLFWmonitor* const monitor = monitor_of(before_);
    const GLFWvidmode* const mode = monitor ? glfwGetVideoMode(monitor) : nullptr;
    if (mode) glfwSetWindowMonitor(window_, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
  }

 private:
  GLFWwindow* window_;
  bool covers_ = false;
  Frame before_;
};

/// Sets ImGui's size and pointer in device pixels, which all of Headlight uses, even if the window system counts in
/// other units.
void use_device_pixels(GLFWwindow* window) {
  ImGuiIO& io = ImGui::GetIO();
  const FramebufferSize size = framebuffer_of(window);
  const ImVec2 ratio = std::exchange(io.DisplayFramebufferScale, {1, 1});
  io.DisplaySize = {static_cast<float>(std::max(1, size.width)), static_cast<float>(std::max(1, size.height))};
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
  return framebuffer_of(window).empty() || glfwGetWindowAttrib(window, GLFW_ICONIFIED) != 0;
}

float display_scale(GLFWwindow* window) {
  float x = 1;
  float y = 1;
  glfwGetWindowContentScale(window, &x, &y);
  // Quarter steps keep the number of font sizes small and the text sharp.
  return std::max(1.0f, std::round(std::max(x, y) * 4) / 4);
}

/// Sleeps until there is something to draw.
void wait_for_work(App& app, Gathered& gathered, double next_frame_in) {
  if (gathered.frames_due > 0 || next_frame_in <= 0) {
    glfwPollEvents();
    return;
  }
  const double animation_due = glfwGetTime() + next_frame_in;
  while (gathered.frames_due == 0) {
    const double sleep = std::min(animation_due - glfwGetTime(), app.watch_interval());
    if (std::isinf(sleep)) glfwWaitEvents();
    else if (sleep > 0) glfwWaitEventsTimeout(sleep);
    if (gathered.frames_due > 0 || glfwGetTime() >= animation_due) return;
    if (app.changed_outside()) gathered.stir();
  }
}

}  // namespace

void run_window(App& app, const WindowOptions& options) {
  const Library library;
  const WindowHandle window = open_window(app, options);
  Gathered gathered;
  glfwSetWindowUserPointer(window.get(), &gathered);
  Surface surface;
  install_callbacks(window.get());
  const GlfwBackEnd back_end(window.get());
  const Alarm alarm(app);
  FullScreen cover(window.get());
  std::string title = app.title();
  FrameResult last;
  double before = glfwGetTime();
  while (!last.close) {
    // While the window is out of sight, animations stop too: with no screen to wait for they would run as fast as the
    // machine can.
    while (is_out_of_sight(window.get()) && !gathered.input.wants_to_close) glfwWaitEvents();
    wait_for_work(app, gathered, last.next_frame_in);
    gathered.frames_due = std::max(0, gathered.frames_due - 1);
    cover.follow(app.look().full_screen);
    surface.prepare(app.look(), display_scale(window.get()), pixels_of(window.get()));
    pass_on_events(window.get(), last.awaits_keyboard           ? KeysGoTo::nothing
                                 : ImGui::GetIO().WantTextInput ? KeysGoTo::text
                                                                : KeysGoTo::actions);
    ImGui_ImplGlfw_NewFrame();
    use_device_pixels(window.get());
    const double now = glfwGetTime();
    // After a pause an animation starts from its beginning, not from its end.
    const double step = std::min(now - std::exchange(before, now), 0.05);
    last = surface.frame(app, std::exchange(gathered.input, {}), {now, step});
    const double made = glfwGetTime();
    surface.render();
    glfwSwapBuffers(window.get());
    if (options.frames)
      *options.frames << now << ' ' << made - now << ' ' << glfwGetTime() - made << '\n' << std::flush;
    if (app.title() != title) glfwSetWindowTitle(window.get(), (title = app.title()).c_str());
  }
}

}  // namespace headlight
