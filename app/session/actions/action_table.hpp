// Everything that can be done with one key press or click, in one table. Menus, buttons, the palette, keys and tests
// read it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "app/keys.hpp"
#include "app/session/actions/target.hpp"
#include "app/session/session.hpp"

namespace headlight {

/// The parts of a context menu, from top to bottom, with a line between two of them.
enum class MenuPart : std::uint8_t { explain, copy, pin, hide, take_away, compare };

/// In which context menus an action stands, and what it does to the thing that the menu was opened on.
struct InMenus {
  TargetKinds of = {};  ///< none: it stands in no menu
  MenuPart part = MenuPart::explain;
  bool (*fits)(const Session&, const Target&) = nullptr;  ///< null: it fits while the action is enabled
  void (*run)(Session&, const Target&) = nullptr;         ///< null: the action has no use for a thing
};

struct Action {
  std::string_view id;        ///< "edit.undo"; stable, for settings and tests
  std::string_view title;     ///< "Undo": the text in menus, tooltips and the palette
  std::string_view group;     ///< "Edit": heading of the menu and of the list of keys
  std::vector<Chord> chords;  ///< key combinations; menus show the first
  bool (*enabled)(const Session&);
  void (*run)(Session&);
  bool on_stage = false;  ///< its keys count only while presenting, and then before those of all other actions
  InMenus menus = {};

  /// The key combination that menus and tooltips show; empty if the action has none.
  std::string keys() const { return chords.empty() ? std::string() : to_string(chords.front()); }
};

/// All actions, in the order of menus and of the list of keys; actions of one group stand together.
std::span<const Action> actions();

}  // namespace headlight
