// Check my work: the user's arrays against ours, and the mistake that explains the difference.
//
// Every array is compared twice: with ours, and with what our stage makes of their own operands ("the step on its
// own"), so that a second mistake further on is found too. Where the step does not agree, every known mistake
// (mistakes/mistake.hpp, mistakes/draws.hpp) is replayed on the same operands; those after which nothing remains
// explain it. Stages between two arrays that were handed over are ours, and a mistake is looked for in each of them:
// the output alone is enough to start with.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "core/compute/threads.hpp"
#include "core/diagnose/arrays/matching.hpp"
#include "core/diagnose/arrays/report.hpp"
#include "core/model/trace.hpp"

namespace headlight {

class SeedMemory;  // seed_memory.hpp

struct DiagnoseOptions {
  Naming names;
  Tolerance tolerance;
  bool mistakes_too = true;  ///< false: only compares
};

/// `source` names the arrays in messages. Throws InputError if nothing is recognised, if a recognised array has another
/// shape, or if there is a NaN that no overflowing softmax could have made.
CheckReport diagnose(const Trace& ours, std::span<const GivenArray> arrays, const DiagnoseOptions& options,
                     const std::string& source, const std::shared_ptr<Threads>& threads = std::make_shared<Threads>());

/// The same for one of many works that are checked against this trace: what other seeds give is kept for the others.
CheckReport diagnose(const Trace& ours, std::span<const GivenArray> arrays, const DiagnoseOptions& options,
                     const std::string& source, const std::shared_ptr<Threads>& threads, SeedMemory& seeds);

}  // namespace headlight
