// What a frame must not wait for: worked out once from what it is about, on a thread beside the frames.
#pragma once

#include <chrono>
#include <future>
#include <optional>
#include <stop_token>
#include <utility>

namespace headlight {

/// Seconds after which who waits for something should look again.
inline constexpr double look_again = 0.05;

/// Holds the result that was asked for last. `Key` is compared: what compares equal has the same result.
template <class Key, class Result>
class Later {
 public:
  Later() = default;
  ~Later() { stop_.request_stop(); }
  Later(const Later&) = delete;
  Later& operator=(const Later&) = delete;

  /// The result of `work(stop)`, or null while it is on its way: ask again in a later frame. Where `beside` is false
  /// this waits for it. The work holds what it reads, must not throw, and ends soon once `stop` is requested: the next
  /// work does not start before.
  template <class Work>
  const Result* of(const Key& key, bool beside, Work work) {
    if (key_ != key) {
      key_ = key;
      result_.reset();
      stop_.request_stop();
    }
    take_in(beside);
    if (!result_ && !coming_.valid()) {
      stop_ = std::stop_source();
      if (beside) coming_ = std::async(std::launch::async, std::move(work), stop_.get_token());
      else result_ = work(stop_.get_token());
    }
    return result_ ? &*result_ : nullptr;
  }

 private:
  /// Takes what the last work came to; drops it where it was stopped, since it is of another key.
  void take_in(bool beside) {
    if (!coming_.valid()) return;
    if (beside && coming_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
    Result found = coming_.get();
    if (!stop_.stop_requested()) result_ = std::move(found);
  }

  std::optional<Key> key_;
  std::optional<Result> result_;
  std::stop_source stop_;       ///< of the work that started last
  std::future<Result> coming_;  ///< last, so that its thread has ended before anything else goes
};

}  // namespace headlight
