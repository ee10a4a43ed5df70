// Computes the check of arrays once for each trace and set of arrays, in the background if that takes long.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "app/session/session.hpp"
#include "app/slices/slice.hpp"
#include "app/views/base/later.hpp"
#include "core/diagnose/arrays/report.hpp"
#include "core/diagnose/model_check.hpp"

namespace headlight {

/// Everything that a check depends on. The key owns it, so that its addresses stay unique.
struct CheckKey {
  ModelTrace model;
  std::optional<Index> alone;  ///< the layer that is checked; none: all are
  CheckedWork work;

  friend bool operator==(const CheckKey& a, const CheckKey& b) {
    return a.model == b.model && a.alone == b.alone && a.work.given == b.work.given && a.work.names == b.work.names &&
           a.work.tolerance == b.work.tolerance;
  }
};
/// Arrays may be of all layers where a residual stream joins them; the work of a lecture's step is of the shown one.
CheckKey check_key(const Session& session);

/// How a tensor's numbers relate to ours, cell by cell.
struct Ratio {
  double least = 0;  ///< of theirs / ours
  double most = 0;
  Index cells = 0;                    ///< cells with a ratio: ours is not 0, and both are finite
  std::array<Index, 40> histogram{};  ///< from 0 to `end`
  double end = 2;
  bool constant() const { return cells > 0 && most - least <= 2e-5 * most && least > 0; }
};

/// What was found about the shown layer, and about all of them.
struct CheckFindings {
  std::vector<Problem> problems;             ///< why nothing could be checked; then everything else is empty
  CheckReport report;                        ///< of the layer; without tensors where nothing of it was handed in
  std::shared_ptr<const Trace> ours;         ///< what its tensors are compared with
  std::shared_ptr<const ModelReport> model;  ///< of all layers; null where one is checked alone
  Index layer = 0;
  std::vector<ModelDiagnosis> diagnoses;  ///< of everything that was handed in, best first
  /// theirs − ours of every tensor that was handed in, in float64; empty if the shapes differ.
  std::array<Tensor, tensor_count> differences;
  Ratio ratio;         ///< of the layer's first tensor that differs
  double seconds = 0;  ///< that the check took

  bool agrees() const { return model ? model->agrees : report.agrees; }
  /// In the order of layers and stages, among everything that was handed in.
  std::optional<LayerTensor> first_difference() const;
  /// On everything that was handed in, of all layers.
  std::vector<const TensorVerdict*> verdicts() const;
  /// The report on a layer; null if nothing of it was handed in.
  const LayerReport* of_layer(Index which) const;

  /// The verdict on a tensor; null if it was not handed in.
  const TensorVerdict* on(TensorId tensor) const;
};

/// One matrix of a tensor, in float64.
struct CheckedMatrix {
  Slice theirs;
  Slice ours;
  Slice difference;
  Slice ratio;
  double least = 0;  ///< of theirs and ours
  double most = 0;
  double largest_off = 0;    ///< of the difference
  double largest_ratio = 1;  ///< |ratio − 1|
};

class CheckStudy {
 public:
  /// Null while it is being computed.
  const CheckFindings* findings(Session& session);
  /// The matrix of the selected batch item and head, for a tensor that was handed in with our shape.
  const CheckedMatrix* matrix(Session& session, const CheckFindings& findings, TensorId tensor);
  /// The findings after applying the fix of the n-th diagnosis; null while they are being computed.
  const CheckFindings* mended(Session& session, const CheckFindings& findings, std::size_t diagnosis);

 private:
  struct MatrixKey {
    Tensor theirs;
    CheckKey check;
    TensorId tensor = TensorId::X;
    Index batch = 0;
    Index head = 0;
    friend bool operator==(const MatrixKey& a, const MatrixKey& b) {
      return a.theirs.same_window(b.theirs) && a.check == b.check && a.tensor == b.tensor && a.batch == b.batch &&
             a.head == b.head;
    }
  };
  struct MendedKey {
    CheckKey check;
    std::size_t diagnosis = 0;
    friend bool operator==(const MendedKey&, const MendedKey&) = default;
  };
  Later<CheckKey, std::vector<CheckFindings>> findings_;  ///< of each layer
  Later<MatrixKey, CheckedMatrix> matrix_;
  Later<MendedKey, std::vector<CheckFindings>> mended_;
};

/// The state of a check's views between frames.
struct CheckMemory {
  CheckStudy study;
  bool ratio = false;                         ///< the third picture shows theirs / ours instead of theirs − ours
  std::size_t chosen = 0;                     ///< the shown diagnosis
  std::optional<CheckKey> chosen_of;          ///< the check that it belongs to
  std::shared_ptr<const HandedIn> looked_at;  ///< the arrays whose first difference was selected
  bool tries = false;                         ///< the fix of that diagnosis is being tried
  std::optional<TensorId> revealed;           ///< the row of the table that was last scrolled to
};

}  // namespace headlight
