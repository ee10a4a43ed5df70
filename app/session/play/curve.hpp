// A number of the trace as a function of a number of the setup, for the small curve beside the large slider.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/session/display/selection.hpp"
#include "core/compute/threads.hpp"
#include "core/model/trace.hpp"
#include "core/setup/control.hpp"
#include "core/setup/play_number.hpp"

namespace headlight {

/// The number that a curve shows: a cell, or of a head's weights the mean entropy of a query or the largest weight.
enum class Measure : std::uint8_t { cell, entropy, largest };
inline constexpr std::array measure_words{Word{"cell", "cell"}, Word{"entropy", "entropy"}, Word{"largest", "largest"}};

/// "weights[0,1,2,0]", "entropy of head 1 (bits)", "largest weight of head 1".
std::string words_of(Measure measure, const Selection& selection, const Setup& setup);
/// NaN if the trace has no such cell or head.
double measured(Threads& threads, const Trace& trace, Measure measure, const Selection& selection);

struct Curve {
  std::vector<double> at;      ///< the number of the setup
  std::vector<double> values;  ///< the measure there; NaN if that setup cannot be computed
};

/// As many points as a small picture needs; if the range has only a few whole numbers, all of them.
std::vector<double> points_of(const PlayNumber& number);

/// A number of a model's traces; NaN if they have none.
using TraceNumber = std::function<double(const ModelTrace&)>;

/// Computes the setup at each point, and gives a curve for each of the numbers. If it is stopped, returns the points
/// that it has.
std::vector<Curve> curves_over(const std::shared_ptr<Threads>& threads, const Setup& setup, const PlayNumber& number,
                               const std::vector<double>& points, const std::vector<TraceNumber>& values,
                               const std::stop_token& stop = {});

}  // namespace headlight
