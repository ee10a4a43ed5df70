#include "core/training/optimizer.hpp"

#include <cmath>

#include "core/compute/matrices.hpp"

namespace headlight {
namespace {

constexpr double beta1 = adam_constants.beta1;
constexpr double beta2 = adam_constants.beta2;
constexpr double epsilon = adam_constants.epsilon;

template <class T>
auto read(const Tensor& tensor) {
  return numbers(tensor.data<T>(), tensor.elements());
}
template <class T>
auto written(Tensor& tensor) {
  return numbers(tensor.writable<T>(), tensor.elements());
}

template <class T>
void sgd(const Parameter& from, const Tensor& gradient, double rate, Parameter& to) {
  written<T>(to.value) = read<T>(from.value) - static_cast<T>(rate) * read<T>(gradient);
}

template <class T>
void adam(const Parameter& from, const Tensor& gradient, double rate, Index step, Parameter& to) {
  const T size = static_cast<T>(rate / (1 - std::pow(beta1, step)));
  const T root = static_cast<T>(std::sqrt(1 - std::pow(beta2, step)));
  const auto g = read<T>(gradient);
  auto mean = written<T>(to.mean), square = written<T>(to.square);
  mean = static_cast<T>(beta1) * read<T>(from.mean) + static_cast<T>(1 - beta1) * g;
  square = static_cast<T>(beta2) * read<T>(from.square) + static_cast<T>(1 - beta2) * g * g;
  written<T>(to.value) = read<T>(from.value) - size * (mean / (square.sqrt() / root + static_cast<T>(epsilon)));
}

}  // namespace

Parameter stepped(const Parameter& parameter, const Tensor& gradient, const TrainingSettings& settings, Index step) {
  const Tensor own = gradient.contiguous();
  const Precision precision = parameter.value.precision();
  const Shape& shape = parameter.value.shape();
  // Not the workspace's memory, where a small tensor that is kept would keep a large block alive.
  Parameter next{.value = Tensor::uninitialized(precision, shape), .mean = {}, .square = {}};
  with_element_type(precision, [&](auto zero) {
    using T = decltype(zero);
    if (settings.optimizer == OptimizerKind::sgd) return sgd<T>(parameter, own, settings.learning_rate, next);
    next.mean = Tensor::uninitialized(precision, shape);
    next.square = Tensor::uninitialized(precision, shape);
    if (!parameter.mean.empty()) return adam<T>(parameter, own, settings.learning_rate, step, next);
    const Tensor nothing = Tensor::zeros(precision, shape);
    adam<T>({parameter.value, nothing, nothing}, own, settings.learning_rate, step, next);
  });
  return next;
}

bool is_finite(const Tensor& value) {
  return with_element_type(value.precision(), [&](auto zero) { return read<decltype(zero)>(value).isFinite().all(); });
}

}  // namespace headlight
