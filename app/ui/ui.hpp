// The basis of controls and views: items that can be hovered, pressed and reached with the keyboard.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/keys.hpp"
#include "app/ui/drawing/canvas.hpp"
#include "app/ui/drawing/geometry.hpp"
#include "app/ui/field_graphemes.hpp"
#include "app/ui/gestures.hpp"

namespace headlight {

struct KeyPress {
  Chord chord;
  bool repeated = false;  ///< the key is held down

  friend bool operator==(const KeyPress&, const KeyPress&) = default;
};

/// The user's input since the last frame, except the mouse and the text, which Dear ImGui handles.
struct Input {
  std::vector<KeyPress> keys;
  std::vector<std::filesystem::path> dropped_files;
  bool second_click = false;    ///< a button's change in this frame belongs to the second click of a double click
  bool wants_to_close = false;  ///< the user closed the window
  bool by_finger = false;       ///< a finger has moved the pointer, which is still where that was lifted
};

using ItemId = std::uint32_t;

/// The least height of what is tapped with a finger, in design pixels.
inline constexpr float fingertip = 44;

/// An item by name, for scripts: the path of its ids, "centre/heads/3/head", and its area.
struct PlacedItem {
  std::string path;
  Rect rect;
  bool tab_stops = true;  ///< Tab reaches it
  bool focused = false;   ///< the keyboard is on it
};

/// Words that a box shows, for scripts: what of them can be seen, and whether they have too little room.
struct PlacedWords {
  std::string text;
  Rect rect;
  bool cut = false;
};

/// The offsets of scroll areas, in design pixels. Only the areas that were scrolled last are kept; the others are at
/// their tops again.
class ScrollOffsets {
 public:
  float of(ItemId area) const;
  void set(ItemId area, float offset);
  std::size_t size() const { return offsets_.size(); }

 private:
  std::vector<std::pair<ItemId, float>> offsets_;  ///< none is 0; the one that was set last is at the end
};

/// Values that move to a target. A value that is not asked for in a frame is forgotten.
class EasedValues {
 public:
  /// The value of an item, or `first` if the last frame did not ask for it.
  float& of(ItemId item, float first);
  void start_frame();
  std::size_t size() const { return last_frame_.size() + this_frame_.size(); }

 private:
  std::map<ItemId, float> last_frame_;
  std::map<ItemId, float> this_frame_;
};

/// The directions in which the wheel does something.
struct WheelUse {
  bool up = true;
  bool down = true;

  friend bool operator==(const WheelUse&, const WheelUse&) = default;
};

/// An item that Tab reaches, and where it is.
struct TabStop {
  ItemId id = 0;
  Rect at;
};

/// Whether the focus is on the first or the last item that Tab reaches. A card that covers the rest has no such ends.
struct TabEnds {
  bool first = false;
  bool last = false;
};

/// The controls' state between frames. One per surface; views never use it.
struct UiMemory {
  ItemId focused = 0;
  bool focus_visible = false;      ///< the item was reached with the keyboard, so it has the ring
  bool focus_moved = false;        ///< the focus moved in this frame: scroll areas bring it into view
  Rect focused_at;                 ///< where it was drawn in this frame, in the scroll area that is being drawn
  std::vector<TabStop> tab_order;  ///< of the frame being drawn
  std::vector<std::size_t> parts;  ///< where the window's parts begin in tab_order
  std::size_t tab_start = 0;       ///< where Tab begins while nothing has the focus
  ItemId focused_list = 0;         ///< the list of items, one stop of Tab, that the focus is in
  int covers = 0;                  ///< that this frame has drawn so far, one over the other
  int covers_before = 0;           ///< that the last frame drew
  std::vector<KeyPress> waiting;   ///< keys for the uppermost cover, until that is drawn
  std::string waiting_letters;     ///< and the letters that were typed with them
  std::vector<Chord> wanted;       ///< keys that a control asked for in this frame
  bool wants_typing = false;       ///< or all keys that type or edit,
  bool wants_letters = false;      ///< that write,
  bool wants_number = false;       ///< that begin a number
  bool escaped = false;            ///< Escape took the focus from an item in this frame
  ItemId uncovered_focus = 0;      ///< the item that gets the focus back once nothing covers it

  bool tab_completes = false;  ///< a field takes Tab in the next frame

