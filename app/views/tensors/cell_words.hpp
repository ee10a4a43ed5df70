// What a number says, as one would say it: "bank’s water: 1".
#pragma once

#include <string>

#include "core/model/cell.hpp"

namespace headlight {

class Session;

struct CellWords {
  std::string before;  ///< "In head 1, "; may be empty
  std::string whose;   ///< "bank": the word that the number belongs to; empty if it belongs to none
  std::string rest;    ///< "’s water: 1"

  std::string all() const { return before + whose + rest; }
};

/// The words of a cell of the shown trace: where it is and what it is called, and its number. That is "?" where the
/// lecture's step asks about it, or where it is withheld.
CellWords words_of_cell(const Session& session, const Cell& cell, bool withheld = false);

}  // namespace headlight
