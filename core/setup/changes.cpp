#include "core/setup/changes.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "core/setup/keys.hpp"
#include "core/text/numbers.hpp"

namespace headlight {
namespace {

constexpr std::size_t longest_value = 24;  ///< of a value in the words for undo, in bytes; longer ones are left out

void add_draw_changes(std::string_view key, const std::vector<Draw>& theirs, const std::vector<Draw>& ours,
                      std::vector<Change>& found) {
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (theirs[i] != ours[i])
      found.push_back({fmt::format("{}[{}]", key, i), to_string(theirs[i]), to_string(ours[i]), true});
  }
}

/// The number in "[3]"; nullopt if the text is anything else.
std::optional<std::size_t> index_in(std::string_view brackets) {
  if (brackets.size() < 2 || !brackets.starts_with('[') || !brackets.ends_with(']')) return std::nullopt;
  return number_from<std::size_t>(brackets.substr(1, brackets.size() - 2));
}

/// The setup without what its mask does not use: settings of kinds that are off, painting that hides nothing, and the
/// order in which things were done.
Setup with_plain_mask(Setup setup) {
  MaskSettings& mask = setup.mask;
  if (!mask.has(MaskKind::custom)) mask.blocked.clear();
  if (mask.blocked.empty()) std::erase(mask.kinds, MaskKind::custom);
  if (!mask.has(MaskKind::padding)) mask.valid_lengths.clear();
  if (!mask.has(MaskKind::window)) mask.window = MaskSettings{}.window;
  std::sort(mask.kinds.begin(), mask.kinds.end());
  std::sort(mask.blocked.begin(), mask.blocked.end());
  return setup;
}

}  // namespace

std::vector<Change> changes(const Setup& lectures_own, const Setup& own_as_it_is) {
  const Setup lecture = with_plain_mask(lectures_own);
  const Setup own = with_plain_mask(own_as_it_is);
  std::vector<Change> found;
  for (const SetupKey& key : setup_keys()) {
    if (key.same(lecture, own)) continue;
    if (key.name == "random.draws" && lecture.random.draws.size() == own.random.draws.size())
      add_draw_changes(key.name, lecture.random.draws, own.random.draws, found);  // draw by draw
    else found.push_back({std::string(key.name), key.text(lecture), key.text(own), key.affects_numbers});
  }
  return found;
}

std::string edit_words(const Setup& before, const Setup& after) {
  std::vector<const SetupKey*> differing;
  for (const SetupKey& entry : setup_entries())
    if (!entry.same(before, after)) differing.push_back(&entry);
  if (differing.empty()) return {};
  const auto cause =
      std::ranges::find_if(differing, [&](const SetupKey* entry) { return entry->taken(after, before) == after; });
  const SetupKey& entry = cause == differing.end() ? *differing.front() : **cause;
  std::string words(entry.label);
  std::string was = entry.shown(before);
  std::string is = entry.shown(after);
  if (was == is) {  // rounded for the screen
    was = entry.text(before);
    is = entry.text(after);
  }
  if (std::max(was.size(), is.size()) <= longest_value) words += fmt::format(" {} → {}", was, is);
  if (cause == differing.end() && differing.size() > 1) words += fmt::format(" and {} more", differing.size() - 1);
  return words;
}

Setup with_key_of(const Setup& lecture, Setup own, std::string_view key) {
  const std::string_view name = key.substr(0, key.find('['));
  const SetupKey* found = setup_key(name);
  if (found == nullptr) return own;
  if (name == key) {
    found->copy(lecture, own);
    return own;
  }
  const auto index = index_in(key.substr(name.size()));
  const std::vector<Draw>& theirs = lecture.random.draws;
  std::vector<Draw>& ours = own.random.draws;
  if (name == "random.draws" && theirs.size() == ours.size() && index && *index < ours.size())
    ours[*index] = theirs[*index];
  return own;
}

Setup set_back(const Setup& lecture, const Setup& own, std::string_view key) {
  const SetupKey* const entry = setup_key(key);
  if (entry == nullptr) return with_key_of(lecture, own, key);
  Setup adapted = entry->taken(lecture, own);
  if (entry->same(adapted, lecture)) return adapted;
  return with_key_of(lecture, own, key);  // is refused, and `problems` tells why
}

}  // namespace headlight
