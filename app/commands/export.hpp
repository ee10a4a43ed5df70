// `headlight export`
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "app/commands/figure_options.hpp"
#include "app/commands/what.hpp"

namespace headlight {

struct ExportOptions {
  std::string tensor;                           ///< "weights[0,1]"; for forms that hold the numbers of one tensor
  std::string form;                             ///< "csv", one of export_forms(); empty: from the file's ending
  TypedChoices choices;                         ///< digits of a table; frames of an animation
  RenderOptions picture;                        ///< how the frames of the animation look
  bool progress = false;                        ///< prints its progress, line by line
  std::optional<std::filesystem::path> output;  ///< left out: standard output; only for forms that are text
};

/// The forms that --as takes: "npz, npy, csv, ...".
std::string export_forms();
/// The forms for the help, one per line: name, ending of its files, and what they hold.
std::string export_forms_help();

/// Makes what the job in a file asks for, as the window wants it. Returns the exit code.
int run_export(const std::filesystem::path& job, const What& what, const std::filesystem::path& output, bool progress);

/// Writes numbers, a script, a setup or the beginning of a lecture to a file or standard output, or an animation to a
/// file. Returns the exit code. Throws InputError if an option does not fit.
int export_file(const What& what, const ExportOptions& options);

}  // namespace headlight
