// A surface without a display: pictures, and a scripted person for the tests.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "app/platform/app.hpp"
#include "app/platform/pictures/image.hpp"

namespace headlight {

enum class MouseButton : std::uint8_t { left, right, middle };

/// Draws an app offscreen. Time is what the script makes it: every frame takes the same step, so that the same script
/// gives the same pictures. Positions are design pixels, as the views see them. `app` must outlive it.
class Offscreen {
 public:
  /// A surface of width × height at a display scale: the picture has width · scale × height · scale pixels.
  /// Throws MachineError.
  Offscreen(App& app, int width, int height, float scale = 1);
  ~Offscreen();
  Offscreen(const Offscreen&) = delete;
  Offscreen& operator=(const Offscreen&) = delete;

  void resize(int width, int height);

  /// Draws frames. What was scripted since the last one is the input of the first.
  void frames(int count = 1);
  /// Draws until nothing moves (at least two frames, so that hovering settles); at most `limit` seconds of its time.
  void settle(double limit = 5);
  /// Lets time pass while drawing frames, as an animation does.
  void wait(double seconds);

  void move_mouse(Point to);
  void press_mouse(MouseButton button = MouseButton::left);
  void release_mouse(MouseButton button = MouseButton::left);
  /// Moves, presses and releases, a frame each.
  void click(Point at);
  void double_click(Point at);
  void drag(Point from, Point to, int steps = 4, MouseButton button = MouseButton::left);
  void wheel(float notches);
  /// Presses and releases a key, with modifiers.
  void key(const Chord& chord);
  void key(Key key) { this->key(Chord{key}); }
  void hold_ctrl(bool down);
  void type(std::string_view utf8);
  void drop(std::vector<std::filesystem::path> files);
  void close();

  /// The last frame.
  Image picture() const;
  /// Settles, then the picture.
  Image settled_picture();
  /// Settles, then draws one more frame and hands out what it drew, or of pictures only where they are.
  DisplayList settled_drawing(bool outlines = false);

  /// Where the visible item is whose path of ids ends with these; nothing where there is none. Draws a frame.
  std::optional<Rect> item(std::string_view path);

  double time() const;
  int frames_drawn() const;
  /// Seconds until the app wants another frame; infinity when nothing moves.
  double next_frame_in() const;
  bool closed() const;
  const HeatmapRenderer& heatmaps() const;
  std::string clipboard() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace headlight
