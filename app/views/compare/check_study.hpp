// What the check of somebody's work needs to compute: once for each trace and each set of arrays, beside the drawing
// where that takes long.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "app/session/session.hpp"
#include "app/slices/slice.hpp"
#include "app/views/base/later.hpp"
#include "core/diagnose/report.hpp"

namespace headlight {

/// What a check depends on. Holds what it names, so that nothing else can take its place in memory.
struct CheckKey {
  std::shared_ptr<const Trace> trace;
  CheckedWork work;

  friend bool operator==(const CheckKey& a, const CheckKey& b) {
    return a.trace == b.trace && a.work.given == b.work.given && a.work.names == b.work.names &&
           a.work.tolerance == b.work.tolerance;
  }
};

/// How a tensor's numbers are to ours, cell by cell.
struct Ratio {
  double least = 0;  ///< of theirs / ours
  double most = 0;
  Index cells = 0;                    ///< with a ratio: ours is not 0, and both are finite
  std::array<Index, 40> histogram{};  ///< from 0 to `end`
  double end = 2;
  bool constant() const { return cells > 0 && most - least <= 2e-5 * most && least > 0; }
};

struct CheckFindings {
  std::vector<Problem> problems;  ///< why nothing could be checked; then all else is empty
  CheckReport report;
  /// theirs − ours of every tensor that was handed over, in float64; empty where the shapes differ.
  std::array<Tensor, tensor_count> differences;
  Ratio ratio;         ///< of the first tensor that differs
  double seconds = 0;  ///< that it took

  /// What is said of a tensor; null if it was not handed over.
  const TensorVerdict* on(TensorId tensor) const;
};

/// One matrix of a tensor, in float64.
struct CheckedMatrix {
  Slice theirs;
  Slice ours;
  Slice difference;
  Slice ratio;
  double largest = 0;        ///< of theirs and ours
  double largest_off = 0;    ///< of the difference
  double largest_ratio = 1;  ///< |ratio − 1|
};

class CheckStudy {
 public:
  /// Null while it is being worked out.
  const CheckFindings* findings(Session& session);
  /// The matrix of the selected batch item and head of a tensor that was handed over with our shape.
  const CheckedMatrix* matrix(Session& session, const CheckFindings& findings, TensorId tensor);
  /// What would be found with the n-th diagnosis of the findings mended; null while it is being worked out.
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
  Later<CheckKey, CheckFindings> findings_;
  Later<MatrixKey, CheckedMatrix> matrix_;
  Later<MendedKey, CheckFindings> mended_;
};

/// What the views of a check remember.
struct CheckMemory {
  CheckStudy study;
  bool ratio = false;                           ///< the third picture shows theirs / ours, not theirs − ours
  std::size_t chosen = 0;                       ///< the diagnosis that is shown
  std::optional<CheckKey> chosen_of;            ///< what it belongs to
  std::shared_ptr<const HandedOver> looked_at;  ///< the arrays whose first difference was selected
  bool tries = false;                           ///< the fix of that diagnosis is tried
  std::optional<TensorId> revealed;             ///< the row of the table that was last scrolled to
  float panel_height = 0;                       ///< of the left panel's whole content
  float diagnosis_height = 0;                   ///< of the right one's
};

}  // namespace headlight
