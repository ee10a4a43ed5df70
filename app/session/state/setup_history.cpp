#include "app/session/state/setup_history.hpp"

#include <utility>

#include <fmt/format.h>

#include "core/setup/changes.hpp"

namespace headlight {

std::string words_between(const HistoryEntry& earlier, const HistoryEntry& later) {
  const bool opened = earlier.start != later.start && !later.step.lecture;
  if (in_same_setup(earlier.step, later.step) && !opened)
    return earlier.setup == later.setup && earlier.draft != later.draft ? words_between(earlier.draft, later.draft)
                                                                        : edit_words(earlier.setup, later.setup);
  if (!later.step.lecture) return "Open a setup";
  if (earlier.step.lecture != later.step.lecture) return fmt::format("Open \"{}\"", later.step.lecture->lecture->title);
  return fmt::format("Step {}", later.step.index + 1);
}

bool SetupHistory::continues(std::string_view gesture) const {
  return !gesture.empty() && gesture == gesture_ && can_undo();
}

void SetupHistory::record(HistoryEntry entry, std::string_view gesture) {
  const bool more = continues(gesture);
  if (more && before().setup == entry.setup && before().draft == entry.draft) {
    entries_.drop();
    gesture_.clear();
    return;
  }
  if (more) entries_.replace(std::move(entry));
  else entries_.visit(std::move(entry));
  gesture_ = gesture;
}

void SetupHistory::remember(HistoryEntry entry) {
  if (entries_.current().setup == entry.setup) entries_.replace(std::move(entry));
  else entries_.visit(std::move(entry));
}

std::vector<std::string> SetupHistory::words() const {
  std::vector<std::string> all(size());
  for (std::size_t i = 1; i < size(); ++i) all[i] = words_between(at(i - 1), at(i));
  return all;
}

void SetupHistory::replace_lecture(const std::shared_ptr<const OpenLecture>& old,
                                   const std::shared_ptr<const OpenLecture>& next) {
  entries_.for_each([&](HistoryEntry& entry) {
    if (entry.step.lecture == old) entry.step = moved_to(next, entry.step);
  });
}

}  // namespace headlight
