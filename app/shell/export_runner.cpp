#include "app/shell/export_runner.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "app/machine.hpp"
#include "app/platform/pictures/png.hpp"
#include "app/shell/user_folders.hpp"
#include "core/formats/arrays/tensor_slice.hpp"
#include "core/formats/files.hpp"
#include "core/text/numbers.hpp"

namespace headlight {
namespace {

constexpr double settling_seconds = 0.35;
constexpr double tick_seconds = 0.1;
constexpr Index most_previewed_numbers = 100'000;
constexpr std::size_t most_lines = 60;
constexpr std::size_t longest_line = 200;

ExportJob job_of(const ExportDialog& dialog, const Session& session) {
  return export_job(session, dialog.choices, dialog.part, dialog.window, dialog.zoom);
}

/// The reason that the dialog shows in place of a preview; empty if there can be one.
/// Whether the open question hides a number of the slice.
bool hides_some(const Session& session, const TensorSlice& slice) {
  const auto overlaps = [&](const AxisRanges& part) {
    for (std::size_t axis = 0; axis < part.size(); ++axis)
      if (slice.at[axis] && !part[axis].has(*slice.at[axis])) return false;
    return true;
  };
  const Setup& setup = session.setup();
  return session.lesson().asks() && slice.layer == setup.layer &&
         std::ranges::any_of(hidden_parts_of(*session.lesson().question(), slice.tensor, setup), overlaps);
}

std::string reason_without_preview(const ExportDialog& dialog, const Session& session) {
  const ExportForm& form = dialog.choices.form();
  if (std::string why = why_not(dialog.choices.what, session); !why.empty()) return why;
  if (form.kind == FormKind::handout) return fmt::format("{}.", form.words);
  if (form.drawn()) return {};
  if (!form.of_tensor) return form.text == nullptr ? fmt::format("{}.", form.words) : std::string{};
  try {
    const TensorSlice slice = parse_tensor_slice(dialog.part, session.setup());
    const Tensor values = numbers_of(session.model_trace().at(slice.layer), slice).values;
    if (hides_some(session, slice)) return "The step asks about these numbers. They show here with the answer.";
    if (form.text == nullptr) return fmt::format("{}: {}.", form.words, values.shape().to_string());
    if (values.elements() > most_previewed_numbers) return fmt::format("{} numbers.", values.elements());
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

std::vector<std::string> first_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; lines.size() < most_lines && std::getline(in, line);)
    lines.push_back(line.substr(0, longest_line));
  return lines;
}

/// The error messages of the program, without its name in front and without the lines of progress.
std::string complaint(const std::string& said) {
  std::istringstream in(said);
  std::string words;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("progress ")) continue;
    if (line.starts_with("headlight: ")) line.erase(0, 11);
    words += (words.empty() ? "" : "\n") + line;
  }
  return words.empty() ? "it exited without an error message" : words;
}

/// The fraction of the last line "progress 0.25"; 0 if there is none yet.
double fraction_in(const std::string& said) {
  constexpr std::string_view word = "progress ";
  const auto at = said.rfind(word);
  double fraction = 0;
  if (at != std::string::npos) read_number(said.data() + at + word.size(), said.data() + said.size(), fraction);
  return fraction;
}

}  // namespace

TemporaryFile::TemporaryFile(std::string_view ending) {
  std::string name = (std::filesystem::temp_directory_path() / fmt::format("headlight-XXXXXX{}", ending)).string();
  const int descriptor = ::mkstemps(name.data(), static_cast<int>(ending.size()));
  if (descriptor < 0) throw InputError({name, "", "no file can be made there", "a folder for temporary files"});
  ::close(descriptor);
  path_ = name;
}

TemporaryFile::~TemporaryFile() {
  std::error_code error;
  std::filesystem::remove(path_, error);
}

void TemporaryFile::write(std::string_view text) const {
  std::ofstream file(path_, std::ios::binary | std::ios::trunc);
  file << text;
  if (!file.flush()) throw InputError({path_.string(), "", "it cannot be written", "a folder for temporary files"});
}

ExportRunner::ExportRunner(std::string program) : program_(std::move(program)) {}

ExportDialog ExportRunner::dialog_for(const Session& session, ExportChoices choices,
                                      const ExportFolders& folders) const {
  ExportDialog dialog;
  dialog.choices = std::move(choices);
  dialog.folders = folders;
  const std::filesystem::path& folder = folders.of(dialog.choices.form());
  dialog.part = shown_part(session);
  dialog.path = (folder / (file_name_for(session.setup().title) + std::string(dialog.choices.form().ending))).string();
  return dialog;
}

void ExportRunner::start(Run& run, const ExportJob& job, const std::filesystem::path& lectures,
                         const std::filesystem::path& output) const {
  run.job.write(to_text(job));
  std::vector<std::string> arguments{program_, "run-export",    run.job.path().string(),
                                     "-o",     output.string(), "--progress"};
  if (!lectures.empty()) arguments.insert(arguments.end(), {"--lectures", lectures.string()});
  run.child = std::make_unique<ChildProcess>(arguments);
}

void ExportRunner::end(Run& run) {
  if (run.child == nullptr) return;
  run.child->terminate();
  ending_.push_back(std::move(run.child));
}

void ExportRunner::end_preview() {
  if (preview_ != nullptr) end(preview_->run);
  preview_.reset();
}

void ExportRunner::tick(Ui& ui) {
  std::erase_if(ending_, [](const auto& child) { return child->ended().has_value(); });
  if (!ending_.empty()) ui.request_frame_in(tick_seconds);
}

