// The setups that undo and redo return to.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/state/draft.hpp"
#include "app/session/state/lesson_state.hpp"
#include "app/session/state/trail.hpp"
#include "core/formats/layers/open_model.hpp"
#include "core/model/setup.hpp"

namespace headlight {

/// A setup, with the step of a lecture at which it was last shown, and what it belongs to.
struct HistoryEntry {
  Setup setup;
  LectureStep step;
  std::uint64_t start = 0;                           ///< the opening that led to it: see Session::start()
  std::shared_ptr<const OpenModel> model = nullptr;  ///< the one that was open then
  Draft draft = {};                                  ///< what had been written
};

/// The change between two successive entries: an edit ("Temperature 1.00 → 2.00"), what was written ("Write “k”"), or
/// another step of a lecture ("Step 3").
std::string words_between(const HistoryEntry& earlier, const HistoryEntry& later);

/// Successive edits with the same gesture, such as dragging a slider, are one step of undo until the gesture ends.
class SetupHistory {
 public:
  bool can_undo() const { return entries_.can_go_back(); }
  bool can_redo() const { return entries_.can_go_forward(); }
  const HistoryEntry& current() const { return entries_.current(); }
  /// The entries that undo and redo return to.
  const HistoryEntry& before() const { return entries_.before(); }
  const HistoryEntry& after() const { return entries_.after(); }
  void undo() { entries_.go_back(); }
  void redo() { entries_.go_forward(); }
  /// All entries, the oldest first, and which one is the current one.
  std::size_t size() const { return entries_.size(); }
  std::size_t position() const { return entries_.position(); }
  const HistoryEntry& at(std::size_t position) const { return entries_.at(position); }
  void go_to(std::size_t position) { entries_.go_to(position); }
  /// The change that led to each entry; empty for the first.
  std::vector<std::string> words() const;

  /// Whether an edit with this gesture would belong to the last step.
  bool continues(std::string_view gesture) const;
  void end_gesture() { gesture_.clear(); }
  /// Records an edit. If a gesture ends at the setup where it began, it leaves no step.
  void record(HistoryEntry entry, std::string_view gesture);
  /// Records what is shown without an edit. Another setup adds a step of undo; another step of a lecture with the same
  /// setup does not.
  void remember(HistoryEntry entry);
  /// Adds a step, whatever it is, or replaces the last one.
  void visit(HistoryEntry entry) { entries_.visit(std::move(entry)); }
  void replace(HistoryEntry entry) { entries_.replace(std::move(entry)); }

  /// Makes the present entry the oldest.
  void forget_others() { entries_.forget_others(); }
  /// Replaces a lecture by its new version.
  void replace_lecture(const std::shared_ptr<const OpenLecture>& old, const std::shared_ptr<const OpenLecture>& next);

 private:
  Trail<HistoryEntry> entries_;
  std::string gesture_;
};

}  // namespace headlight
