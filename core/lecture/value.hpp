// The values of the expressions in a lecture, and how much they may compute.
#pragma once

#include <string>
#include <variant>

#include "core/model/tensor.hpp"

namespace headlight {

/// The value of an expression: a number, a text, or an array of one axis or more. An array is a window on a tensor of
/// the trace, which is never copied, or holds numbers that the expression has computed.
using Value = std::variant<double, std::string, Tensor>;

/// How much the numbers of a step may compute together, in steps: reading or making a number is one.
class Work {
 public:
  static constexpr int most = 1 << 27;        ///< about half a second: a user waits that long for words
  static constexpr int in_a_frame = 1 << 21;  ///< a few milliseconds

  explicit Work(int steps = most) : steps_(steps), left_(steps) {}
  /// Takes so many steps off. Throws InputError where no more are left.
  void take(double steps);
  /// Whether more was wanted than there was.
  bool ran_out() const { return left_ < 0; }

 private:
  int steps_;
  double left_;
};

}  // namespace headlight