  ItemId keyboard_for = 0;     ///< the text field that is about to get the keyboard, if it is known
  int frames_to_keyboard = 0;  ///< above 0: a text field is about to get the keyboard, in so many frames at most

  ItemId editing = 0;        ///< the stepper or slider whose value is being typed
  int editing_age = 0;       ///< frames since typing began: a text field takes a moment to get the keyboard
  bool typed_over = false;   ///< it began with a character, which the next ones follow
  FieldGraphemes graphemes;  ///< of all text fields
  std::string edited_text;
  std::string text_before;  ///< the value before typing or dragging

  ItemId chooses_by_letters = 0;  ///< the choice that is typed into
  std::string typed_ahead;        ///< the letters so far
  double typed_at = 0;            ///< when the last of them came, in seconds

  double held_value = 0;    ///< of the control that is being dragged, when the drag began
  bool drag_ended = false;  ///< by Escape, although the button is still down

  Rect turned;       ///< the control whose value the wheel changes, so scroll areas ignore the wheel there
  Rect turned_next;  ///< the same for the next frame, found in this one

  DragUse drags = DragUse::none;    ///< what is under the pointer in this frame takes these
  WheelUse wheel = {false, false};  ///< what it would do in this frame to what is under the pointer

  ItemId middle_held = 0;    ///< the item that the middle button was pressed on
  ItemId pressed_first = 0;  ///< the item that the first press of a double click was on; 0: none
  Point pressed_first_at;
  ItemId ignores_press = 0;  ///< the item that the second one is not for, although it is under the pointer now

  ItemId hovered = 0;  ///< for tooltips
  double hovered_since = 0;

  ScrollOffsets scroll;
  float most_hidden = 0;  ///< the most that a scroll area hides in this frame, for exported pictures
  EasedValues eased;
  bool reduce_motion = false;

  std::string said;  ///< the item that the keyboard is on, in words, for people who listen

  bool lists_items = false;  ///< for scripts: the visible items of the last frame by name
  std::vector<PlacedItem> items;
  std::vector<PlacedWords> words;
  bool longer_words = false;  ///< for tests: words in boxes are 40 % longer, as in another language

  /// Whether a control asked for this key in the last frame, and would have taken it.
  bool wants(const Chord& chord) const;
};

struct Item {
  ItemId id = 0;
  Rect r = {};  ///< what of it can be seen
  bool hovered = false;
  bool held = false;          ///< the mouse button was pressed on it and is still down
  bool pressed_now = false;   ///< it was pressed in this frame
  bool released_now = false;  ///< the button was released, anywhere
  bool dragged = false;       ///< the mouse has moved since it was pressed, so its release does not count as a click
  bool clicked = false;       ///< released over it, or Enter or Space while it has the focus
  bool double_clicked = false;
  bool focused = false;  ///< it has the focus, and the ring
};

struct ItemOptions {
  bool enabled = true;
  bool focusable = true;
};

/// One frame of the interface. Views get it by reference and pass it on.
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
  /// From now on in this frame everything is made to be read on a small screen and tapped with a finger: no type is
  /// smaller than that of a lesson, and what asks for reach() is high enough.
  void serve_finger() {
    serves_finger_ = true;
    enlarge_type(least_lesson_type);
  }
  /// From now on in this frame no type is smaller than this, see legible().
  void enlarge_type(float least) { least_type_ = least; }
  float least_type() const { return least_type_; }
  bool serves_finger() const { return serves_finger_; }
  /// The height of a control or a row of this height: at least that of a finger's tip, if one taps it.
  float reach(float height) const { return serves_finger_ ? std::max(height, fingertip) : height; }
  float scale() const { return fonts_->scale(); }

  /// An area that can be hovered and pressed. `id` must be unique within the current id scope.
  Item item(std::string_view id, const Rect& r, ItemOptions options = {});
  /// Scopes of ids: inside a list, push each row's id.
  void push_id(std::string_view id);
  void push_id(int id);
  void pop_id();
  ItemId id_of(std::string_view id) const;

