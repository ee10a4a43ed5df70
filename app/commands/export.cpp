// The commands that write files in any form, run the window's exports, and write a lecture on paper.
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string_view>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/commands/commands.hpp"
#include "app/commands/progress_line.hpp"
#include "app/commands/streams.hpp"
#include "app/commands/what.hpp"
#include "app/figures/handout/handout.hpp"
#include "app/lectures/library.hpp"
#include "app/session/export/export_choices.hpp"
#include "app/session/export/export_forms.hpp"
#include "app/session/export/export_job.hpp"
#include "app/session/export/own_page.hpp"
#include "app/session/lecture_writing.hpp"
#include "app/session/lesson.hpp"
#include "app/session/selecting.hpp"
#include "app/session/snapshot/shared_link.hpp"
#include "app/shell/documents.hpp"
#include "app/shell/one_file_page.hpp"
#include "core/engine/engine.hpp"
#include "core/formats/files.hpp"
#include "core/formats/setup/setup_overrides.hpp"
#include "core/text/wording.hpp"

namespace headlight {
namespace {

std::vector<std::string_view> names() {
  std::vector<std::string_view> names;
  for (const ExportForm& form : all_forms())
    if (!form.drawn()) names.push_back(form.name);
  return names;
}

/// The file endings of all forms that are not pictures, each named once.
std::string endings() {
  std::vector<std::string_view> endings;
  for (const ExportForm& form : all_forms())
    if (!form.drawn() && std::ranges::find(endings, form.ending) == endings.end()) endings.push_back(form.ending);
  return listed(endings);
}

/// The form for the ending of the output file. If several forms share the ending, the one for numbers of a tensor if a
/// tensor is named; otherwise --as must choose.
const ExportForm& form_for(const std::filesystem::path& output, bool with_tensor) {
  const std::string ending = output.extension().string();
  std::vector<std::string> choices;
  const ExportForm* found = nullptr;
  for (const ExportForm& form : all_forms()) {
    if (form.drawn() || form.ending != ending) continue;
    if (with_tensor && form.of_tensor) return form;
    choices.push_back(fmt::format("--as {}", form.name));
    found = &form;
  }
  if (choices.size() == 1) return *found;
  if (choices.size() > 1) throw InputError({"--as", "", fmt::format("none, for {}", output.string()), listed(choices)});
  throw InputError(
      {"-o", "", output.string(), fmt::format("a name that ends in {}, or --as to say what it is", endings())});
}

const ExportForm& form_of(const ExportOptions& options) {
  if (options.form.empty() && options.output) return form_for(*options.output, !options.tensor.empty());
  if (options.form.empty())
    throw InputError({"", "", "neither -o nor --as", "a file to write, or one of " + export_forms()});
  if (const ExportForm* form = form_named(options.form)) return *form;
  throw InputError({"--as", "", options.form, "one of " + export_forms()});
}

std::string forms_of_a_tensor() {
  std::vector<std::string_view> names;
  for (const ExportForm& form : all_forms())
    if (form.of_tensor) names.push_back(form.name);
  return listed(names);
}

void require_fitting(const ExportForm& form, const ExportOptions& options) {
  if (form.of_tensor && options.tensor.empty())
    throw InputError(
        {"--tensor", "", fmt::format("none, for {}", form.name), "a tensor or a part of it, as in 'weights[0,1]'"});
  if (!form.of_tensor && !options.tensor.empty())
    throw InputError(
        {"--tensor", "", fmt::format("{} with {}", options.tensor, form.name), "only with " + forms_of_a_tensor()});
  if (form.text == nullptr && !options.output)
    throw InputError({"-o", "", fmt::format("none, for {}", form.name), "a file to write: it isn't text"});
  for (const auto& [option, value] :
       {std::pair("--view", options.picture.view), std::pair("--cell", options.picture.cell)})
    if (!form.opens_at_cell && !value.empty())
      throw InputError(
          {option, "", fmt::format("{} with {}", value, form.name), "only with --frames, a lecture, a link or a page"});
  with_typed({}, options.picture.choices);
}

/// The file of the session's lecture; nullopt if it is one of the program's own, or none is open.
std::optional<std::filesystem::path> lecture_file(const Session& session, const What& what) {
  const Lecture* const lecture = session.lesson().lecture();
  return lecture ? LectureLibrary(what.lectures).file(lecture->id) : std::nullopt;
}

/// A setup without a title has the name of its file.
std::string page_of(const Session& session, const What& what, const std::filesystem::path& setup_file) {
  const OneFilePage page = one_file_page(this_programs_file(), [](const char* name) { return std::getenv(name); });
  PageDocument document = own_page_of(session, lecture_file(session, what));
  if (document.title.empty()) document.title = setup_file.stem().string();
  return with_document(page.html, document, page.file.string());
}

/// What a command or the window wants to export.
struct Exported {
  Setup setup;
  std::string part;  ///< for numbers: "weights[0,1]"
  Index digits = 0;
  std::function<Session()> session;  ///< shows it
  std::filesystem::path setup_file;  ///< empty: none
};

/// The page of a model begins as the window does that opens the model, if nobody says where.
bool begins_at_all_layers(const What& what, const ExportOptions& options) {
  return what.model && !what.setup_file && !what.layer && form_of(options).name == "page" &&
         options.picture.view.empty() && options.picture.cell.empty();
}

Exported exported_of(const What& what, const ExportOptions& options) {
  const bool has_file = what.setup_file && !is_link(*what.setup_file);
  return {setup_of(what), options.tensor, with_typed({}, options.picture.choices).digits,
          [&what, &options] {
            Session session = session_of(what, {});
            if (begins_at_all_layers(what, options)) session.show(View::layers);
            select_named(session, options.picture);
            return session;
          },
          has_file ? *what.setup_file : std::filesystem::path()};
}

Exported exported_of(const What& what, const ExportJob& job) {
  return {*job.snapshot.setup, job.part, job.choices.digits,
          [&what, &job] { return session_of(job.snapshot, what, {}); }, job.snapshot.setup_file};
}

ExportSource source_of(const Exported& exported, const What& what, const std::filesystem::path& folder,
                       const Report& computing) {
  const auto model = [&what, setup = exported.setup, computing] {
    Engine engine(what.memory_limit, what.threads);
    engine.compute(setup, {{}, computing});
    return engine.model();
  };
  return {.setup = exported.setup,
          .folder = folder,
          .memory_limit = what.memory_limit,
          .digits = static_cast<int>(exported.digits),
          .model = model,
          .numbers =
              [exported, model] {
                // Parsed first, so that a wrong --tensor is refused before anything is computed.
                const TensorSlice part = parse_tensor_slice(exported.part, exported.setup);
                return numbers_of(model().at(part.layer), part);
              },
          .lecture = [exported, folder] { return lecture_start(exported.session(), folder); },
          .link = [exported] { return to_text(link_of(exported.session())); },
          .page = [exported, &what] { return page_of(exported.session(), what, exported.setup_file); }};
}

void write(const ExportForm& form, const What& what, const ExportOptions& options) {
  std::ignore = replaced_file(*options.output);  // throws before the computation if the file cannot be written
  ProgressLine progress(options.progress);
  const Report computing = progress.part("computing", 0, 0.5);
  write_form(form, *options.output, source_of(exported_of(what, options), what, folder_of(*options.output), computing),
             progress.part("writing", 0.5, 1));
}

/// An animation of steps shows the person's own changes and selection at each of them.
ShowAgain shown_again(const Snapshot& snapshot, const Session& session, bool with_view) {
  if (session.lesson().lecture() == nullptr) return {};
  return [snapshot, with_view, own = overrides_between(*session.lesson().setup(), *snapshot.setup)](Session& at) {
    if (!own.empty()) require_done(at.edit(with_overrides(at.setup(), own)));
    if (with_view) at.show(snapshot.display.view);
    const auto said = snapshot.answers.find(snapshot.step);
    if (said != snapshot.answers.end() && said->second.shown) Lesson(at).show_answer();
    const Cell cell = parse_cell(snapshot.cell, at.setup());
    Selecting(at).select_tensor(cell.tensor);
    Selecting(at).select_head(snapshot.head);
    Selecting(at).select_batch(snapshot.batch);
    if (snapshot.pinned) Selecting(at).pin(cell);
  };
}

void require_html(const std::filesystem::path& file) {
  if (form_ending(FormKind::handout, file) != nullptr) return;
  std::string allowed = "a file name that ends in " + endings_of(FormKind::handout);
  if (file.extension() == ".pdf")
    allowed += fmt::format(": write {} and print it from a browser",
                           std::filesystem::path(file).replace_extension(".html").string());
  throw InputError({"-o", "", file.string(), allowed});
}

}  // namespace

int run_export(const std::filesystem::path& file, const What& what, const std::filesystem::path& output,
               bool progress_lines) {
  const ExportJob job = parse_export_job(read_text(file), file.string());
  const ExportForm& form = job.choices.form();
  std::ignore = replaced_file(output);
  ProgressLine progress(progress_lines);
  if (!form.drawn()) {
    const Report computing = progress.part("computing", 0, 0.5);
    write_form(form, output, source_of(exported_of(what, job), what, folder_of(output), computing),
               progress.part("writing", 0.5, 1));
    return done;
  }
  Session session = session_of(job.snapshot, what, progress.part("computing", 0, 0.3));
  const Report drawing = progress.part("drawing", 0.3, 1);
  if (form.kind == FormKind::handout) {
    write_file(output, to_html(handout_of(session, job.choices.notes, drawing), job.choices.paper));
    return done;
  }
  const bool with_view = shows_whole_view(job.choices.figure());
  draw_job(output, session, job, shown_again(job.snapshot, session, with_view), drawing);
  return done;
}

std::string export_forms() { return fmt::format("{}", fmt::join(names(), ", ")); }

std::string export_forms_help() {
  std::string text = "FORM is one of\n";
  for (const ExportForm& form : all_forms())
    if (!form.drawn()) text += fmt::format("  {:8} {:6} {}\n", form.name, form.ending, form.words);
  return text;
}

int export_file(const What& what, const ExportOptions& options) {
  const auto frames = options.picture.choices.find("frames");
  if (frames != options.picture.choices.end() && frames->second != ControlInput(std::string()))
    return animate(what, options);
  const ExportForm& form = form_of(options);
  require_fitting(form, options);
  if (options.output) write(form, what, options);
  else print(form.text(source_of(exported_of(what, options), what, {}, {})));
  return done;
}

int write_handout(const What& what, const HandoutArguments& arguments) {
  require_html(arguments.output);
  const ExportChoices choices = with_typed({}, arguments.choices);
  ProgressLine progress(arguments.progress);
  Session session = session_of(what, progress.part("computing", 0, 0.1));
  replaced_file(arguments.output);  // throws before anything is drawn if the file cannot be written
  const Handout handout = handout_of(session, choices.notes, progress.part("drawing", 0.1, 1));
  write_file(arguments.output, to_html(handout, choices.paper));
  return done;
}

}  // namespace headlight
