#include "app/session/actions/actions.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

namespace headlight {
namespace {

char lower(char letter) { return static_cast<char>(std::tolower(static_cast<unsigned char>(letter))); }

}  // namespace

const Action* action_named(std::string_view id) {
  const auto table = actions();
  const auto found = std::find_if(table.begin(), table.end(), [&](const Action& action) { return action.id == id; });
  return found == table.end() ? nullptr : &*found;
}

const Action* action_for(const Chord& chord) {
  const auto table = actions();
  const auto found = std::find_if(table.begin(), table.end(), [&](const Action& action) {
    return std::find(action.chords.begin(), action.chords.end(), chord) != action.chords.end();
  });
  return found == table.end() ? nullptr : &*found;
}

bool run(const Action& action, Session& session) {
  if (!action.enabled(session)) return false;
  action.run(session);
  return true;
}

bool press(const Chord& chord, Session& session) {
  const Action* action = action_for(chord);
  return action != nullptr && run(*action, session);
}

int match_quality(std::string_view typed, std::string_view text) {
  int quality = 1;
  int streak = 0;
  std::size_t at = 0;
  for (char letter : typed) {
    if (letter == ' ') {
      streak = 0;
      continue;
    }
    const std::size_t start = at;
    while (at < text.size() && lower(text[at]) != lower(letter)) ++at;
    if (at == text.size()) return 0;
    const bool begins_word = at == 0 || text[at - 1] == ' ' || text[at - 1] == '.' || text[at - 1] == '_';
    streak = at == start ? streak + 1 : 0;
    quality += 1 + 2 * streak + (begins_word ? 5 : 0);
    ++at;
  }
  return quality;
}

std::vector<const Action*> matching_actions(std::string_view text, const Session& session) {
  std::vector<std::pair<int, const Action*>> found;
  for (const Action& action : actions()) {
    if (!action.enabled(session)) continue;
    // The title counts most; its group and its id are other words for the same.
    const int quality = std::max({2 * match_quality(text, action.title), match_quality(text, action.id),
                                  match_quality(text, fmt::format("{} {}", action.group, action.title))});
    if (quality > 0) found.emplace_back(quality, &action);
  }
  // Without a text all fit as well, and the order of the table stays.
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<const Action*> sorted;
  for (const auto& [quality, action] : found) sorted.push_back(action);
  return sorted;
}

}  // namespace headlight