  Point mouse() const;
  /// Whether the mouse is over `r` in the current window, and `r` is neither covered nor clipped there.
  bool mouse_over(const Rect& r) const;
  Point pressed_at() const;    ///< where the left button was last pressed
  bool mouse_clicked() const;  ///< the left button was pressed in this frame
  bool mouse_down() const;
  bool right_clicked() const;  ///< the right button was pressed in this frame
  bool ctrl() const;
  bool shift() const;
  /// How far the mouse moved in this frame while dragging the item: with the middle button, or with the left one beyond
  /// the few pixels of a click.
  Point drag_of(const Item& item);
  /// Says that an item takes a drag, if the pointer is over it: a finger that moves there does not scroll then.
  void claim_drag(const Item& item, DragUse drags = DragUse::any) {
    if (item.hovered || item.held) memory_->drags = std::max(memory_->drags, drags);
  }
  /// The same for a drag that edits. A finger may only have meant to scroll: outside a sheet, it must rest first.
  void claim_edit(const Item& item, DragUse drags = DragUse::any) {
    claim_drag(item, input_.by_finger && memory_->covers == 0 ? DragUse::after_rest : drags);
  }
  /// The number of steps by which the wheel changes a control. Only over the control, while it has the focus or Ctrl is
  /// held, so that scrolling a panel does not change values.
  int take_turns(const Rect& r, bool has_keyboard);
  /// The notches that the wheel was turned over `r`, positive upwards. Takes them, so that nothing below scrolls too.
  /// `use` tells in which directions they have an effect now; a page around the window gets the others.
  float take_wheel(const Rect& r, WheelUse use = {});

  /// The keys of this frame that have not been taken yet. After drawing, the rest are looked up in the action table.
  const std::vector<KeyPress>& keys() const { return input_.keys; }
  /// Whether a control has taken a key of this frame, or what covers the rest has all of them.
  bool has_taken_keys() const { return is_covered() || input_.keys.size() < given_keys_; }
  /// Whether the chord was pressed and is the first that is left; takes it. What was pressed after it comes in the next
  /// frame, because it may be for what this one does.
  bool take_key(const Chord& chord);
  bool take_key(Key key) { return take_key(Chord{key}); }
  /// Takes every key that types or edits, for an active text field.
  void take_typing_keys();
  const Input& input() const { return input_; }
  /// The letters typed in this frame, in UTF-8; an active text field has taken them already.
  std::string typed() const;
  /// What was typed in this frame, if a number begins like that: "0", "-", "."; else empty. Takes its keys.
  std::string take_typed_number();
  /// The letters, digits and signs that were typed over an item with the focus ring, without blanks. Takes their keys,
  /// which must do nothing else: keys of the app such as those of the heads.
  std::string take_typed(const Item& item);
  /// Whether a text field is being edited.
  bool typing() const;
  void focus(ItemId id, bool visible = true);
  /// Everything drawn so far is covered by what follows: no key reaches it. The keys of a frame are there once the
  /// uppermost of last frame's covers is drawn; if it has gone, they are those of the next frame.
  void cover();
  /// Whether something covered what the last frame drew first.
  bool is_covered() const { return memory_->covers_before > 0; }
  void release_focus();
  /// Once everything is drawn.
  TabEnds tab_ends() const;
  /// Tells people who listen what the keyboard is on: an item that has the focus, or the row that Enter takes.
  void say(std::string words) { memory_->said = std::move(words); }
  void say_focused(const Item& item, std::string_view words) {
    if (item.focused) say(std::string(words));
  }
  /// The same for a control: its name, what it is, and its state: "Batch, stepper, 2". One without a name of its own
  /// has that of its row.
  void say_control(const Item& item, std::string_view name, std::string_view role, std::string_view state = {});
  /// From here on controls belong to a row with this name; without one, to none.
  void begin_row(std::string_view name) { row_name_ = name; }
  std::string_view row_or(std::string_view otherwise) const { return row_name_.empty() ? otherwise : row_name_; }

  /// From here on items belong to the next part of the window. F6 and Shift+F6 move the focus from part to part.
  void begin_part() { memory_->parts.push_back(memory_->tab_order.size()); }
  /// While nothing has the focus, Tab goes to the next item that is drawn.
  void begin_tab_here() { memory_->tab_start = memory_->tab_order.size(); }

  /// Until end_list() the items are a list: one stop of Tab, the first of them or the one that has the focus. The arrow
  /// keys lead from one to the next.
  void begin_list(std::string_view id);
  void end_list();

