#include "app/commands/command_line.hpp"

#include <algorithm>
#include <csignal>
#include <functional>
#include <map>
#include <new>
#include <span>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "app/commands/commands.hpp"
#include "app/commands/completion.hpp"
#include "app/commands/help.hpp"
#include "app/commands/streams.hpp"
#include "app/platform/machine_error.hpp"
#include "app/session/display/display_entries.hpp"
#include "app/session/export/export_forms.hpp"
#include "app/session/snapshot/shared_link.hpp"
#include "app/session/state/checked_work.hpp"
#include "app/shell/open_window.hpp"
#include "core/model/problem.hpp"
#include "core/text/characters.hpp"
#include "core/text/numbers.hpp"
#include "core/text/wording.hpp"

namespace headlight {
namespace {

using Paths = std::optional<std::filesystem::path>;

/// The values of the arguments. The chosen command is kept as a function, which runs once all arguments are read.
struct Arguments {
  What what;
  std::vector<std::string> ids;
  std::filesystem::path output;
  Paths optional_output;
  std::string cell;
  bool json = false;
  bool by_source = false;
  Framework framework = Framework::numpy;
  bool check = false;
  ExportOptions export_options;
  RenderOptions picture;
  DiagnoseArguments mine;
  GradeArguments grading;
  std::string hand_in;  ///< "scores,weights"
  GenerateArguments writing;
  LayersArguments model;
  HandoutArguments handout;
  std::filesystem::path job;
  bool progress = false;
  std::int64_t steps = 0;
  std::string present;  ///< a lecture, by its id
  bool presenter = false;
  std::filesystem::path work;  ///< arrays to check in the window
  std::filesystem::path file;  ///< to open in the window, whatever it is
  std::string page;            ///< of the manual: a command; empty: the program
  std::function<int()> command;
};

void add_lectures_folder(CLI::App& app, Arguments& arguments) {
  app.add_option("--lectures", arguments.what.lectures, "A folder with your own lecture files, or one of them")
      ->type_name("DIR");
}

void add_what(CLI::App& app, Arguments& arguments) {
  What& what = arguments.what;
  app.add_option("--lecture", what.lecture, "A lecture, by its id (see `headlight lectures`), or a link")
      ->type_name("ID");
  app.add_option("--setup", what.setup_file, "A setup file (TOML), a picture that Headlight drew (PNG), or a link")
      ->type_name("FILE");
  app.add_option("--model", what.model, "A layer of a model: see `headlight layers`")->type_name("FILE|FOLDER");
  app.add_option("--layer", what.layer, "Which layer of the model, counted from 0 (default: the first)")
      ->type_name("N");
  app.add_option("--part", what.part, "A part of the lecture, by its id")->type_name("ID");
  app.add_option("--step", what.step, "The setup of this step of the lecture, counted from 1")->type_name("N");
  app.add_option("--set", what.overrides,
                 "Replace a key of the setup (see `headlight keys`), as in sizes.heads=4; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  app.add_option("--memory-limit", what.memory_limit, "Refuse traces over this size, as in 4GiB (default 2GiB)")
      ->transform(CLI::AsSizeValue(false).description(""))
      ->type_name("SIZE");
  add_lectures_folder(app, arguments);
}

/// Adds the options for what a picture shows and how it looks, except those of WHAT and --tensor.
std::vector<CLI::Option*> add_picture_options(CLI::App& app, RenderOptions& picture) {
  std::vector<CLI::Option*> added{
      app.add_option("--view", picture.view,
                     view_words() + " (default: the step's); compare shows the setup before and after --set")
          ->type_name("VIEW"),
      app.add_option("--was", picture.was, "A setting of state A in compare, as in sizes.heads=4; may be repeated")
          ->type_name("KEY=VALUE")
          ->allow_extra_args(false),
      app.add_option("--check", picture.check,
                     "Arrays of your own that compare checks, as diagnose does: npz, npy, a printout")
          ->type_name("FILE"),
      app.add_option(
             "--show", picture.show,
             fmt::format("How it is shown, as in hidden_heads=1,3 or weights.range=min_max; may be repeated. KEY is {}",
                         display_keys()))
          ->type_name("KEY=VALUE")
          ->allow_extra_args(false),
      app.add_option("--zoom", picture.zoom,
                     "The cells that are shown, as in rows=10..40 (rows, columns, inner); may be repeated")
          ->type_name("AXIS=FROM..TO")
          ->allow_extra_args(false),
      app.add_option("--head", picture.head, "The head in focus, counted from 0")->type_name("HEAD"),
      app.add_option("--batch", picture.batch, "The batch item in focus, counted from 0")->type_name("ITEM"),
      app.add_option("--cell", picture.cell, "The number in focus, as in 'scores[0,1,2,0]'")->type_name("CELL"),
      app.add_option("--draft", picture.draft,
                     "What write has written: seed,top-k,temperature,characters of the prompt,text, as in "
                     "3,0,0.8,2,trivial")
          ->type_name("TEXT"),
      app.add_flag("--answer", picture.answer, "Show what the step's question asks for, and its answer"),
      app.add_option("--figure", picture.figure, figure_words())->type_name("FIGURE")->capture_default_str(),
      app.add_option("--size", picture.size,
                     "Pixels or centimetres, as in 1440x900 or 12cmx8cm (default: what suits the figure)")
          ->type_name("WxH"),
  };
  for (CLI::Option* option : add_choices(app, ChoiceOf::picture, picture.choices)) added.push_back(option);
  return added;
}

void add_progress(CLI::App& app, bool& progress) {
  app.add_flag("--progress", progress, "Print the progress, line by line: \"progress 0.25\"");
}

/// The commands that help names.
std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : std::as_const(app).get_subcommands(is_listed)) names.push_back(command->get_name());
  return names;
}

int write_manual(const CLI::App& app, const std::string& page, const Paths& folder) {
  if (folder && !page.empty())
    throw InputError(
        {"-o", "", fmt::format("a folder together with {}", page), "a folder without a command: it gets all pages"});
  if (folder) {
    write_manual_pages(app, folder->string());
    return done;
  }
  const auto pages =
      app.get_subcommands([&](const CLI::App* command) { return is_listed(command) && command->get_name() == page; });
  if (pages.empty() && !page.empty()) throw InputError({"command", "", page, listed(command_names(app))});
  print(manual_page(app, pages.empty() ? app : *pages.front()));
  return done;
}

void add_commands(CLI::App& app, Arguments& arguments) {
  auto* lectures = app.add_subcommand("lectures", "A table of the lectures");
  add_lectures_folder(*lectures, arguments);
  lectures->callback([&] { arguments.command = [&] { return list_lectures(arguments.what.lectures); }; });

  auto* keys = app.add_subcommand("keys", "A table of the keys of a setup: default, what is allowed, what it does");
  keys->callback([&] { arguments.command = list_keys; });

  auto* tensors =
      app.add_subcommand("tensors", "A table of the tensors, or which of them arrays of these names are taken for");
  tensors->add_option("name", arguments.ids, "Names of your own arrays (default: a table of ours)")->type_name("NAME");
  tensors->callback([&] { arguments.command = [&] { return list_tensors(arguments.ids); }; });

  auto* check = app.add_subcommand("check", "Compare each lecture with what its notebook printed");
  check->add_option("id", arguments.ids, "Lectures to check (default: all)")->type_name("ID");
  add_lectures_folder(*check, arguments);
  check->callback([&] {
    arguments.command = [&] { return check_lectures(arguments.ids, arguments.what.lectures, arguments.what.threads); };
  });

  auto* computing = app.add_subcommand("compute", "Write every tensor to an npz file");
  add_what(*computing, arguments);
  computing->add_option("-o,--output", arguments.output, "The npz file to write")->required()->type_name("FILE");
  computing->callback([&] { arguments.command = [&] { return compute(arguments.what, arguments.output); }; });

  auto* explaining = app.add_subcommand("explain", "Explain one number: formula, terms, value, and where it goes next");
  add_what(*explaining, arguments);
  explaining->add_option("--cell", arguments.cell, "The cell, as in 'scores[0,1,2,0]'")->required()->type_name("CELL");
  explaining->add_flag("--json", arguments.json, "As JSON");
  explaining->add_flag("--by-source", arguments.by_source,
                       "Instead: a score or a logit as the sum of what the input, each head and each MLP has written");
  explaining->callback([&] {
    arguments.command = [&] {
      return explain_cell(arguments.what, arguments.cell, arguments.json, arguments.by_source);
    };
  });

  auto* diagnosing =
      app.add_subcommand("diagnose", "Check your own arrays: where they first differ, and what mistake explains it");
  add_what(*diagnosing, arguments);
  DiagnoseArguments& mine = arguments.mine;
  diagnosing->add_option("mine", mine.mine, "Your arrays: an npz or npy file, or a printout as text")
      ->required()
      ->type_name("MINE");
  diagnosing->add_option("--name", mine.names, "Which tensor an array is, as in att=weights; may be repeated")
      ->type_name("THEIRS=OURS")
      ->allow_extra_args(false);
  diagnosing->add_option("--atol", mine.tolerance.absolute, "How far apart numbers may be")
      ->type_name("A")
      ->capture_default_str();
  diagnosing->add_option("--rtol", mine.tolerance.relative, "The same, as a fraction of our number")
      ->type_name("R")
      ->capture_default_str();
  diagnosing->add_flag("--json", mine.json, "As JSON");
  diagnosing->callback([&] { arguments.command = [&] { return diagnose_arrays(arguments.what, arguments.mine); }; });

  auto* grading =
      app.add_subcommand("grade", "Check what a class has handed in, and write a table of the grades (CSV)");
  add_what(*grading, arguments);
  GradeArguments& grades = arguments.grading;
  grading->add_option("folder", grades.folder, "A folder with a file or a folder for each submission")
      ->required()
      ->type_name("FOLDER");
  grading->add_option("--exercise", grades.exercise, "An exercise: a setup file that says what is to be handed in")
      ->type_name("FILE");
  grading->add_option("-o,--output", grades.output, "The CSV file to write")->required()->type_name("FILE");
  CLI::Option* const report =
      grading->add_option("--html", grades.report, "Also a page to show: what is wrong how often, and each comparison")
          ->type_name("FILE");
  grading->add_flag("--anonymous", grades.anonymous, "No names in that page")->needs(report);
  add_progress(*grading, grades.progress);
  grading->callback([&] { arguments.command = [&] { return grade(arguments.what, arguments.grading); }; });

  auto* exercising =
      app.add_subcommand("exercise", "Write an exercise: a template for students, and the file that grades it");
  add_what(*exercising, arguments);
  exercising->add_option("--hand-in", arguments.hand_in, "The tensors to hand in, as in scores,weights,output")
      ->required()
      ->type_name("NAMES");
  exercising->add_option("-o,--output", arguments.output, "The folder to write to; it is made if it is missing")
      ->required()
      ->type_name("FOLDER");
  exercising->callback(
      [&] { arguments.command = [&] { return make_exercise(arguments.what, arguments.hand_in, arguments.output); }; });

  auto* layers =
      app.add_subcommand("layers", "A table of a model's attention layers, or one of them or all together as a setup");
  LayersArguments& model = arguments.model;
  layers
      ->add_option("file", model.file,
                   "A .safetensors or .npz file, the .index.json of a model in several files, or a folder that capture "
                   "wrote; a config.json beside it says how many heads there are")
      ->required()
      ->type_name("FILE|FOLDER");
  auto* one = layers->add_option("--layer", model.layer, "This layer of the table as a setup")->type_name("N");
  auto* whole = layers->add_flag("--whole", model.whole,
                                 "The whole model as a setup, its layers computed from one another, as far as known");
  whole->excludes(one);
  layers
      ->add_option("--symbols", model.symbols,
                   "The text that the whole model reads: numbers of symbols, rows of its embedding")
      ->delimiter(',')
      ->needs(whole)
      ->type_name("N,N,...");
  layers->add_option("--heads", model.heads, "How many heads the layers have, where the file does not say")
      ->type_name("N");
  layers->add_option("-o,--output", model.output, "The setup file to write (default: standard output)")
      ->type_name("FILE");
  layers->callback([&] { arguments.command = [&] { return show_layers(arguments.model); }; });

  auto* capturing =
      app.add_subcommand("capture", "Write a Python program that captures the attention layers of a PyTorch model");
  capturing->add_option("-o,--output", arguments.optional_output, "The file to write (default: standard output)")
      ->type_name("FILE");
  capturing->callback([&] { arguments.command = [&] { return write_capture_program(arguments.optional_output); }; });

  auto* scripting = app.add_subcommand("script", "Write a Python program that recomputes every tensor");
  add_what(*scripting, arguments);
  scripting->add_option("--framework", arguments.framework, "numpy or torch")
      ->required()
      ->transform(
          CLI::CheckedTransformer(std::map<std::string, Framework>{framework_names.begin(), framework_names.end()})
              .description(""))
      ->type_name("NAME");
  scripting->add_flag("--check", arguments.check, "A template for your own code instead, to be checked by `diagnose`");
  scripting->add_option("-o,--output", arguments.optional_output, "The file to write (default: standard output)")
      ->type_name("FILE");
  scripting->callback([&] {
    arguments.command = [&] {
      return write_script(arguments.what, arguments.framework, arguments.check, arguments.optional_output);
    };
  });

  auto* training = app.add_subcommand("train", "Train the layer, and write how the loss falls, step by step (CSV)");
  add_what(*training, arguments);
  training->add_option("--steps", arguments.steps, "How many steps of training, from the first")
      ->required()
      ->type_name("N");
  training->add_option("-o,--output", arguments.optional_output, "The CSV file to write (default: standard output)")
      ->type_name("FILE");
  training->callback(
      [&] { arguments.command = [&] { return train(arguments.what, arguments.steps, arguments.optional_output); }; });

  auto* writing = app.add_subcommand("generate", "Let a model write, whose task is a text: a line for each text");
  add_what(*writing, arguments);
  GenerateArguments& written = arguments.writing;
  writing->add_option("--prompt", written.prompt, "How each text begins")->type_name("TEXT");
  writing->add_option("--count", written.count, "How many texts")->type_name("N")->capture_default_str();
  writing->add_option("--length", written.length, "The most characters after the prompt (default: the window's)")
      ->type_name("N");
  writing
      ->add_option("--temperature", written.temperature,
                   "Scores are divided by it: above 1 more daring; 0 takes the likeliest")
      ->type_name("T")
      ->capture_default_str();
  writing->add_option("--top-k", written.top_k, "Only the K likeliest characters; 0: all")
      ->type_name("K")
      ->capture_default_str();
  writing->add_option("--seed", written.seed, "Of the generator that chooses")->type_name("N")->capture_default_str();
  writing->add_flag("--no-cache", written.no_cache,
                    "Compute the whole text anew for each character; the digits are the same");
  writing->add_flag("--json", written.json, "As JSON, with the chance of each character");
  writing->callback([&] { arguments.command = [&] { return generate(arguments.what, arguments.writing); }; });

  auto* exporting = app.add_subcommand("export", "Write numbers, scripts, setups and lectures in any format");
  add_what(*exporting, arguments);
  ExportOptions& file = arguments.export_options;
  exporting->add_option("--tensor", file.tensor, "A tensor or a part of it, as in 'weights[0,1]'")->type_name("PART");
  exporting->add_option("--as", file.form, export_forms() + " (default: what FILE ends in)")->type_name("FORM");
  add_choices(*exporting, ChoiceOf::file, file.picture.choices);
  CLI::Option* const frames = exporting->get_option("--frames");
  for (CLI::Option* option : add_choices(*exporting, ChoiceOf::animation, file.picture.choices)) option->needs(frames);
  for (CLI::Option* option : add_picture_options(*exporting, file.picture))
    if (option->get_name() != "--view" && option->get_name() != "--cell")
      option->needs(frames);  // an exported lecture uses --view and --cell too
  add_progress(*exporting, file.progress);
  exporting->add_option("-o,--output", file.output, "The file to write (default: standard output)")->type_name("FILE");
  exporting->callback(
      [&] { arguments.command = [&] { return export_file(arguments.what, arguments.export_options); }; });

  auto* printing =
      app.add_subcommand("handout", "The lecture as a page to print: pictures, words, questions, and their answers");
  HandoutArguments& handout = arguments.handout;
  printing->add_option("--lecture", arguments.what.lecture, "A lecture, by its id (see `headlight lectures`)")
      ->type_name("ID");
  printing->add_option("--setup", arguments.what.setup_file, "A picture that Headlight drew of a lecture (PNG)")
      ->type_name("FILE");
  add_lectures_folder(*printing, arguments);
  add_choices(*printing, ChoiceOf::handout, handout.choices);
  add_progress(*printing, handout.progress);
  printing->add_option("-o,--output", handout.output, "The HTML file to write; a browser prints it")
      ->required()
      ->type_name("FILE");
  printing->callback([&] { arguments.command = [&] { return write_handout(arguments.what, arguments.handout); }; });

  auto* rendering = app.add_subcommand("render", "Draw the window or a figure into a picture, without a display");
  add_what(*rendering, arguments);
  RenderOptions& picture = arguments.picture;
  rendering->add_option("--tensor", picture.tensor, "The tensor in focus, as in scores")->type_name("TENSOR");
  add_picture_options(*rendering, picture);
  add_progress(*rendering, picture.progress);
  rendering
      ->add_option("-o,--output", picture.output, "The file to write, by its ending: " + endings_of(FormKind::picture))
      ->required()
      ->type_name("FILE");
  rendering->callback([&] { arguments.command = [&] { return render(arguments.what, arguments.picture); }; });

  auto* documenting = app.add_subcommand("manual", "The manual page of the program or of a command, or all of them");
  documenting->add_option("command", arguments.page, "A command (default: the program)")->type_name("COMMAND");
  documenting
      ->add_option("-o,--output", arguments.optional_output,
                   "A folder for all pages (default: one, to standard output)")
      ->type_name("FOLDER");
  documenting->callback(
      [&] { arguments.command = [&] { return write_manual(app, arguments.page, arguments.optional_output); }; });

  for (CLI::App* command : app.get_subcommands({})) command->footer(std::string(more_about(command->get_name())));
  exporting->footer(export_forms_help() + "\n" + exporting->get_footer());
}

/// The window's exports run this. The help doesn't name it, because the format of its input may change.
void add_run_export(CLI::App& app, Arguments& arguments) {
  auto* running = app.add_subcommand("run-export")->group("");
  running->add_option("job", arguments.job)->required();
  add_lectures_folder(*running, arguments);
  add_progress(*running, arguments.progress);
  running->add_option("-o,--output", arguments.output)->required();
  running->callback([&] {
    arguments.command = [&] { return run_export(arguments.job, arguments.what, arguments.output, arguments.progress); };
  });
}

/// The options without a command, which open the window. They are a part of the commands' options.
void add_window(CLI::App& app, Arguments& arguments) {
  What& what = arguments.what;
  app.add_option("file", arguments.file,
                 "Open the window with this setup, lecture, picture, model or folder of a model")
      ->type_name("FILE");
  app.add_option("--lecture", what.lecture, "Open the window with this lecture, or at this link")->type_name("ID");
  app.add_option("--setup", what.setup_file,
                 "Open the window with this setup file, or with what this picture or link shows")
      ->type_name("FILE");
  app.add_option("--step", what.step, "Open the lecture at this step, counted from 1")->type_name("N");
  app.add_option("--model", what.model, "Open the window with the layers of this model, a file or a captured folder")
      ->type_name("FILE|FOLDER");
  app.add_option("--present", arguments.present, "Open the window and present this lecture")->type_name("ID");
  app.add_flag("--presenter", arguments.presenter, "With --present: also open the presenter's window");
  app.add_option("--check", arguments.work, "Open the window and check these arrays of your own: npz, npy, a printout")
      ->type_name("FILE");
  add_lectures_folder(app, arguments);
}

/// Presenting a lecture also opens it.
What shown_by(const Arguments& arguments) {
  What what = arguments.what;
  if (arguments.presenter && arguments.present.empty())
    throw InputError({"--presenter", "", "--presenter without --present", "only with --present"});
  if (arguments.present.empty()) return what;
  for (const auto& [option, named] : {std::pair("--lecture", !what.lecture.empty()),
                                      {"--setup", what.setup_file.has_value()},
                                      {"--model", what.model.has_value()}})
    if (named) throw InputError({"--present", "", fmt::format("--present together with {}", option), "one of them"});
  what.lecture = arguments.present;
  return what;
}

/// Throws where `file` can't be opened, as when it is a command that was mistyped.
void require_file(const CLI::App& app, const Arguments& arguments, const What& what) {
  const std::filesystem::path& file = arguments.file;
  if (file.empty()) return;
  if (what.setup_file || what.model || !what.lecture.empty())
    throw InputError(
        {"FILE", "", fmt::format("{} together with --lecture, --setup or --model", file.string()), "one of them"});
  std::error_code error;
  const bool exists = is_link(file) || std::filesystem::exists(file, error);
  if (error) throw InputError({file.string(), "", error.message(), "a file that can be read"});
  if (!exists)
    throw InputError({file.string(), "", "neither a file nor a command",
                      fmt::format("an existing file, or one of {}", listed(command_names(app)))});
}

int show_window(const CLI::App& app, const Arguments& arguments) {
  const What what = shown_by(arguments);
  require_file(app, arguments, what);
  if (!arguments.work.empty()) handed_in(arguments.work);
  if (what.step && what.lecture.empty())
    throw InputError({"--step", "", fmt::format("{}", *what.step), "only with --lecture or --present"});
  // Reports a missing or broken setup or lecture before a window opens. A link opens as far as it can be followed.
  const bool follows_link = what.setup_file && is_link(*what.setup_file);
  if (!follows_link && (what.setup_file || what.model || !what.lecture.empty())) setup_of(what);
  open_window({.lecture = what.lecture,
               .step = what.step.value_or(1) - 1,
               .present = !arguments.present.empty(),
               .presenter = arguments.presenter,
               .file = arguments.file,
               .mine = arguments.work,
               .setup_file = what.setup_file,
               .model = what.model,
               .lectures = what.lectures});
  return done;
}

/// A whole number outside 64 bits would be taken for the nearest inside, without a word.
void refuse_overflow(CLI::App& command) {
  constexpr std::string_view digits = "0123456789";
  const auto problem = [=](const std::string& text) -> std::string {
    const std::string_view sign_apart = std::string_view(text).substr(text.starts_with('+') ? 1 : 0);
    const bool is_whole =
        sign_apart.substr(sign_apart.starts_with('-') ? 1 : 0).find_first_not_of(digits) == std::string_view::npos;
    return !is_whole || number_from<std::int64_t>(sign_apart) ? ""
                                                              : fmt::format("\"{}\" is no number of 64 bits", text);
  };
  for (CLI::Option* option : command.get_options())
    if (option->get_type_name() == "N") option->check(problem);
}

void complain(std::string_view message) { say(fmt::format("headlight: {}\n", printable(message))); }

/// Runs a command and turns what it throws into a message and an exit code. No other code does that.
int guarded(const std::function<int()>& command) {
  try {
    const int code = command();
    finish_printing();
    return code;
  } catch (const InputError& error) {
    for (const std::string& line : lines_of(error.problems())) complain(line);
    return bad_input;
  } catch (const std::filesystem::filesystem_error& error) {
    complain(Problem{error.path1().string(), "", error.code().message(), "a path that can be used"}.message());
    return bad_input;
  } catch (const MachineError& error) {
    complain(error.what());
    return machine_cannot;
  } catch (const std::bad_alloc&) {
    complain(
        "this machine doesn't have enough free memory; use smaller sizes, or a lower --memory-limit to be "
        "warned first");
    return machine_cannot;
  } catch (const std::exception& error) {
    complain(fmt::format("internal error: {}", error.what()));
    return machine_cannot;
  } catch (...) {
    complain("internal error");
    return machine_cannot;
  }
}

}  // namespace

