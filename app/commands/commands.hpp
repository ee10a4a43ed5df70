// What each command of the command line does, apart from reading its arguments. Each returns the exit code: 0 done,
// 1 a check failed. Bad input is thrown as InputError and becomes exit code 2 at the edge.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/what.hpp"
#include "core/formats/script/script.hpp"

namespace headlight {

enum ExitCode : int { done = 0, check_failed = 1, bad_input = 2, machine_cannot = 3 };

/// A table of the lectures on standard output.
int list_lectures(const std::optional<std::filesystem::path>& folder);

/// A table of the keys of a setup on standard output.
int list_keys();

/// Each lecture (all of them where `ids` is empty) against its printed facts; a table.
int check_lectures(const std::vector<std::string>& ids, const std::optional<std::filesystem::path>& folder);

/// Every tensor into an npz.
int compute(const What& what, const std::filesystem::path& output);

/// One cell, as text or JSON on standard output.
int explain_cell(const What& what, const std::string& cell, bool json);

/// A program that recomputes the trace; on standard output without a file.
int write_script(const What& what, Framework framework, const std::optional<std::filesystem::path>& output);

struct RenderOptions {
  std::string view;               ///< empty: the step's, or the pipeline
  std::string tensor;             ///< empty: the step's
  std::optional<Index> head;      ///< left out: the step's
  std::optional<Index> batch;     ///< left out: the first
  std::string cell;               ///< "scores[0,1,2,0]", pinned; empty: the step's
  std::vector<std::string> was;   ///< "sizes.heads=4": what state A of the compare view has instead
  std::vector<std::string> show;  ///< "weights.range=min_max", as in display_settings.hpp
  std::vector<std::string> zoom;  ///< "rows=10..40"
  std::string figure = "window";
  std::string size;           ///< "1440x900" pixels, or "12cmx8cm"; empty: as the figure likes to be
  std::optional<double> dpi;  ///< for sizes in centimetres
  double scale = 1;           ///< at 2 everything is twice as large, in a picture of the size that is given
  std::string theme = "dark";
  bool transparent = false;
  bool progress = false;  ///< says how far it is, line by line
  std::filesystem::path output;
};
/// A picture of the window or of a part of it, drawn without one: PNG, SVG or PDF.
int render(const What& what, const RenderOptions& options);

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
/// Numbers, scripts, setups and beginnings of lectures, as files or text; animations.
int export_file(const What& what, const ExportOptions& options);
/// The frames of an animation as a GIF or an animated PNG.
int animate(const What& what, const ExportOptions& options);

}  // namespace headlight
