// Tries a fix: the numbers of the user's program once a mistake in it is mended.
#pragma once

#include <vector>

#include "core/compute/threads.hpp"
#include "core/diagnose/arrays/report.hpp"
#include "core/diagnose/model_check.hpp"
#include "core/model/trace.hpp"

namespace headlight {

/// The arrays that were handed over, as they would be with this one mistake mended; under the same names, in the axes
/// of the names table. The tensor with the mistake, and everything that follows from it, is computed by our steps from
/// their tensors; if another mistake explains a later tensor, that mistake is made there again. Arrays that no step and
/// no known mistake explains stay as they are.
std::vector<GivenArray> mended(const Trace& ours, const CheckReport& report, const Diagnosis& mistake,
                               Threads& threads);

/// The same for a model: the mistake is mended in all layers where it was made, and the layers above read what the
/// mended ones leave. After a mistake that explains the whole model, all steps are ours, on what was handed over of the
/// weights that it leaves alone. The arrays are called "L1.scores".
std::vector<GivenArray> mended(const ModelTrace& ours, const ModelReport& report, const ModelDiagnosis& mistake,
                               Threads& threads);

/// The same names as pairs for `diagnose`, which then need not guess.
Naming names_of(const CheckReport& report);

}  // namespace headlight
