// Lectures that the tests of the session share.
#pragma once

#include <memory>
#include <stdexcept>

#include "../core/setups.hpp"
#include "app/session/lesson.hpp"
#include "app/session/session.hpp"
#include "core/engine/engine.hpp"
#include "core/lecture/lecture.hpp"

namespace headlight::testing {

inline Step step(std::string title, std::size_t part, Cell look_at, std::string view = {}) {
  return {.title = std::move(title),
          .narration = {},
          .code = {},
          .part = part,
          .look_at = look_at,
          .view = std::move(view)};
}

/// A fact that holds: the setup's output, printed with this many decimals.
inline Fact printed_output(const Setup& setup, int decimals) {
  Fact fact{.tensor = TensorId::output,
            .printed_shape = {},
            .at = {},
            .values_shape = {},
            .values = {},
            .decimals = decimals,
            .not_reproducible = {}};
  const auto trace = compute_trace(setup);
  const Tensor output = (*trace)[TensorId::output].contiguous();
  fact.values_shape = output.shape();
  const double unit = std::pow(10.0, decimals);
  for (Index i = 0; i < output.elements(); ++i)
    fact.values.push_back(std::round(output.data<double>()[i] * unit) / unit);
  return fact;
}

/// A lecture of two parts. The first has facts about its output and the shape of Q; the second has another seed, and a
/// fact that cannot be reproduced.
inline Lecture two_part_lecture() {
  Lecture lecture{.id = "two-parts", .title = "Two parts", .source = "a test", .parts = {}, .steps = {}};
  const Setup setup = small_setup();
  Fact shape{.tensor = TensorId::Q,
             .printed_shape = Shape{1, 4, 8},
             .at = {},
             .values_shape = {},
             .values = {},
             .not_reproducible = {}};
  lecture.parts.push_back({"main", "First", setup, {printed_output(setup, 3), shape}});
  Setup other = setup;
  other.random.draws.front() = SeedDraw{9};
  Fact lost = printed_output(other, 3);
  lost.not_reproducible = "printed without a seed";
  lecture.parts.push_back({"second", "Second", other, {lost}});
  lecture.steps = {step("Queries", 0, {TensorId::Q, {0, 1, 2}}, "pipeline"),
                   step("Weights", 0, {TensorId::weights, {0, 1, 2, 3}}, "heads"),
                   step("Output", 0, {TensorId::output, {0, 0, 0}}), step("Again", 1, {TensorId::output, {0, 3, 1}})};
  return lecture;
}

/// A session that has this lecture open.
inline Session in_lecture(std::size_t step = 0) {
  Session session;
  if (!Lesson(session).open(two_part_lecture(), step).empty()) throw std::logic_error("the lecture does not open");
  return session;
}

}  // namespace headlight::testing
