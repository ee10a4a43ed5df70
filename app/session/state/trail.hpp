// A history of values with back and forward, as in a browser.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace headlight {

/// Used for the history of setups (undo, redo) and for the history of pinned cells (back, forward).
template <class Value>
class Trail {
 public:
  bool empty() const { return values_.empty(); }
  std::size_t size() const { return values_.size(); }
  std::size_t position() const { return position_; }
  const Value& at(std::size_t position) const { return values_[position]; }
  bool can_go_back() const { return position_ > 0; }
  bool can_go_forward() const { return position_ + 1 < values_.size(); }
  /// The present value; the trail must not be empty.
  const Value& current() const { return values_[position_]; }
  /// Adds a value after current() and moves to it; forgets the values after current().
  void visit(Value value) {
    if (!values_.empty()) values_.resize(position_ + 1);
    values_.push_back(std::move(value));
    position_ = values_.size() - 1;
  }
  /// Replaces current(); the values after it stay.
  void replace(Value value) { values_[position_] = std::move(value); }
  /// Removes current() and the values after it, and moves to the value before; can_go_back() must hold.
  void drop() {
    values_.resize(position_);
    --position_;
  }
  const Value& go_back() { return values_[--position_]; }
  const Value& go_forward() { return values_[++position_]; }
  void go_to(std::size_t position) { position_ = position; }
  /// The value before current(); can_go_back() must hold.
  const Value& before() const { return values_[position_ - 1]; }
  /// The value after current(); can_go_forward() must hold.
  const Value& after() const { return values_[position_ + 1]; }
  /// Forgets everything but current().
  void forget_others() {
    values_ = {current()};
    position_ = 0;
  }
  template <class Edit>
  void for_each(Edit&& edit) {
    for (Value& value : values_) edit(value);
  }

 private:
  std::vector<Value> values_;
  std::size_t position_ = 0;
};

}  // namespace headlight
