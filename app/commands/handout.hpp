// `headlight handout`: a lecture on paper.
#pragma once

#include <filesystem>
#include <string>

#include "app/commands/figure_options.hpp"
#include "app/commands/what.hpp"

namespace headlight {

struct HandoutArguments {
  TypedChoices choices;   ///< paper, and whether with the speaker's notes
  bool progress = false;  ///< prints its progress, line by line
  std::filesystem::path output;
};

/// Writes the handout of the lecture that WHAT names; its own settings count, not those of WHAT. Throws InputError
/// where it names none.
int write_handout(const What& what, const HandoutArguments& arguments);

}  // namespace headlight
