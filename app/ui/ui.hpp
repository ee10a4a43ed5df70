// What controls and views are built on: items that can be pointed at, pressed and reached with the keyboard.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/keys.hpp"
#include "app/ui/drawing/canvas.hpp"
#include "app/ui/drawing/geometry.hpp"

namespace headlight {

struct KeyPress {
  Chord chord;
  bool repeated = false;  ///< the key is held down

  friend bool operator==(const KeyPress&, const KeyPress&) = default;
};

/// What a person did since the last frame, beyond the mouse and the text that Dear ImGui handles itself.
struct Input {
  std::vector<KeyPress> keys;
  std::vector<std::filesystem::path> dropped_files;
  bool wants_to_close = false;  ///< the person closed the window
};

using ItemId = std::uint32_t;

/// An item by name, for scripts: the path of ids that leads to it, "centre/heads/3/head", and where it is.
struct PlacedItem {
  std::string path;
  Rect rect;
};

/// How far scroll areas are scrolled, in design pixels. Keeps the areas that were scrolled last and forgets the others,
/// which are then at their tops again.
class ScrollOffsets {
 public:
  float of(ItemId area) const;
  void set(ItemId area, float offset);
  std::size_t size() const { return offsets_.size(); }

 private:
  std::vector<std::pair<ItemId, float>> offsets_;  ///< none is 0; the one that was set last is at the end
};

/// Values on their way to a target. One that nothing asks for in a frame is forgotten.
class EasedValues {
 public:
  /// The value of an item, which is `first` if the last frame did not ask for it.
  float& of(ItemId item, float first);
  void start_frame();
  std::size_t size() const { return last_frame_.size() + this_frame_.size(); }

 private:
  std::map<ItemId, float> last_frame_;
  std::map<ItemId, float> this_frame_;
};

/// What controls remember between frames. One per surface; views never use it.
struct UiMemory {
  ItemId focused = 0;
  bool focus_visible = false;     ///< the item was reached with the keyboard, so it shows the ring
  bool focus_moved = false;       ///< the focus moved in this frame: scroll areas bring it into view
  std::vector<ItemId> tab_order;  ///< of the frame being drawn
  bool covered = false;           ///< something covers what this frame has drawn before it
  bool was_covered = false;       ///< the same of the last frame
  ItemId uncovered_focus = 0;     ///< the item that gets the keyboard back once nothing covers it

  bool tab_completes = false;  ///< a field takes Tab for itself in the next frame

  ItemId editing = 0;   ///< the stepper or slider whose value is being typed
  int editing_age = 0;  ///< frames since typing began: a text field takes a moment to get the keyboard
  std::string edited_text;
  std::string text_before;  ///< the value before anybody typed or dragged

  double held_value = 0;    ///< of the control that is being dragged, when the drag began
  bool drag_ended = false;  ///< by Escape, although the button is still down

  Rect turned;       ///< the control over which the wheel changes its value: scroll areas leave the wheel to it
  Rect turned_next;  ///< the same for the next frame, being found in this one

  ItemId middle_held = 0;  ///< the item that the middle button went down on

  ItemId hovered = 0;  ///< for tooltips
  double hovered_since = 0;

  ScrollOffsets scroll;
  float most_hidden = 0;  ///< the most that a scroll area hides in this frame, for exported pictures
  EasedValues eased;
  bool reduce_motion = false;

  bool lists_items = false;  ///< for scripts: the visible items of the last frame by name
  std::vector<PlacedItem> items;
};

struct Item {
  ItemId id = 0;
  bool hovered = false;
  bool held = false;          ///< the mouse button went down on it and is still down
  bool pressed_now = false;   ///< it went down in this frame
  bool released_now = false;  ///< the button came up again, anywhere
  bool dragged = false;       ///< the mouse has moved since it went down, so its release is no click
  bool clicked = false;       ///< released over it, or Enter or Space while it has the keyboard
  bool double_clicked = false;
  bool focused = false;  ///< it has the keyboard and shows the ring
};

struct ItemOptions {
  bool enabled = true;
  bool focusable = true;
};

/// One frame of the interface. Views get it by reference and hand it down.
class Ui {
 public:
  Ui(const Fonts& fonts, const Theme& theme, Input input, UiMemory& memory, double time, double time_step);
  /// From now on everything drawn is also added to these lists: canvas() to `content`, overlay() to `overlay`.
  void record(DisplayList& content, DisplayList& overlay);

  const Theme& theme() const { return *theme_; }
  const Fonts& fonts() const { return *fonts_; }
  /// Draws into the current ImGui window.
  Canvas canvas() const;
  /// Draws over everything.
  Canvas overlay() const;
  /// The whole surface.
  Rect surface() const;
  float scale() const { return fonts_->scale(); }

  /// Something that can be pointed at and pressed. `id` is unique within the current id scope.
  Item item(std::string_view id, const Rect& r, ItemOptions options = {});
  /// Scopes of ids: inside a list, push each row's id.
  void push_id(std::string_view id);
  void push_id(int id);
  void pop_id();
  ItemId id_of(std::string_view id) const;