int run_command_line(int argc, char** argv) {
  fill_closed_streams();
  // A file that may grow no larger is then refused as on a full disk, and ends nothing.
  std::signal(SIGXFSZ, SIG_IGN);
  CLI::App app("Headlight: every number inside multi-head attention, and where it came from", "headlight");
  Arguments arguments;
  app.require_subcommand(0, 1);
  add_window(app, arguments);
  arguments.command = [&] { return show_window(app, arguments); };
  add_commands(app, arguments);
  add_run_export(app, arguments);
  app.footer(std::string(more_about("")));
  const std::string version = "headlight " HEADLIGHT_VERSION;
  app.set_version_flag("--version", version);
  for (CLI::App* command : app.get_subcommands({})) {
    command->set_version_flag("--version", version);
    refuse_overflow(*command);
  }
  // The shells run this to complete a line. Its words are those of the line, so none of them is an option here.
  if (const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
      !words.empty() && words[0] == "complete") {
    return guarded([&] {
      print(text_of(completion_of(app, std::span(words).subspan(1))));
      return done;
    });
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {
    return guarded([&] {
      std::ostringstream words;
      app.exit(asked, words);
      print(words.str());
      return done;
    });
  } catch (const CLI::ParseError& error) {
    complain(fmt::format("{}; see `headlight --help`", error.what()));
    return bad_input;
  }
  // A link may be given in place of a lecture's id; it names its lecture or its setup itself.
  What& what = arguments.what;
  if (is_link(what.lecture)) what.setup_file = std::exchange(what.lecture, {});
  return guarded(arguments.command);
}

}  // namespace headlight
