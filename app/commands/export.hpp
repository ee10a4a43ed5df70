// `headlight export`
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "app/commands/figure_options.hpp"
#include "app/commands/what.hpp"

namespace headlight {

struct ExportOptions {
  std::string tensor;                           ///< "weights[0,1]"; for the forms that hold numbers of one tensor
  std::string form;                             ///< "csv", one of export_forms(); empty: what the file's name says
  int digits = 4;                               ///< of the largest number in a table to read
  std::string frames;                           ///< "steps", "seed=0..9": an animation then
  double seconds = 1;                           ///< that each of them stands
  RenderOptions picture;                        ///< of the animation
  bool progress = false;                        ///< says how far it is, line by line
  std::optional<std::filesystem::path> output;  ///< left out: standard output, for forms that are text
};

/// "npz, npy, csv, ...": what --as takes.
std::string export_forms();
/// The same with the endings of their files and what they hold, a line for each.
std::string export_forms_help();

/// Numbers, scripts, setups and beginnings of lectures, as files or text; animations. Returns the exit code.
int export_file(const What& what, const ExportOptions& options);

}  // namespace headlight
