// `headlight export`
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "app/commands/figure_options.hpp"
#include "app/commands/what.hpp"

namespace headlight {

struct ExportOptions {
  std::string tensor;     ///< "weights[0,1]"; for forms that hold the numbers of one tensor
  std::string form;       ///< "csv", one of export_forms(); empty: from the file's ending
  int digits = 4;         ///< significant digits of the largest number in a Markdown or LaTeX table
  std::string frames;     ///< "steps", "seed=0..9": exports an animation; empty: none
  double seconds = 1;     ///< how long each frame is shown
  RenderOptions picture;  ///< how the frames of the animation look
  bool progress = false;  ///< prints its progress, line by line
  std::optional<std::filesystem::path> output;  ///< left out: standard output; only for forms that are text
};

/// The forms that --as takes: "npz, npy, csv, ...".
std::string export_forms();
/// The forms for the help, one per line: name, ending of its files, and what they hold.
std::string export_forms_help();

/// Writes numbers, a script, a setup or the beginning of a lecture to a file or standard output, or an animation to a
/// file. Returns the exit code. Throws InputError if an option does not fit.
int export_file(const What& what, const ExportOptions& options);

}  // namespace headlight
