#include "app/shell/keeper.hpp"

#include <functional>
#include <utility>

#include "app/platform/file_lock.hpp"
#include "app/session/worker.hpp"

namespace headlight {
namespace {

/// Runs `work` and returns what it threw, or null.
std::exception_ptr thrown_by(const std::function<void()>& work) {
  try {
    work();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

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
    if (pause_) hurry_.wait_for(lock, *pause_, [&] { return ending_; });
  }
  busy_ = false;
}

void Keeper::write(const KeptState& state) {
  const std::exception_ptr settings_failure = thrown_by([&] {
    if (state.settings == settings_ || files_.settings.empty()) return;
    std::filesystem::create_directories(files_.settings.parent_path());
    const FileLock lock = FileLock::when_free(files_.settings);
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

}  // namespace headlight
