#include "core/formats/toml/toml_entry.hpp"

#include <fmt/format.h>

namespace headlight {

std::vector<std::string_view> names_of(std::span<const Word> words) {
  std::vector<std::string_view> names;
  for (const Word& word : words) names.push_back(word.name);
  return names;
}

std::string wanted_number_or(std::span<const Word> words) { return entry_detail::words_or(words, wanted_number); }

}  // namespace headlight
