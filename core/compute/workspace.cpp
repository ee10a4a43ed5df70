#include "core/compute/workspace.hpp"

#include <atomic>
#include <thread>

namespace headlight {

Workspace::Workspace(Threads& threads, BlockPool& blocks, const Progress& progress, double total)
    : threads_(&threads), blocks_(blocks), progress_(&progress), total_(total) {}

Tensor Workspace::tensor(Precision precision, const Shape& shape) {
  if (!blocks_) return Tensor::uninitialized(precision, shape);
  const std::size_t bytes = static_cast<std::size_t>(shape.elements()) * bytes_per_element(precision);
  return Tensor::on_block(blocks_->block(bytes), precision, shape);
}

void Workspace::begin(double cost) {
  before_ += part_;
  part_ = cost;
  reach(0);
}

void Workspace::finish() { begin(0); }

void Workspace::reach(double fraction_of_part) {
  go_on();
  report(fraction_of_part);
}

void Workspace::report(double fraction_of_part) {
  if (progress_ == nullptr || !progress_->report || is_quiet_) return;
  // A stage may pass over its data several times; the reported fraction must not fall when the next pass begins.
  reported_ = std::max(reported_, total_ > 0 ? std::min(1.0, (before_ + part_ * fraction_of_part) / total_) : 1.0);
  progress_->report(reported_);
}

void Workspace::each(Index tasks, TaskRef task) {
  if (threads_ == nullptr || tasks <= 1) {
    for (Index i = 0; i < tasks; ++i) {
      go_on();
      task(i);
    }
    return;
  }
  // Only the thread that started the computation reports progress.
  const auto caller = std::this_thread::get_id();
  std::atomic<Index> done = 0;
  threads_->run(tasks, [&](Index i) {
    if (!stopped()) task(i);
    const Index count = ++done;
    if (std::this_thread::get_id() == caller) report(static_cast<double>(count) / static_cast<double>(tasks));
  });
  go_on();
}

}  // namespace headlight