void ExportRunner::close() {
  if (run_ != nullptr) end(*run_);
  run_.reset();
  end_preview();
  previewed_.reset();
  wanted_.reset();
}

std::optional<std::filesystem::path> ExportRunner::update(ExportDialog& dialog, const Session& session,
                                                          const NamedSources& sources, Ui& ui,
                                                          std::unique_ptr<Texture>& texture) {
  const std::vector<std::string> what = what_arguments(session, sources);
  const std::filesystem::path path(dialog.path);
  const std::string typed = machine().has_folders ? dialog.path : path.filename().string();
  dialog.command = what.empty() ? "" : as_known(as_typed(command_of(job_of(dialog, session), what, typed)));
  if (!dialog.problem.empty() && dialog.failed != dialog.attempt()) dialog.problem.clear();
  const auto wish = std::exchange(dialog.wish, ExportDialog::Wish::none);
  if (wish == ExportDialog::Wish::cancel && run_ != nullptr) {
    end(*run_);
    run_.reset();
  }
  if (wish == ExportDialog::Wish::run && run_ == nullptr) {
    dialog.problem.clear();
    auto run = std::make_unique<Run>();
    run->output = dialog.path;
    start(*run, job_of(dialog, session), sources.lectures, run->output);
    run_ = std::move(run);
  }
  if (wish == ExportDialog::Wish::close) {
    close();
    return std::nullopt;
  }
  update_preview(dialog, session, sources, ui, texture);
  if (wish == ExportDialog::Wish::copy) copy_preview(dialog, ui);
  return update_run(dialog, ui);
}

bool ExportRunner::is_up_to_date() const {
  return preview_ != nullptr && previewed_ == wanted_ && preview_->run.child == nullptr;
}

/// Copies text only if it belongs to the current choices. While its preview is being made, the wish waits for a
/// later frame.
void ExportRunner::copy_preview(ExportDialog& dialog, Ui& ui) const {
  if (dialog.preview.busy && dialog.choices.form().text != nullptr) dialog.wish = ExportDialog::Wish::copy;
  else if (is_up_to_date() && !dialog.preview.lines.empty()) ui.copy(read_text(preview_->file.path()));
}

std::optional<std::filesystem::path> ExportRunner::update_run(ExportDialog& dialog, Ui& ui) {
  dialog.fraction.reset();
  if (run_ == nullptr) return std::nullopt;
  run_->said += run_->child->read_errors();
  dialog.fraction = fraction_in(run_->said);
  ui.request_frame_in(tick_seconds);
  const auto code = run_->child->ended();
  if (!code) return std::nullopt;
  run_->said += run_->child->read_errors();
  const auto run = std::exchange(run_, nullptr);
  dialog.fraction.reset();
  if (*code == 0) return run->output;
  dialog.problem = complaint(run->said);
  dialog.failed = dialog.attempt();
  dialog.asked_to_replace.clear();
  return std::nullopt;
}

void ExportRunner::update_preview(ExportDialog& dialog, const Session& session, const NamedSources& sources, Ui& ui,
                                  std::unique_ptr<Texture>& texture) {
  if (dialog.preview.texture != nullptr && texture == nullptr) {  // the graphics card has lost it
    dialog.preview.texture = nullptr;
    previewed_.reset();
  }
  const Previewed now{session.revision(), dialog.choices, dialog.part, dialog.window, dialog.zoom};
  if (now != wanted_) {
    wanted_ = now;
    wanted_since_ = ui.time();
  }
  const double left = wanted_since_ + settling_seconds - ui.time();
  if (previewed_ != wanted_ && left > 0) {
    dialog.preview.busy = true;  // the preview on the screen belongs to the earlier choices
    ui.request_frame_in(left);
    return;
  }
  if (previewed_ != wanted_) start_preview(dialog, session, sources);
  dialog.preview.busy = preview_ != nullptr && preview_->run.child != nullptr;
  if (!dialog.preview.busy) return;
  preview_->run.said += preview_->run.child->read_errors();
  if (preview_->run.child->ended()) show_preview(dialog, texture);
  ui.request_frame_in(dialog.preview.busy ? tick_seconds : 0);
}

void ExportRunner::start_preview(ExportDialog& dialog, const Session& session, const NamedSources& sources) {
  previewed_ = wanted_;
  end_preview();
  dialog.preview.remark = reason_without_preview(dialog, session);
  if (!dialog.preview.remark.empty()) {
    dialog.preview.texture = nullptr;
    dialog.preview.lines.clear();
    return;
  }
  const bool drawn = dialog.choices.form().drawn();
  preview_ = std::make_unique<Preview>(drawn ? ".png" : dialog.choices.form().ending);
  const auto& file = preview_->file.path();
  const ExportJob job = job_of(dialog, session);
  start(preview_->run, drawn ? preview_of(job) : job, sources.lectures, file);
}

void ExportRunner::show_preview(ExportDialog& dialog, std::unique_ptr<Texture>& texture) {
  ExportPreview& shown = dialog.preview;
  shown = {};
  const bool done = preview_->run.child->ended() == 0;
  preview_->run.said += preview_->run.child->read_errors();
  preview_->run.child.reset();
  if (!done) {
    shown.remark = complaint(preview_->run.said);
  } else if (dialog.choices.form().drawn()) {
    texture = std::make_unique<Texture>(read_png(preview_->file.path()));
    shown.texture = texture->id();
    shown.width = texture->width();
    shown.height = texture->height();
  } else {
    shown.lines = first_lines(read_text(preview_->file.path()));
  }
}

}  // namespace headlight
