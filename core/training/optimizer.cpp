#include "core/training/optimizer.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/compute/matrices.hpp"
#include "core/text/numbers.hpp"

namespace headlight {
namespace {

template <class T>
auto read(const Tensor& tensor) {
  return numbers(tensor.data<T>(), tensor.elements());
}
template <class T>
auto written(Tensor& tensor) {
  return numbers(tensor.writable<T>(), tensor.elements());
}

// --- SGD: value − rate · gradient ------------------------------------------------------------------------------------

void sgd(const Parameter& from, const Tensor& gradient, double rate, Index, Parameter& to) {
  with_element_type(gradient.precision(), [&](auto zero) {
    using T = decltype(zero);
    written<T>(to.value) = read<T>(from.value) - static_cast<T>(rate) * read<T>(gradient);
  });
}

// --- Adam: value − rate/(1 − β₁ᵗ) · mean / (√square/√(1 − β₂ᵗ) + ε) --------------------------------------------------
// D. P. Kingma and J. Ba, "Adam: A Method for Stochastic Optimization", 2015

void adam(const Parameter& from, const Tensor& gradient, double rate, Index step, Parameter& to) {
  with_element_type(gradient.precision(), [&](auto zero) {
    using T = decltype(zero);
    const T size = static_cast<T>(rate / (1 - std::pow(adam_beta1, step)));
    const T root = static_cast<T>(std::sqrt(1 - std::pow(adam_beta2, step)));
    const auto g = read<T>(gradient);
    auto mean = written<T>(to.mean), square = written<T>(to.square);
    mean = static_cast<T>(adam_beta1) * read<T>(from.mean) + static_cast<T>(1 - adam_beta1) * g;
    square = static_cast<T>(adam_beta2) * read<T>(from.square) + static_cast<T>(1 - adam_beta2) * g * g;
    written<T>(to.value) = read<T>(from.value) - size * (mean / (square.sqrt() / root + static_cast<T>(adam_epsilon)));
  });
}

std::string adam_in_numpy() {
  return fmt::format(R"(mean, square = {{}}, {{}}


def adam(name, value, gradient, step):
    """A step of Adam, counted from 1, as in torch.optim."""
    mean[name] = {beta1} * mean.get(name, 0) + (1 - {beta1}) * gradient
    square[name] = {beta2} * square.get(name, 0) + (1 - {beta2}) * gradient**2
    root = square[name]**0.5 / (1 - {beta2}**step)**0.5
    return value - learning_rate / (1 - {beta1}**step) * mean[name] / (root + {epsilon})


)",
                     fmt::arg("beta1", float_text(adam_beta1)), fmt::arg("beta2", float_text(adam_beta2)),
                     fmt::arg("epsilon", float_text(adam_epsilon)));
}

constexpr Optimizer optimizers[] = {
    {.kind = OptimizerKind::adam,
     .has_mean = true,
     .has_square = true,
     .step = adam,
     .torch_class = "Adam",
     .numpy_step = "adam(\"{0}\", {0}, grad_{0}, step + 1)",
     .numpy_definitions = adam_in_numpy},
    {.kind = OptimizerKind::sgd, .step = sgd, .torch_class = "SGD", .numpy_step = "{0} - learning_rate * grad_{0}"},
};

}  // namespace

const Optimizer& optimizer_of(OptimizerKind kind) { return *std::ranges::find(optimizers, kind, &Optimizer::kind); }

Parameter stepped(const Parameter& parameter, const Tensor& gradient, const TrainingSettings& settings, Index step) {
  const Optimizer& optimizer = optimizer_of(settings.optimizer);
  const Precision precision = parameter.value.precision();
  const Shape& shape = parameter.value.shape();
  // Not the workspace's memory, where a small tensor that is kept would keep a large block alive.
  Parameter from = parameter, to{.value = Tensor::uninitialized(precision, shape), .mean = {}, .square = {}};
  const auto remember = [&](Tensor& before, Tensor& after) {
    if (before.empty()) before = Tensor::zeros(precision, shape);
    after = Tensor::uninitialized(precision, shape);
  };
  if (optimizer.has_mean) remember(from.mean, to.mean);
  if (optimizer.has_square) remember(from.square, to.square);
  optimizer.step(from, gradient.contiguous(), settings.learning_rate, step, to);
  return to;
}

bool is_finite(const Tensor& value) {
  return with_element_type(value.precision(), [&](auto zero) { return read<decltype(zero)>(value).isFinite().all(); });
}

}  // namespace headlight
