// What a surface draws: the same frame function for the window, the offscreen picture and the tests.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/appearance.hpp"
#include "app/heatmap/heatmap_renderer.hpp"
#include "app/platform/pictures/image.hpp"
#include "app/platform/surfaces/texture.hpp"
#include "app/ui/ui.hpp"

namespace headlight {

/// What a surface must know before a frame begins.
struct SurfaceLook {
  ThemeName theme = ThemeName::dark;
  float ui_scale = 1;  ///< as the person chose it; the surface multiplies by the display's own scale
  bool reduce_motion = false;
  bool transparent = false;  ///< no background, for exported pictures
  /// Where given, everything is scaled so that this width and height, in design pixels, just fit the surface, and
  /// ui_scale and the display's scale do not count.
  std::optional<Point> fitted = {};
  /// Where given, a surface with more room than this width and height is scaled up, see roomy_scale().
  std::optional<Point> roomy = {};
  bool full_screen = false;  ///< the window covers its monitor
  /// Which one, by its name, while a second window is open; empty, or none of those connected: the first that is not
  /// the desktop's main one.
  std::string monitor = {};

  friend bool operator==(const SurfaceLook&, const SurfaceLook&) = default;
};

/// The scale, above that of the person and the display, at which a surface of `room` design pixels is used as one of
/// `roomy`: at least 1, and no more than its width and height both allow.
float roomy_scale(Point room, Point roomy);

/// The surroundings of a window; a picture has none.
struct Surroundings {
  std::vector<std::string> monitors = {};  ///< the names of those connected, the main one first
  std::size_t monitor = 0;                 ///< that of the first window
  void* first_window = nullptr;            ///< for a second window: the texture of the first one's last frame
  Point first_pixels = {};                 ///< and its size in device pixels
  std::optional<bool> maximised = {};      ///< whether the first window is; nullopt while it covers its monitor
};

/// The pointer as a second window holds it over a picture of the first one.
struct FarPointer {
  Point at;  ///< in shares of the first window's width and height
  bool pressed = false;

  friend bool operator==(const FarPointer&, const FarPointer&) = default;
};

/// What going back undoes, as with the key of a phone: it closes what is open over the rest, and then goes steps back.
struct WaysBack {
  int covers = 0;  ///< sheets, cards and menus that are open
  int steps = 0;

  int count() const { return covers + steps; }
};

class App;

/// A small surface within another one's frame: an app drawn into a texture.
class InnerSurface {
 public:
  /// A surface of this size in device pixels. Needs the current OpenGL context of the surface around it here, in every
  /// call and in the destructor. Throws MachineError.
  InnerSurface(int width, int height);
  ~InnerSurface();
  InnerSurface(const InnerSurface&) = delete;
  InnerSurface& operator=(const InnerSurface&) = delete;

  int width() const;
  int height() const;
  /// Lets the app draw what it looks like when nothing moves. It gets no input.
  void draw(App& app);
  /// The texture's id in the UI library's draw lists.
  void* texture() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// One frame: draw on `ui` (an ImGui window that covers the surface is open), read `ui.input()`.
struct FrameContext {
  Ui& ui;
  HeatmapRenderer& heatmaps;
  /// A picture that the app shows. The surface owns it, because it must be destroyed before the surface's context.
  std::unique_ptr<Texture>& texture;
  const Surroundings& around;
  /// Small surfaces within this one, which the app makes. The surface owns them for the same reason.
  std::vector<std::unique_ptr<InnerSurface>>& inner;
  /// Of a second window: set while its pointer works in the first one.
  std::optional<FarPointer> far_pointer = {};
  /// Set to true to close the window.
  bool close = false;
  /// Set to false where the keys of this frame have opened nothing that the next ones may be for.
  bool opened = true;
  /// Set to be called with a picture of this frame once it is drawn.
  std::function<void(const Image&)> take_picture = {};
};

class App {
 public:
  virtual ~App() = default;
  virtual SurfaceLook look() const = 0;
  virtual std::string title() const { return "Headlight"; }
  virtual void frame(FrameContext& frame) = 0;

  /// The app of a second window, while it is wanted. Keys typed into that window go to the first one, except those
  /// that move and use its focus ring. Closing it does not end the program.
  virtual App* second() { return nullptr; }

  /// The window in words, for people who listen to it, as HTML in sections with ids, if it has changed since the last
  /// call. A page puts it beside the canvas.
  virtual std::optional<std::string> new_words() { return std::nullopt; }

  /// Whether a key does something here, unless a text field has the keyboard, which uses all. The others are left to a
  /// browser: its own shortcuts, and where the window is one figure in someone else's page, the keys that scroll that.
  virtual bool uses_key(const Chord&) const { return true; }
  /// What a key would do that no control takes.
  virtual KeyEffect effect_of(const Chord&) const { return KeyEffect::anything; }
  /// Whether Tab, or Shift+Tab, goes from here to what is around the window, as at the end of a frame in someone else's
  /// page. Then nothing in the window has the focus any more.
  virtual bool leave_by_tab(bool /*forward*/) { return false; }
  /// The directions in which the wheel did something in the last frame, or would have. The page gets the others.
  virtual WheelUse wheel_use() const { return {}; }

  /// What going back undoes here, and what it does where nothing is open over the rest.
  virtual WaysBack ways_back() const { return {}; }
  virtual void step_back() {}

  /// The drags that the item under the pointer in the last frame takes: a finger that moves otherwise scrolls.
  virtual DragUse drag_use() const { return DragUse::none; }

  /// While there is no input, the window calls changed_outside() at this interval (seconds) and whenever it is woken,
  /// and draws a frame only if that returns true: a watched file was edited, or a result from another thread has come.
  virtual double watch_interval() const { return std::numeric_limits<double>::infinity(); }
  virtual bool changed_outside() { return false; }
  /// Gives the app a function that it may call on any thread so that changed_outside() is called at once. Empty when
  /// the window is gone.
  virtual void set_wake(std::function<void()>) {}  // NOLINT(performance-unnecessary-value-param): an app keeps it
};

}  // namespace headlight
