// Everything that can be done with one key press or click, in one table. Menus, buttons, the palette, keys and tests
// read it.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "app/keys.hpp"
#include "app/session/session.hpp"

namespace headlight {

struct Action {
  std::string_view id;        ///< "edit.undo"; stable, for settings and tests
  std::string_view title;     ///< "Undo": the text in menus, tooltips and the palette
  std::string_view group;     ///< "Edit": heading of the menu and of the list of keys
  std::vector<Chord> chords;  ///< key combinations; menus show the first
  bool (*enabled)(const Session&);
  void (*run)(Session&);
  bool on_stage = false;  ///< its keys count only while presenting, and then before those of all other actions
};

/// All actions, in the order of menus and of the list of keys; actions of one group stand together.
std::span<const Action> actions();

}  // namespace headlight
