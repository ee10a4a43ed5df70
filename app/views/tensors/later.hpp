// What a frame must not wait for: worked out once from what it is about, beside the frames.
#pragma once

#include <chrono>
#include <exception>
#include <future>
#include <optional>
#include <stop_token>
#include <utility>

#include "app/session/failure.hpp"
#include "app/session/session.hpp"

namespace headlight {

/// Seconds after which a view that waits for a result should ask for another frame.
inline constexpr double look_again = 0.05;

/// Cells that a frame manages beside everything else.
inline constexpr Index most_cells_in_a_frame = 1'000'000;

/// Holds the result that was asked for last. `Key` is compared: what compares equal has the same result.
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

  /// The result of `work(threads, stop)`, which looks at so many cells; or null while it is on its way: ask again in a
  /// later frame. It is worked out at once where the session does not work in the background, or the cells are few. The
  /// work holds what it reads, and ends soon once `stop` is requested: the next work does not start before. Where it
  /// throws beside the frames, the session says so, and there is no result until something else is asked for.
  template <class Work>
  const Result* of(Session& session, const Key& key, Index cells, Work work) {
    const bool beside = session.in_background() && cells > most_cells_in_a_frame;
    if (key_ != key) {
      key_ = key;
      result_.reset();
      failed_ = false;
      stop_.request_stop();
    }
    take_in(session, beside);
    if (!result_ && !failed_ && !coming_.valid()) start(*session.threads(), beside, std::move(work));
    // Where no thread could start it is there already.
    take_in(session, beside);
    return result_ ? &*result_ : nullptr;
  }

 private:
  template <class Work>
  void start(Threads& threads, bool beside, Work work) {
    stop_ = std::stop_source();
    const auto stop = stop_.get_token();
    if (beside) coming_ = threads.beside([&threads, stop, work = std::move(work)] { return work(threads, stop); });
    else result_ = work(threads, stop);
  }

  /// Takes what the last work came to; drops it where it was stopped, since it is of another key.
  void take_in(Session& session, bool beside) {
    if (!coming_.valid()) return;
    if (beside && coming_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
    try {
      Result found = coming_.get();
      if (!stop_.stop_requested()) result_ = std::move(found);
    } catch (...) {
      if (stop_.stop_requested()) return;
      failed_ = true;
      session.notify("Not worked out: " + words_of(std::current_exception()));
    }
  }

  std::optional<Key> key_;
  std::optional<Result> result_;
  bool failed_ = false;
  std::stop_source stop_;  ///< of the work that started last
  std::future<Result> coming_;
};

}  // namespace headlight
