// Compares two traces, once for each pair, on another thread if that takes long.
#pragma once

#include <cstdint>
#include <vector>

#include "app/session/display/selection.hpp"
#include "app/session/session.hpp"
#include "app/session/studies/comparison.hpp"
#include "app/slices/slice.hpp"
#include "app/views/base/later.hpp"

namespace headlight {

/// Compares the session's reference (A) with its trace (B), which must both exist, and keeps the latest results. One
/// engine made both traces, so a result is valid while their versions are the same.
class CompareStudy {
 public:
  /// The difference of each tensor. While that is being computed, only the shapes, with `measured` false.
  const std::vector<TensorComparison>& of(Session& session);
  /// B − A for the matrix of the selection, whose tensor must be comparable. Cells that the mask hides in both are
  /// masked. Null while it is being computed.
  const Slice* difference(Session& session);

 private:
  struct Versions {
    std::uint64_t a = 0;
    std::uint64_t b = 0;
    friend bool operator==(const Versions&, const Versions&) = default;
  };
  struct Matrix {
    Versions versions;
    TensorId tensor = TensorId::X;
    Index batch = 0;
    Index head = 0;
    friend bool operator==(const Matrix&, const Matrix&) = default;
  };

  Later<Versions, std::vector<TensorComparison>> all_;
  std::vector<TensorComparison> to_come_;
  Later<Matrix, Slice> difference_;
};

}  // namespace headlight
