// Keeps on disk what a person does, while they do it, so that the next start goes on there, however this one ends.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "app/platform/background_thread.hpp"
#include "app/platform/surfaces/window.hpp"
#include "app/session/settings/settings.hpp"
#include "app/session/snapshot/snapshot.hpp"
#include "app/shell/headlight_app.hpp"
#include "core/compute/threads.hpp"

namespace headlight {

/// Kept are the settings, which all windows share, and the place, which each window has for itself.
struct KeptState {
  Settings settings;
  Snapshot snapshot;

  friend bool operator==(const KeptState&, const KeptState&) = default;
};

/// Writes what it is given to disk, beside the thread that draws: at once, and while more comes, the latest every half
/// second. What can't be written is tried again every two seconds. Otherwise nothing runs while there is nothing to
/// write. Each file is replaced in one step, so that whatever ends the program leaves the last whole state.
///
/// Any number of windows keep things at the same time. The settings are one file for all of them: a window writes there
/// only what was changed in it, under a lock, so that the last change of each setting counts and all recent files come
/// together. Places are files of their own (take_session_file).
class Keeper {
 public:
  /// `known` is what was read from the settings' file.
  Keeper(MemoryFiles files, Settings known, std::shared_ptr<Threads> threads,
         std::optional<std::chrono::milliseconds> pause = pause_between_writings());
  /// Writes what is left.
  ~Keeper();
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;

  /// Writes this to disk soon. Returns at once.
  void keep(const KeptState& state);
  /// Returns when this is on disk; the place is written even where it is there already, because the window that was
  /// closed last is the one to come back to. If one file cannot be written the other still is. Throws InputError then.
  void finish(const KeptState& state);
  /// Why something cannot be kept, once until it can be again; empty if there is nothing new to say.
  std::string take_problem();

 private:
  void write_all();
  void write(const KeptState& state);

  MemoryFiles files_;
  std::shared_ptr<Threads> threads_;
  std::optional<std::chrono::milliseconds> pause_;
  // Only the job that writes uses these; while there is none, the caller.
  Settings settings_;                ///< as this window knows the file
  std::optional<Snapshot> written_;  ///< as it is in the file; none: not known
  std::exception_ptr failure_;       ///< of the last writing
  bool lock_is_stuck_ = false;       ///< whether somebody held the settings' lock for too long the last time

  std::mutex mutex_;  ///< for what follows
  std::condition_variable hurry_;
  std::optional<KeptState> next_;
  bool busy_ = false;
  bool ending_ = false;
  std::string problem_;
  std::future<void> job_;
};

/// Gives the app what all windows share: recent files, the last export, the first hint, what was seen of the lectures.
void recall(HeadlightApp& app, const Settings& settings);

/// The part of the app's present state that is kept.
KeptState kept_of(const HeadlightApp& app);

/// Calls `run`, which runs the app, and keeps what changes in it after each frame and at the end, even if `run` throws.
/// If the window stays open, each further frame is kept too, and app and keeper must live as long as it. A projector's
/// large type is for one hall: it comes back only where the program was ended by force. Throws what `run` threw, or
/// else InputError if a file cannot be written at the end.
void run_and_remember(HeadlightApp& app, Keeper& keeper, const std::function<WindowState()>& run);

}  // namespace headlight
