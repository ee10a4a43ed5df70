// The controls of the design, in immediate mode. Each is drawn in a rectangle in design pixels. All can be reached with
// Tab and operated with Enter, Space and the arrow keys. Their height is 28 unless stated otherwise.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "app/ui/ui.hpp"

namespace headlight {

enum class ButtonKind : std::uint8_t { normal, primary, quiet };

struct ButtonOptions {
  ButtonKind kind = ButtonKind::normal;
  bool enabled = true;
  bool once = false;      ///< ignores the second click of a double click: the first may have changed its meaning
  bool selected = false;  ///< drawn as pressed, for a toggle
  std::string_view tooltip = {};  ///< for a disabled button: the reason
  std::string_view keys = {};     ///< the keys that do the same, for the tooltip
};

bool button(Ui& ui, std::string_view id, const Rect& r, std::string_view label, const ButtonOptions& options = {});
bool icon_button(Ui& ui, std::string_view id, const Rect& r, Icon icon, const ButtonOptions& options = {});

struct ChoiceOptions {
  bool mono = false;     ///< the labels are numbers
  bool changed = false;  ///< differs from the lecture; only a select shows the dot
  std::string_view tooltip = {};
  std::span<const std::string> notes = {};  ///< beside the items in the list of a select
};

/// Chooses one of a few labels side by side. Returns true when another one was chosen.
bool segmented(Ui& ui, std::string_view id, const Rect& r, std::span<const std::string_view> labels, int& index,
               const ChoiceOptions& options = {});
/// Chooses one of many items in a drop-down list. Returns true when another one was chosen.
bool select(Ui& ui, std::string_view id, const Rect& r, std::span<const std::string> items, int& index,
            const ChoiceOptions& options = {});
/// Labels in a row, with the chosen one underlined in the lamp's colour. Returns true when another one was chosen. They
/// start 12 to the left of `r`, so that the first word is at its edge.
bool tabs(Ui& ui, std::string_view id, const Rect& r, std::span<const std::string_view> labels, int& index,
          float gap = 34);

bool toggle(Ui& ui, std::string_view id, Point top_left, bool& on, bool enabled = true);
constexpr float toggle_width = 32;
constexpr float toggle_height = 18;

/// A token or a filter, of width chip_width().
Item chip(Ui& ui, std::string_view id, const Rect& r, std::string_view label, bool selected = false);
float chip_width(const Canvas& canvas, std::string_view label);

/// The header of a panel's section: rule, title, and quiet words on the right.
void section_header(const Canvas& canvas, const Rect& row, std::string_view title, std::string_view right = {});
/// The arrow that resets a changed value, with words about it ("lecture: 2") if there are any. The dot at the label is
/// changed_dot.
Item changed_note(Ui& ui, std::string_view id, Point baseline, std::string_view words);
/// The width of the note.
float changed_note_width(const Ui& ui, std::string_view words);
void changed_dot(const Canvas& canvas, Point center);
/// Draws a key cap, as in the status bar, and returns its width. `baseline` is that of the words beside it.
float key_cap(const Canvas& canvas, Point baseline, std::string_view key);
float key_cap_width(const Canvas& canvas, std::string_view key);

}  // namespace headlight
