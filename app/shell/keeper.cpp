#include "app/shell/keeper.hpp"

#include <algorithm>
#include <utility>

#include "app/platform/file_lock.hpp"
#include "app/session/lesson.hpp"
#include "app/session/worker.hpp"
#include "app/shell/user_folders.hpp"
#include "app/views/base/last_export.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/overlays/overlays.hpp"
#include "app/views/overlays/path_card.hpp"

namespace headlight {
namespace {

/// How long writing waits for other windows, each of which holds the lock of the settings for milliseconds. A program
/// that holds it for longer hangs or is stopped: nobody waits for it again, and what was changed is written all the
/// same.
constexpr std::chrono::milliseconds longest_wait(1000);

/// Runs `work` and returns what it threw, or null.
std::exception_ptr thrown_by(const std::function<void()>& work) {
  try {
    work();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

Settings settings_of(const HeadlightApp& app) {
  const ViewMemory& memory = app.memory();
  const auto& last = memory.get<LastExport>();
  Settings settings;
  settings.appearance = lasting_appearance(app.session().display());
  settings.recent_files = memory.get<FilesMemory>().recent;
  settings.export_choices = last.choices;
  settings.export_folder = last.folders.pictures.string();
  settings.export_data_folder = last.folders.data.string();
  settings.marks = *app.session().state().marks;
  settings.modes = *app.session().state().modes;
  settings.reviews = *app.session().state().reviews;
  settings.hint_seen = !memory.get<OverlaysMemory>().hint;
  settings.maximised = app.is_maximised();
  return settings;
}

/// The pause before something is tried again that has failed.
std::chrono::milliseconds longer_than(std::chrono::milliseconds pause) {
  return std::max(4 * pause, std::chrono::milliseconds(10));
}

/// Keeps the app after each frame in which something has changed.
class FrameKeeper {
 public:
  explicit FrameKeeper(Keeper& keeper) : keeper_(keeper) {}

  void after_frame(HeadlightApp& app) {
    if (const std::string problem = keeper_.take_problem(); !problem.empty())
      app.session().notify("Your changes can't be saved: " + problem);
    // At a start the place is restored step by step. Until that is done, the file knows more than the session.
    restored_ = restored_ || !app.session().state().computing;
    if (!restored_) return;
    const Settings settings = settings_of(app);
    if (seen_ == app.session().revision() && settings == kept_.settings) return;
    seen_ = app.session().revision();
    const KeptState now = kept_of(app);
    if (now == kept_) return;
    kept_ = now;
    keeper_.keep(kept_);
  }

 private:
  Keeper& keeper_;
  KeptState kept_;
  std::optional<std::uint64_t> seen_;
  bool restored_ = false;
};

}  // namespace

Keeper::Keeper(MemoryFiles files, Settings known, std::shared_ptr<Threads> threads,
               std::optional<std::chrono::milliseconds> pause)
    : files_(std::move(files)), threads_(std::move(threads)), pause_(pause), settings_(std::move(known)) {}

Keeper::~Keeper() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  hurry_.notify_all();
  if (job_.valid()) job_.wait();
}

void Keeper::keep(const KeptState& state) {
  {
    const std::lock_guard lock(mutex_);
    next_ = state;
    if (std::exchange(busy_, true)) return;
  }
  if (!pause_) return write_all();
  job_ = threads_->beside([this] { write_all(); });
}

void Keeper::finish(const KeptState& state) {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  hurry_.notify_all();
  if (job_.valid()) job_.wait();
  written_.reset();
  write(state);
  if (failure_) std::rethrow_exception(failure_);
}

std::string Keeper::take_problem() {
  const std::lock_guard lock(mutex_);
  return std::exchange(problem_, {});
}

/// Writes the latest state until nothing is left to write.
void Keeper::write_all() {
  std::unique_lock lock(mutex_);
  while (next_) {
    const KeptState state = *std::exchange(next_, std::nullopt);
    lock.unlock();
    const bool failed_before = failure_ != nullptr;
    write(state);
    lock.lock();
    if (failure_ && !failed_before) problem_ = words_of(failure_);
    if (!pause_) continue;
    // What failed is tried again, because a full disk may have room by then.
    if (failure_ && !next_ && !ending_) next_ = state;
    hurry_.wait_for(lock, failure_ ? longer_than(*pause_) : *pause_, [&] { return ending_; });
  }
  busy_ = false;
}

void Keeper::write(const KeptState& state) {
  const std::exception_ptr settings_failure = thrown_by([&] {
    if (state.settings == settings_ || files_.settings.empty()) return;
    make_folder(files_.settings.parent_path());
    const auto lock =
        FileLock::when_free(files_.settings, lock_is_stuck_ ? std::chrono::milliseconds(0) : longest_wait);
    lock_is_stuck_ = !lock;
    save_changes(settings_, state.settings, files_.settings);
    settings_ = state.settings;
  });
  const std::exception_ptr place_failure = thrown_by([&] {
    if (state.snapshot == written_) return;
    save(state.snapshot, files_.session);
    written_ = state.snapshot;
  });
  failure_ = settings_failure ? settings_failure : place_failure;
}

void recall(HeadlightApp& app, const Settings& settings) {
  ViewMemory& memory = app.memory();
  memory.get<FilesMemory>().recent = settings.recent_files;
  memory.get<LastExport>() = {settings.export_choices, {settings.export_folder, settings.export_data_folder}};
  memory.get<OverlaysMemory>().hint = !settings.hint_seen;
  app.set_maximised(settings.maximised);
  Lesson(app.session()).add_marks(settings.marks);
  Lesson(app.session()).add_modes(settings.modes);
  Lesson(app.session()).add_reviews(settings.reviews);
}

KeptState kept_of(const HeadlightApp& app) {
  KeptState kept{settings_of(app), kept_snapshot(app.session())};
  try {
    const NamedSources sources = app.named_sources();
    if (sources.setup_file) kept.snapshot.setup_file = sources.setup_file->path.string();
    kept.snapshot.lecture_file = sources.lectures.string();
  } catch (const std::exception&) {
    // The folder of lectures is gone. Everything else is still kept.
  }
  return kept;
}

void run_and_remember(HeadlightApp& app, Keeper& keeper, const std::function<WindowState()>& run) {
  app.after_each_frame([&app, frames = std::make_shared<FrameKeeper>(keeper)] { frames->after_frame(app); });
  std::exception_ptr failure;
  try {
    if (run() == WindowState::open) return;
  } catch (...) {
    failure = std::current_exception();
  }
  app.after_each_frame({});
  KeptState last = kept_of(app);
  last.snapshot.display = with_projector(last.snapshot.display, false);
  try {
    keeper.finish(last);
  } catch (...) {
    if (!failure) failure = std::current_exception();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace headlight
