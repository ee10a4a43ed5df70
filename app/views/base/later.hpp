// Runs a computation that may take longer than a frame on another thread, once for each key.
#pragma once

#include <chrono>
#include <exception>
#include <future>
#include <optional>
#include <stop_token>
#include <utility>

#include "app/session/session.hpp"
#include "app/session/worker.hpp"

namespace headlight {

/// Seconds after which a view that waits for a result asks for another frame.
inline constexpr double look_again = 0.05;

/// A computation over at most this many cells is quick enough to run within a frame.
inline constexpr Index most_cells_in_a_frame = 1'000'000;

/// The `cells` of work that may take long even if it reads few.
inline constexpr Index beside_the_frame = most_cells_in_a_frame + 1;

/// The `patience` for work that is mostly done before the user could notice.
inline constexpr double a_moment = 0.008;

/// Keeps the result of the latest computation. Equal keys must have equal results.
template <class Key, class Result>
class Later {
 public:
  Later() = default;
  ~Later() {
    stop_.request_stop();
    if (coming_.valid()) coming_.wait();
  }
  Later(const Later&) = delete;
  Later& operator=(const Later&) = delete;

  /// The result of `work(threads, stop)` for this key, or null while it is being computed; then ask again in a later
  /// frame. `cells` is how many cells the work reads. If they are few, or if the session does not work in the
  /// background, the result is computed at once. Otherwise `work` runs on another thread, so it must own what it reads.
  /// When another key is asked for, `stop` is requested, and `work` should return soon because the next one waits for
  /// it. If `work` throws, the session shows a notice, and there is no result until another key is asked for; a
  /// session that does not work in the background throws it on. `patience` is how many seconds this call waits for work
  /// that it has just started, so that quick results are there at once.
  template <class Work>
  const Result* of(Session& session, const Key& key, Index cells, Work work, double patience = 0) {
    const bool beside = session.in_background() && cells > most_cells_in_a_frame;
    if (key_ != key) {
      key_ = key;
      result_.reset();
      failed_ = false;
      stop_.request_stop();
    }
    take_in(session, beside);
    if (!result_ && !failed_ && !coming_.valid()) start(*session.threads(), beside, std::move(work), patience);
    // If no thread could be started, the work has already run.
    take_in(session, beside);
    return result_ ? &*result_ : nullptr;
  }

  /// The result for this key, or null if `of` has not returned it yet.
  const Result* known(const Key& key) const { return key_ == key && result_ ? &*result_ : nullptr; }

 private:
  template <class Work>
  void start(Threads& threads, bool beside, Work work, double patience) {
    stop_ = std::stop_source();
    const auto stop = stop_.get_token();
    auto job = [&threads, stop, work = std::move(work)] { return work(threads, stop); };
    // Deferred work runs when its result is taken in.
    coming_ = beside ? threads.beside(std::move(job)) : std::async(std::launch::deferred, std::move(job));
    if (beside && patience > 0) coming_.wait_for(std::chrono::duration<double>(patience));
  }

  /// Takes the result of the last work if it is finished. A stopped work's result belongs to an earlier key and is
  /// dropped.
  void take_in(Session& session, bool beside) {
    if (!coming_.valid()) return;
    if (beside && coming_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
    try {
      Result found = coming_.get();
      if (!stop_.stop_requested()) result_ = std::move(found);
    } catch (...) {
      if (stop_.stop_requested()) return;
      if (!session.in_background()) throw;  // who made it wait can say what failed
      failed_ = true;
      session.notify("Not computed: " + words_of(std::current_exception()));
    }
  }

  std::optional<Key> key_;
  std::optional<Result> result_;
  bool failed_ = false;
  std::stop_source stop_;  ///< stops the latest work
  std::future<Result> coming_;
};

}  // namespace headlight