  Point mouse() const;
  /// Whether the mouse is over `r` in the current window, and `r` is neither covered nor clipped away there.
  bool mouse_over(const Rect& r) const;
  Point pressed_at() const;    ///< where the left button went down last
  bool mouse_clicked() const;  ///< the left button went down in this frame
  bool mouse_down() const;
  bool right_clicked() const;  ///< the right button went down in this frame
  bool ctrl() const;
  bool shift() const;
  /// How far the mouse moved in this frame while it drags the item: with the middle button, or with the left one after
  /// the few pixels that a click may take.
  Point drag_of(const Item& item);
  /// How many steps the wheel changes a control by: over the control, while it has the keyboard or Ctrl is held, so
  /// that scrolling a panel changes no value.
  int take_turns(const Rect& r, bool has_keyboard);
  /// Notches that the wheel was turned over `r`, upwards positive. Takes the turn, so that nothing below scrolls too.
  float take_wheel(const Rect& r);

  /// Keys of this frame that nobody has taken yet. Those left after drawing go to the action table.
  const std::vector<KeyPress>& keys() const { return input_.keys; }
  /// Whether the chord was pressed; takes it.
  bool take_key(const Chord& chord);
  bool take_key(Key key) { return take_key(Chord{key}); }
  /// Takes every key that types or edits, for an active text field.
  void take_typing_keys();
  const Input& input() const { return input_; }
  /// The letters of this frame, in UTF-8; an active text field has taken them already.
  std::string typed() const;
  /// Whether a text field is being edited.
  bool typing() const;
  void focus(ItemId id, bool visible = true);
  /// What was drawn so far is covered by what follows: neither Tab nor Enter reaches it.
  void cover();
  void release_focus();

  /// For the item drawn last: a hint that appears when the mouse rests on it, with the keys that do the same.
  void tooltip(const Item& item, std::string_view text, std::string_view keys = {});

  /// Clips both drawing and hit testing.
  void push_clip(const Rect& r);
  void pop_clip();

  double time() const { return time_; }
  double time_step() const { return time_step_; }
  /// Asks for another frame at once, or after some seconds, because something moves.
  void request_frame() { request_frame_in(0); }
  void request_frame_in(double seconds) { next_frame_in_ = std::min(next_frame_in_, seconds); }
  /// Seconds until the next frame is due; infinity when nothing moves.
  double next_frame_in() const { return next_frame_in_; }
  /// A value that moves linearly to its target, 1 per `seconds`. Asks for frames while it moves.
  float eased(std::string_view id, float target, float seconds);

  /// Takes the keyboard from the text field that has it.
  void stop_typing();

  /// Puts text on the clipboard, and gives the text that is on it.
  void copy(const std::string& text);
  std::string pasted() const;

  UiMemory& memory() { return *memory_; }

 private:
  void keep_focus_uncovered();
  void move_focus_by_tab();
  void release_focus_on_escape_or_click();
  void list_item(std::string_view id, const Rect& r);

  const Fonts* fonts_;
  const Theme* theme_;
  DisplayList* content_record_ = nullptr;
  DisplayList* overlay_record_ = nullptr;
  Input input_;
  UiMemory* memory_;
  double time_;
  double time_step_;
  double next_frame_in_ = std::numeric_limits<double>::infinity();
  std::vector<std::string> path_;  ///< the pushed ids, kept only while items are listed
};

/// A clipped region whose content may be taller than the region. The wheel scrolls it; Ctrl+wheel is left to the
/// content. Draw the content at content(), then destroy the area.
class ScrollArea {
 public:
  /// The content fades into `ground`, its background, where more follows: a line cut in two would look like a mistake.
  ScrollArea(Ui& ui, std::string_view id, const Rect& viewport, float content_height, Color ground);
  ~ScrollArea();
  ScrollArea(const ScrollArea&) = delete;
  ScrollArea& operator=(const ScrollArea&) = delete;

  /// The rectangle of the content: as tall as the content, moved up by what is scrolled.
  const Rect& content() const { return content_; }
  /// Scrolls so that `r` (in the coordinates of content()) is visible from the next frame on, and clear of the ends,
  /// which fade where the content goes on.
  void reveal(const Rect& r);

 private:
  Ui& ui_;
  ItemId id_;
  Rect viewport_;
  Rect content_;
  Color ground_;
};

/// Something over the rest: a sheet, a card, an open panel. While a Layer lives, items and drawing go to it, and the
/// items under it cannot be hovered or clicked. Make it after the things it covers are drawn.
class Layer {
 public:
  Layer(Ui& ui, std::string_view id, const Rect& r);
  ~Layer();
  Layer(const Layer&) = delete;
  Layer& operator=(const Layer&) = delete;

 private:
  Ui& ui_;
};

}  // namespace headlight
