// The commands: a function for each, with what was typed for it. command_line.cpp reads the arguments and calls them.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/commands/figure_options.hpp"
#include "app/commands/progress_line.hpp"
#include "app/commands/what.hpp"
#include "app/session/export/export_job.hpp"
#include "core/compute/threads.hpp"
#include "core/diagnose/arrays/report.hpp"
#include "core/formats/script/script.hpp"
#include "core/model/shape.hpp"

namespace headlight {

/// Commands return `done` or `check_failed`. The other two come from exceptions: InputError gives `bad_input`,
/// MachineError and anything else `machine_cannot`. README.md documents the numbers.
enum ExitCode : int { done = 0, check_failed = 1, bad_input = 2, machine_cannot = 3 };

/// Prints a table of the lectures, with those in `folder` if one is given. Returns the exit code.
int list_lectures(const std::optional<std::filesystem::path>& folder);

/// Prints a table of the setup's keys: default, allowed values, and what each does. Returns the exit code.
int list_keys();

/// Prints a table of the tensors; or, with the names of somebody's arrays, which tensor each is taken for, without
/// those that are taken for none. Returns the exit code.
int list_tensors(const std::vector<std::string>& names);

/// Compares each lecture (all of them if `ids` is empty) with the facts that its document printed, and prints a table
/// of the results. `folder` has a lecturer's own lectures. Returns check_failed if a fact differs.
int check_lectures(const std::vector<std::string>& ids, const std::optional<std::filesystem::path>& folder,
                   const std::shared_ptr<Threads>& threads);

/// Computes WHAT and writes every tensor to the npz file `output`. Returns the exit code.
int compute(const What& what, const std::filesystem::path& output);

/// Prints where the number in a cell ("scores[0,1,2,0]") comes from and where it goes, as text or JSON. Returns the
/// exit code.
int explain_cell(const What& what, const std::string& cell, bool json, bool by_source);

/// The words of --framework.
inline constexpr std::array framework_names{std::pair(std::string_view("numpy"), Framework::numpy),
                                            std::pair(std::string_view("torch"), Framework::torch)};

/// A program that recomputes the trace, or with `check` a template for the user's own; on standard output without a
/// file. Returns the exit code.
int write_script(const What& what, Framework framework, bool check, const std::optional<std::filesystem::path>& output);

/// Trains the layer of WHAT, which must have a task, and writes a row for each step: step, loss, shown_loss,
/// shown_accuracy. Without `output` they go to standard output. Returns the exit code. Throws InputError where the
/// layer explodes, after the rows up to there are written.
int train(const What& what, std::int64_t steps, const std::optional<std::filesystem::path>& output);

/// Says on standard error where numbers are too large, and where a training ended for that.
void say_what_went_wrong(const ModelTrace& model);

struct GenerateArguments {
  std::string prompt;
  std::int64_t count = 10;
  std::optional<std::int64_t> length;
  double temperature = 1;
  std::int64_t top_k = 0;
  std::int64_t seed = 0;
  bool no_cache = false;
  bool json = false;
};

/// Lets the model of WHAT, whose task must be text, write `count` texts, a line each (or one JSON object). Returns the
/// exit code.
int generate(const What& what, const GenerateArguments& arguments);

struct DiagnoseArguments {
  std::filesystem::path mine;      ///< npz, npy, or a printout
  std::vector<std::string> names;  ///< "THEIRS=OURS"
  Tolerance tolerance;
  bool json = false;
};

/// The user's arrays against the trace, on standard output. Returns check_failed where something differs.
int diagnose_arrays(const What& what, const DiagnoseArguments& arguments);

struct GradeArguments {
  std::filesystem::path folder;                   ///< a file or a folder for each submission
  std::optional<std::filesystem::path> exercise;  ///< in place of a lecture or a setup: what is to be handed in
  std::filesystem::path output;                   ///< CSV
  std::optional<std::filesystem::path> report;    ///< HTML
  bool anonymous = false;                         ///< no names in the report
  bool progress = false;                          ///< prints its progress, line by line
};

/// Checks every submission of a folder, writes a table of the grades, and prints how many are right and what is wrong
/// with the others. Returns the exit code: `done` also where something differs.
int grade(const What& what, const GradeArguments& arguments);

/// Writes an exercise into a folder: template.py for students, and exercise.toml, which grades what they hand in.
/// `hand_in` are names of tensors with commas between them. Throws InputError where the folder has other files of these
/// names. Returns the exit code.
int make_exercise(const What& what, const std::string& hand_in, const std::filesystem::path& folder);

struct LayersArguments {
  std::filesystem::path file;  ///< safetensors, npz, or the index of a model in several files
  std::optional<Index> layer;  ///< counted from 0, as in the table
  bool whole = false;          ///< the model instead, its layers computed from one another
  std::vector<Index> symbols;  ///< for the whole: its text, as rows of the embedding
  std::optional<Index> heads;
  std::optional<std::filesystem::path> output;
};

/// A table of the attention layers in a file, or one of them or the whole model as a setup; on standard output without
/// an output file.
int show_layers(const LayersArguments& arguments);

/// A Python program that writes the attention layers of a running PyTorch model into npz files; on standard output
/// without a file. Returns the exit code.
int write_capture_program(const std::optional<std::filesystem::path>& output);

struct ExportOptions {
  std::string tensor;                           ///< "weights[0,1]"; for forms that hold the numbers of one tensor
  std::string form;                             ///< "csv", one of export_forms(); empty: from the file's ending
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

struct HandoutArguments {
  TypedChoices choices;   ///< paper, and whether with the speaker's notes
  bool progress = false;  ///< prints its progress, line by line
  std::filesystem::path output;
};

/// Writes the handout of the lecture that WHAT names; its own settings count, not those of WHAT. Throws InputError
/// where it names none.
int write_handout(const What& what, const HandoutArguments& arguments);

/// The animation that options.frames names. Returns the exit code. Throws InputError if an option does not fit.
int animate(const What& what, const ExportOptions& options);

/// Draws the window or a figure without a display and writes it as PNG, SVG or PDF, by the ending of options.output.
/// Returns the exit code.
int render(const What& what, const RenderOptions& options);

/// Restores the person's changes and selection in a session that an animation has just moved to a step of its lecture.
using ShowAgain = std::function<void(Session&)>;

/// Draws the picture or the animation that a job asks for, of a session that shows its snapshot, into a file. Throws
/// InputError or MachineError.
void draw_job(const std::filesystem::path& output, Session& session, const ExportJob& job, const ShowAgain& show_again,
              const Report& report);

}  // namespace headlight
