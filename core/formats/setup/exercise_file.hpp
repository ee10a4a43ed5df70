// An exercise: a setup file that also says what people hand in, and how much each tensor is worth.
//
//   [exercise]
//   hand_in = ["scores", "weights", "output"]     # names of tensors; of a model of several layers "L1.scores"
//   points = { scores = 2, weights = 1, output = 1 }    # may be left out; a tensor that is not named is worth 1
//
// Every other command reads such a file as the setup that it is.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/setup.hpp"

namespace headlight {

struct ExerciseTensor {
  std::string tensor;  ///< its name among those of all layers
  double points = 1;

  friend bool operator==(const ExerciseTensor&, const ExerciseTensor&) = default;
};

struct Exercise {
  Setup setup;
  std::vector<ExerciseTensor> hand_in;  ///< in the order of the forward pass
  bool has_points = false;              ///< whether the file says any
};

/// Throws InputError as read_setup does, and where the file has no exercise, or names a tensor that the setup doesn't
/// have.
Exercise read_exercise(const std::filesystem::path& path);

/// The tensors with these names ("scores,weights"), in the order of the forward pass. Throws InputError naming
/// `source`.
std::vector<ExerciseTensor> hand_in_of(const std::vector<std::string>& names, const Setup& setup,
                                       const std::string& source);

/// The file that read_exercise reads. Arrays of files are named from `folder` (see write_setup).
std::string write_exercise(const Exercise& exercise, const std::filesystem::path& folder);

}  // namespace headlight
