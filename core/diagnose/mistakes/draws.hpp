// Mistakes in drawing: other numbers from the start.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/compute/threads.hpp"
#include "core/diagnose/arrays/matching.hpp"
#include "core/model/trace.hpp"

namespace headlight {

/// Draws that the user may have made instead of the setup's.
struct WrongDraws {
  std::string_view mistake;  ///< "other_seed"
  std::string words;         ///< "the seed is 7 instead of 0"
  Setup setup;               ///< the same setup with these draws
};

/// Seeds that `other_seed` tries: 0 to this less one.
constexpr std::int64_t seeds_tried = 10'000;

/// `rand_for_randn` and `other_generator` in every way, and `draw_order` for orders near the right one: all orders of
/// up to five draws, else one draw moved or two exchanged.
std::vector<WrongDraws> likely_draws(const Setup& setup);

/// The order of the draws that gives the inputs, weights and biases that were handed over; nothing if there is no such
/// order, or if it takes too long to find.
std::optional<WrongDraws> order_that_fits(const Setup& setup, std::span<const Match> drawn, const Tolerance& tolerance);

/// The setup with another seed in place of the n-th seed of its draws (before all draws, if there is no seed).
WrongDraws with_seed(const Setup& setup, std::size_t nth, std::int64_t seed);
std::size_t seeds_in(const Setup& setup);

/// The seeds that give the first number of the tensor which is drawn right after the seed, if that was handed over;
/// each has still to be tried with all numbers.
std::vector<WrongDraws> seeds_that_fit(const Setup& setup, std::span<const Match> drawn, const Tolerance& tolerance,
                                       Threads& threads);

/// Inputs, weights, biases and dropout decisions of a setup as a trace without computed tensors, in the precision of
/// `like`.
Trace drawn(const WrongDraws& wrong, const Setup& like);

}  // namespace headlight
