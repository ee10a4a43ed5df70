// The work of a student who makes one known mistake and does everything else right: for lectures that show what a
// mistake does to the numbers, and for trying the diagnosis.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnose/arrays/report.hpp"
#include "core/diagnose/mistakes/mistake.hpp"
#include "core/model/trace.hpp"

namespace headlight {

/// Every tensor if the mistake is made at `at`, in the first of its variants. Nothing if it cannot be made there under
/// the setup. Throws Stopped after a stop.
std::optional<Trace> with_mistake(const Trace& right, const Mistake& mistake, TensorId at,
                                  const std::stop_token& stop = {});

/// The mistake of this name ("scale_missing"). Throws InputError where there is none; `source` and `key` name the
/// place.
const Mistake& mistake_named(std::string_view name, const std::string& source, const std::string& key);

/// The work with the mistake of this name at the first tensor of which it changes a number. Throws InputError as
/// mistake_named does, and where it changes nothing under this setup; and Stopped after a stop.
Trace with_mistake(const Trace& right, std::string_view name, const std::string& source, const std::string& key,
                   const std::stop_token& stop = {});

/// The arrays that are handed in: every tensor that a stage computes, under its own name.
std::vector<GivenArray> handed_in(const Trace& trace);

}  // namespace headlight
