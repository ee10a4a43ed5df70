// A surface without a display, for pictures, and for tests that script a person's input.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/platform/pictures/image.hpp"
#include "app/platform/surfaces/app.hpp"

namespace headlight {

enum class MouseButton : std::uint8_t { left, right, middle };

/// Draws an app offscreen. Every frame advances time by 1/60 s, however long it really takes, so that the same script
/// gives the same pictures. Positions are in design pixels, as in the views. `app` must outlive this object.
class Offscreen {
 public:
  /// A surface of width × height at a display scale: the picture has width · scale × height · scale pixels.
  /// Throws MachineError.
  Offscreen(App& app, int width, int height, float scale = 1);
  ~Offscreen();
  Offscreen(const Offscreen&) = delete;
  Offscreen& operator=(const Offscreen&) = delete;

  void resize(int width, int height);
  /// Pictures and scripts see where motion ends, unless they ask for the way there.
  void let_move(bool moves = true);

  /// Draws frames. The first one gets all the input that was scripted since the last frame.
  void frames(int count = 1);
  /// Draws until nothing moves: at least two frames, so that hovering settles, and at most `limit` scripted seconds.
  void settle(double limit = 5);
  /// Lets scripted time pass, drawing frames meanwhile.
  void wait(double seconds);

  void move_mouse(Point to);
  /// From now on it is a finger that moves the pointer.
  void use_finger();
  void press_mouse(MouseButton button = MouseButton::left);
  void release_mouse(MouseButton button = MouseButton::left);
  /// Moves the mouse, presses and releases, with frames in between.
  void click(Point at);
  void double_click(Point at);
  void drag(Point from, Point to, int steps = 4, MouseButton button = MouseButton::left);
  void wheel(float notches);
  /// Presses and releases a key, with modifiers.
  void key(const Chord& chord);
  void key(Key key) { this->key(Chord{key}); }
  /// Presses and releases keys, all of them before the next frame, as in a window that is late. Draws frames until each
  /// has come to its own, and returns how many.
  int keys_at_once(std::span<const Chord> chords);
  void hold_ctrl(bool down);
  void type(std::string_view utf8);
  void drop(std::vector<std::filesystem::path> files);
  void close();

  /// The picture of the last frame.
  Image picture() const;
  /// Draws a frame and gives what it drew. With `outlines`, pictures are recorded without colours.
  DisplayList drawing(bool outlines = false);
  /// Settles, then gives the picture.
  Image settled_picture();
  /// Settles, then does the same.
  DisplayList settled_drawing(bool outlines = false);

  /// All visible items by the paths of their ids. Draws a frame.
  std::vector<PlacedItem> items();
  /// Where the visible item is whose path of ids ends with `path`; nothing if there is none. Draws a frame.
  std::optional<Rect> item(std::string_view path);
  /// All visible words of boxes, line by line. Draws a frame.
  std::vector<PlacedWords> words();
  /// From now on the words of boxes are 40 % longer.
  void lengthen_words();

  /// How many controls Tab went through in the last frame.
  std::size_t tab_stops() const;
  /// What the keyboard was on in the last frame, in words; empty: nothing in particular.
  std::string said() const;

  double time() const;
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
