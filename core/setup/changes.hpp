// How a setup differs from another one, key by key, in the words of the setup file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/model/setup.hpp"

namespace headlight {

struct Change {
  std::string key;              ///< "sizes.heads"; "random.draws[2]" if both setups have the same number of draws
  std::string lecture_value;    ///< "2"
  std::string own_value;        ///< "4"
  bool affects_numbers = true;  ///< false for the title and all labels: tokens, features, names of heads

  friend bool operator==(const Change&, const Change&) = default;
};

/// Every key whose meaning differs, in the order of the setup file. A key that is left out counts as its default.
std::vector<Change> changes(const Setup& lecture, const Setup& own);

/// An edit in the words of the screen, for undo and redo: "Temperature 1.00 → 2.00". Changes that had to follow are
/// left out: changing the heads from 2 to 4 is "Heads 2 → 4". Several changes that no single one explains are the first
/// of them "and 2 more". Empty if no key differs.
std::string edit_words(const Setup& before, const Setup& after);

/// `own` with the value of one key taken from `lecture`; unchanged if there is no such key.
Setup with_key_of(const Setup& lecture, Setup own, std::string_view key);
/// The same, with what no longer fits beside the value adapted, unless that would change the value.
Setup set_back(const Setup& lecture, const Setup& own, std::string_view key);

}  // namespace headlight