  /// Tab reaches an item that item() didn't make. It goes along a row of a part from left to right, in whichever order
  /// that is drawn.
  void add_to_tab_order(ItemId item, const Rect& r);

  /// A hint that appears when the mouse rests on the item, beside it where there is room, with the keys that do the
  /// same. Not under a finger, because nothing would take it away again.
  void tooltip(const Item& item, std::string_view text, std::string_view keys = {});

  /// Clips both drawing and hit testing.
  void push_clip(const Rect& r);
  void pop_clip();

  double time() const { return time_; }
  double time_step() const { return time_step_; }
  /// Requests another frame at once, or after some seconds, because something moves.
  void request_frame() { request_frame_in(0); }
  void request_frame_in(double seconds) { next_frame_in_ = std::min(next_frame_in_, seconds); }
  /// Seconds until the next frame is due; infinity when nothing moves.
  double next_frame_in() const { return next_frame_in_; }
  /// A value that moves linearly to its target, by 1 per `seconds`. Requests frames while it moves.
  float eased(std::string_view id, float target, float seconds);

  /// A text field that is about to be drawn gets the keyboard. Keys wait until it has it, so that none is lost.
  void expect_keyboard(ItemId field = 0);
  /// Removes the focus from the active text field.
  void stop_typing();

  /// Sets the clipboard's text, and returns it.
  void copy(const std::string& text);
  std::string pasted() const;

  UiMemory& memory() { return *memory_; }

  /// Lists ImGui's last item for scripts. item() does it by itself.
  void list_item(std::string_view id, const Rect& r, bool tab_stops = true, bool focused = false);
  /// Lists words for scripts.
  void list_words(std::string_view text, const Rect& r, bool cut);

 private:
  bool is_for_another(ItemId item);
  void take_arrows(const Item& item, const Rect& r);
  void keep_focus_uncovered();
  void withhold_keys();
  bool waits_for_cover() const { return memory_->covers < memory_->covers_before; }
  void move_focus_by_tab();
  void move_focus_by_part();
  void begin_tab_order();
  void release_focus_on_escape_or_click();

  const Fonts* fonts_;
  const Theme* theme_;
  DisplayList* content_record_ = nullptr;
  DisplayList* overlay_record_ = nullptr;
  Input input_;
  std::size_t given_keys_ = 0;
  UiMemory* memory_;
  double time_;
  double time_step_;
  double next_frame_in_ = std::numeric_limits<double>::infinity();
  bool serves_finger_ = false;
  float least_type_ = 0;
  std::string letters_before_;     ///< typed in the last frame, when everything seemed to be covered
  bool typed_taken_ = false;       ///< what was typed in this frame has gone to a control
  std::vector<std::string> path_;  ///< the pushed ids, kept only while items are listed
  std::string row_name_;           ///< of the controls that are drawn now

  /// The list that is drawn now.
  struct List {
    ItemId id = 0;
    ItemId last = 0;  ///< the item before the next one
    Rect last_at;
    bool focused = false;  ///< one of its items has the focus
    bool to_next = false;  ///< the next item gets it
  };
  std::optional<List> list_;
};

/// A clipped region whose content may be taller. The wheel scrolls it, and so does a focus that moves to what can't be
/// seen; Ctrl+wheel is left to the content. Draw the content at content(), then destroy the object.
class ScrollArea {
 public:
  /// The content fades into `ground`, its background, at an end with more content, because a line cut in two would look
  /// like a mistake.
  ScrollArea(Ui& ui, std::string_view id, const Rect& viewport, float content_height, Color ground);
  ~ScrollArea();
  ScrollArea(const ScrollArea&) = delete;
  ScrollArea& operator=(const ScrollArea&) = delete;

  /// The rectangle of the content: as tall as the content, moved up by the scroll offset.
  const Rect& content() const { return content_; }
  /// Scrolls so that `r` (in the coordinates of content()) is visible from the next frame on, and clear of ends that
  /// fade.
  void reveal(const Rect& r);

 private:
  Ui& ui_;
  ItemId id_;
  Rect viewport_;
  Rect content_;
  Color ground_;
  Rect focused_outside_;
};

/// Covers the rest: for a sheet, a card, an open panel. While a Layer exists, items and drawing belong to it, and the
/// items under it cannot be hovered or clicked. Create it after everything that it covers is drawn.
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
