// Check the work of a model of several layers: the arrays of each layer against ours, and the mistake that explains the
// difference, in a layer or between them.
//
// A mistake of the whole model (mistakes/model.hpp) explains the arrays if the model with that mistake gives all of
// them. Apart from that the layers are checked one after the other, as diagnose() does, each on what was handed over of
// the layers below.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/diagnose/diagnose.hpp"

namespace headlight {

/// A mistake, and everywhere where it was made.
struct ModelDiagnosis {
  Diagnosis what;               ///< of `layer`; that of the first where it was made in several
  Index layer = 0;              ///< whose lines of code mend it
  std::vector<LayerTensor> at;  ///< all places; empty for draws
};

struct LayerReport {
  Index layer = 0;
  CheckReport report;
  bool on_theirs = false;  ///< compared with what follows from what was handed over of the layers below
  std::shared_ptr<const Trace> ours = nullptr;  ///< that; null where it is compared with the model's own layer
};

struct ModelReport {
  bool agrees = true;
  std::optional<LayerTensor> first_difference;
  std::vector<LayerReport> layers;        ///< those of which something was handed over
  std::vector<ModelDiagnosis> diagnoses;  ///< best first
  std::vector<std::string> unrecognised;
  std::vector<std::string> notes;
};

/// As diagnose(), for a setup with a residual stream. The names of arrays and of options.names may say a layer
/// (arrays/by_layer.hpp). Throws as diagnose() does.
ModelReport diagnose_model(const ModelTrace& ours, std::span<const GivenArray> arrays, const DiagnoseOptions& options,
                           const std::string& source,
                           const std::shared_ptr<Threads>& threads = std::make_shared<Threads>());

}  // namespace headlight
