// Everything that can be done with one press, in one table. Menus, buttons, the palette, keys and tests read it.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "app/keys.hpp"
#include "app/session/session.hpp"

namespace headlight {

struct Action {
  std::string_view id;        ///< "edit.undo"; stable, for settings and tests
  std::string_view title;     ///< "Undo": as a menu, a tooltip and the palette say it
  std::string_view group;     ///< "Edit": heading of the menu and of the list of keys
  std::vector<Chord> chords;  ///< the first one is shown in menus
  bool (*enabled)(const Session&);
  void (*run)(Session&);
};

/// In the order of menus and of the list of keys; groups stand together.
std::span<const Action> actions();

}  // namespace headlight
