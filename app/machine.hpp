// What the machine around the window has, and what it keeps for itself. There is one answer for each machine, in
// app/platform/desktop and app/platform/web; everybody else only asks.
#pragma once

#include <string>

#include "app/keys.hpp"

namespace headlight {

struct Machine {
  bool has_folders = true;   ///< of files that a person knows, and programs that open what was written
  bool quits = true;         ///< the window can be closed from inside
  bool has_monitors = true;  ///< a second window can be put on another screen
  bool writes_pdf = true;    ///< else its own printing does that
};

const Machine& machine();

/// Whether the program around the window uses the chord itself: no action has it then.
bool is_taken(const Chord& chord);

/// A message or a document with the paths in it as the person knows them. Where no folders are, a file has its name
/// alone.
std::string as_known(std::string text);

}  // namespace headlight
