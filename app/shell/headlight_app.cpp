#include "app/shell/headlight_app.hpp"

#include <algorithm>
#include <initializer_list>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <imgui.h>

#include "app/machine.hpp"
#include "app/platform/child_process.hpp"
#include "app/platform/machine_error.hpp"
#include "app/platform/surfaces/window.hpp"
#include "app/session/actions/actions.hpp"
#include "app/session/checking.hpp"
#include "app/session/drafting.hpp"
#include "app/session/edits/own_numbers.hpp"
#include "app/session/files/known_problems.hpp"
#include "app/session/lesson.hpp"
#include "app/session/model/open_layer.hpp"
#include "app/session/practice.hpp"
#include "app/session/selecting.hpp"
#include "app/session/sentence.hpp"
#include "app/session/settings/settings.hpp"
#include "app/session/snapshot/shared_link.hpp"
#include "app/session/trainer.hpp"
#include "app/shell/user_folders.hpp"
#include "app/views/base/last_export.hpp"
#include "app/views/base/perform.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/compare/check_study.hpp"
#include "app/views/menus/context_menu.hpp"
#include "app/views/menus/history_list.hpp"
#include "app/views/overlays/command_palette.hpp"
#include "app/views/overlays/export_dialog.hpp"
#include "app/views/overlays/layers_card.hpp"
#include "app/views/play/play.hpp"
#include "app/views/tensors/cell_edit.hpp"
#include "app/views/tensors/zoom.hpp"
#include "app/views/window/app_view.hpp"
#include "app/views/window/present_view.hpp"
#include "app/views/window/start_page.hpp"
#include "app/views/write/write_parts.hpp"
#include "core/formats/diagnose/printed_arrays.hpp"
#include "core/formats/diagnose/report_text.hpp"
#include "core/formats/files.hpp"
#include "core/formats/layers/attention_layers.hpp"
#include "core/formats/layers/given_weights.hpp"
#include "core/formats/script/script.hpp"
#include "core/trained/encoder_numbers.hpp"

namespace headlight {
namespace {

constexpr const char* printed_numbers =
    "numbers as NumPy, PyTorch, Python or a spreadsheet write them, not shortened with \"...\"";

bool ends_in(const std::filesystem::path& file, std::initializer_list<std::string_view> endings) {
  return std::ranges::find(endings, std::string_view(file.extension().native())) != endings.end();
}

/// Whether a file names the others of its model, which lie beside it.
bool is_index(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  return name == "index.json" || name.ends_with(".index.json") || name.ends_with(".headlight.json");
}

/// Of files that were given together, those to open: an index opens the others, and a model knows its config.json.
std::vector<std::filesystem::path> to_open(std::vector<std::filesystem::path> files) {
  if (std::ranges::any_of(files, is_index)) std::erase_if(files, [](const auto& file) { return !is_index(file); });
  else if (files.size() > 1) std::erase_if(files, [](const auto& file) { return ends_in(file, {".json"}); });
  return files;
}

/// A file that was written, as the person knows it.
std::string told(const std::filesystem::path& file) {
  return machine().has_folders ? file.string() : file.filename().string();
}

/// "14:12"; empty without a clock.
std::string time_of_day(const std::function<std::time_t()>& now) {
  if (!now) return {};
  const std::time_t seconds = now();
  std::tm local{};
  if (localtime_r(&seconds, &local) == nullptr) return {};
  return fmt::format("{}:{:02}", local.tm_hour, local.tm_min);
}

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};

}  // namespace

HeadlightApp::HeadlightApp(Session session, Outside outside)
    : session_(std::move(session)),
      outside_(std::move(outside)),
      exports_(outside_.program),
      presenter_(session_, {.clock = [this] { return time_of_day(outside_.now); }}),
      presented_(session_.display().presentation.presenting) {
  follow_desktop();
}

SurfaceLook HeadlightApp::look() const {
  const Appearance& appearance = session_.display().appearance;
  const Presentation& presentation = session_.display().presentation;
  const bool less_motion = appearance.theme_follows && outside_.less_motion && outside_.less_motion();
  SurfaceLook look{appearance.theme, static_cast<float>(appearance.scale), appearance.reduce_motion || less_motion};
  if (presentation.presenting) look.fitted = slide_size;
  if (in_lesson_mode(session_) || on_sentence_page(session_) || memory_.opened<StartPage>()) look.roomy = lesson_room;
  look.full_screen = presentation.full_screen;
  look.monitor = appearance.class_monitor;
  return look;
}

std::string HeadlightApp::title() const {
  if (const auto file = outside_.setup_file ? outside_.setup_file(session_) : std::nullopt)
    return fmt::format("{}{} · Headlight", file->path.filename().string(), file->differs ? "*" : "");
  if (session_.lesson().lecture()) return session_.lesson().lecture()->title + " · Headlight";
  return session_.setup().title.empty() ? "Headlight" : session_.setup().title + " · Headlight";
}

namespace {

/// What the person has chosen as the answer: one click answers. A number is typed, and a class on slides first votes.
std::optional<double> chosen_answer(const Session& session) {
  const LessonState& lesson = session.lesson();
  const Display& display = session.display();
  const bool by_click = lesson.asks() && lesson.question()->is_chosen() && !display.presentation.presenting &&
                        display.embedded == Embedded::none;
  return by_click ? lesson.answer_state().guess : std::nullopt;
}

/// Whether the program around the window may have a use for it: a function key, or a letter or digit with Ctrl or Alt.
bool may_be_of_others(const Chord& chord) {
  const bool is_function = chord.key >= Key::f1 && chord.key <= Key::f12;
  return is_function || ((chord.ctrl || chord.alt) && chord.key >= Key::a && chord.key <= Key::digit_9);
}

}  // namespace

void HeadlightApp::frame(FrameContext& frame) {
  constexpr double progress_ticks = 0.1;
  const SurfaceLook look_before = look();  // which the surface has; what comes in now may open a lesson
  session_.take_in();
  maximised_ = frame.around.maximised.value_or(maximised_);
  const std::uint64_t before = session_.revision();
  presenter_.follow_talk(frame.ui.time());
  follow_desktop();
  frame.heatmaps.use(session_.summary().pyramids, session_.threads());
  ViewContext context{frame.ui, frame.heatmaps, session_, memory_};
  dismiss_problems(frame.ui);
  play(frame.ui);
  if (std::exchange(releases_focus_, false)) frame.ui.release_focus();
  open_chosen_files(frame.ui);
  run_export(frame);
  const LectureStep asked = session_.lesson().at;
  const auto said = chosen_answer(session_);
  draw_app(context);
  scale_by_wheel(frame.ui);
  press_keys(context);
  if (const auto says = chosen_answer(session_); says && says != said && session_.lesson().at == asked)
    Lesson(session_).check_guess();
  answer(frame, context);
  present_on(frame.around);
  shown_ = session_.revision();
  wheel_use_ = frame.ui.memory().wheel;
  drag_use_ = frame.ui.memory().drags;
  covers_ = frame.ui.memory().covers;
  tab_ends_ = frame.ui.tab_ends();
  said_ = frame.ui.memory().said;
  frame.close = closing_ = closing_ || frame.ui.input().wants_to_close;
  if (after_frame_) after_frame_();
  if (session_.state().computing || session_.words_wait()) frame.ui.request_frame_in(progress_ticks);
  // Changes by keys and clicks become visible in the next frame, and so does another theme or scale.
  if (session_.revision() != before || !(look() == look_before)) frame.ui.request_frame();
}

/// Nothing of it was applied, so the message goes away with the next thing that the person does.
void HeadlightApp::dismiss_problems(const Ui& ui) {
  if (session_.state().problems.empty() || ui.typing() || (ui.keys().empty() && !ui.mouse_clicked())) return;
  session_.edit(session_.wanted());
}

void HeadlightApp::play(Ui& ui) {
  constexpr double ticks = 0.25;  // a step plays for whole seconds, so this is often enough
  if (session_.lesson().playing) {
    if (played_at_ > 0) Lesson(session_).advance(ui.time() - played_at_);
    ui.request_frame_in(ticks);
    played_at_ = ui.time();
  } else {
    played_at_ = 0;
  }
  if (!session_.state().training.playing) return;
  Trainer(session_).advance(ui.time_step());
  ui.request_frame();
}

bool HeadlightApp::uses_key(const Chord& chord) const {
  if (session_.display().embedded == Embedded::none)
    return !may_be_of_others(chord) || action_now(chord, session_) != nullptr;
  const Action* const action = action_for(chord, false, session_.display().view);
  return action != nullptr && action->facts.embedded && action->enabled(session_);
}

KeyEffect HeadlightApp::effect_of(const Chord& chord) const {
  const Action* const action = action_now(chord, session_);
  if (action == nullptr || !uses_key(chord) || !action->enabled(session_)) return KeyEffect::none;
  return action->facts.effect;
}

bool HeadlightApp::leave_by_tab(bool forward) { return releases_focus_ = forward ? tab_ends_.last : tab_ends_.first; }

WaysBack HeadlightApp::ways_back() const {
  const LessonState& lesson = session_.lesson();
  const auto& start = memory_.opened<StartPage>();
  if (start && start->first) return {.covers = covers_};
  const bool is_over = start || session_.state().over != Over::nothing || session_.display().presentation.presenting;
  return {.covers = covers_ + (is_over ? 1 : 0),
          .steps = lesson.lecture() != nullptr ? static_cast<int>(lesson.at.index) : 0};
}

void HeadlightApp::step_back() { Lesson(session_).step_by(-1); }

void HeadlightApp::press_keys(ViewContext& context) {
  const std::vector<KeyPress> keys = context.ui.keys();
  for (const KeyPress& press : keys) {
    const Action* action = action_now(press.chord, session_);
    if (action == nullptr || !uses_key(press.chord) || (press.repeated && action->facts.effect != KeyEffect::moves))
      continue;
    perform(context, *action);
    // Keys after this one were typed for the overlay that has just opened.
    const Overlay overlay = session_.display().overlay;
    if (overlay == Overlay::palette) memory_.get<PaletteMemory>().text += context.ui.typed();
    if (overlay != Overlay::none) break;
  }
}

App* HeadlightApp::second() {
  const Presentation& now = session_.display().presentation;
  return now.presenting && now.presenter ? &presenter_ : nullptr;
}

std::optional<std::string> HeadlightApp::new_words() {
  const ProblemsCard& card = memory_.get<ProblemsCard>();
  const Worded now{session_.revision(),
                   memory_.opened<StartPage>().has_value(),
                   {.refusal = {card.title, card.problems},
                    .check = check_in_words(),
                    .writing = writing_in_words(),
                    .focus = said_}};
  if (worded_ == now) return std::nullopt;
  worded_ = now;
  return now.starts ? start_in_words(session_, now.spoken) : in_words(session_, now.spoken);
}

/// What the check has found so far; empty where nothing is checked.
std::string HeadlightApp::check_in_words() {
  const CheckedWork& work = session_.state().checking.work();
  if (!work.shown || session_.display().view != View::compare) return {};
  if (!work.problems.empty()) return work.problems.front().message();
  if (work.given == nullptr) return "Nothing to check yet: open or paste your arrays";
  const CheckFindings* const findings = memory_.get<CheckMemory>().study.findings(session_);
  if (findings == nullptr) return "Comparing";
  if (!findings->problems.empty()) return findings->problems.front().message();
  return findings->model ? report_text(*findings->model, session_.setup())
                         : report_text(findings->report, session_.setup());
}

/// What a model writes, as far as the view has read it; empty where it doesn't show that.
std::string HeadlightApp::writing_in_words() {
  return writes(session_) ? writing_aloud(session_, memory_) : std::string();
}

void HeadlightApp::set_wake(std::function<void()> wake) {
  session_.set_wake(wake);
  if (outside_.wake_from_desktop) outside_.wake_from_desktop(wake);
  presenter_.set_wake(std::move(wake));
}

/// Takes over what the desktop has said since; returns whether anything changes.
bool HeadlightApp::follow_desktop() {
  bool changed = false;
  const auto theme = outside_.desktop_theme ? outside_.desktop_theme() : std::nullopt;
  Display display = session_.display();
  if (theme && display.appearance.theme_follows && !display.projector() && display.appearance.theme != *theme) {
    display.appearance.theme = *theme;
    session_.set_display(display);
    changed = true;
  }
  if (!asked_ || !outside_.desktop_answer) return changed;
  const std::optional<FileAnswer> answer = outside_.desktop_answer();
  if (!answer) return changed;
  PathPrompt prompt = *std::exchange(asked_, std::nullopt);
  if (answer->failed) memory_.opened<PathPrompt>() = std::move(prompt);
  else if (!answer->file.empty()) memory_.get<FilesMemory>().chosen = {prompt.purpose, answer->file};
  return true;
}

/// Ctrl+wheel where nothing zooms. A slide has the size of its screen.
void HeadlightApp::scale_by_wheel(Ui& ui) {
  if (!ui.ctrl() || session_.display().presentation.presenting) return;
  const float notches = ui.take_wheel(ui.surface());
  if (notches == 0) return;
  Display display = session_.display();
  double& scale = display.appearance.scale;
  scale = next_scale(scale, notches > 0 ? 1 : -1);
  session_.set_display(display);
  session_.notify(fmt::format("Interface {:.0f} %", scale * 100));
}

/// Where there is a second monitor, presenting begins with the presenter's window.
void HeadlightApp::present_on(const Surroundings& around) {
  const bool presents = session_.display().presentation.presenting;
  if (presents == std::exchange(presented_, presents) || !presents || around.monitors.size() < 2) return;
  session_.edit_display([](Display& d) { d.presentation.presenter = true; });
}

double HeadlightApp::watch_interval() const {
  return outside_.reload_interval ? outside_.reload_interval() : App::watch_interval();
}

bool HeadlightApp::changed_outside() {
  const bool arrived = session_.take_in();
  const bool elsewhere = session_.revision() != shown_;  // by the presenter's window
  const bool follows = follow_desktop();
  const bool reloaded = reload();
  const bool acted = act_with_trained_layer();  // on lectures that have just been read to their ends
  return reloaded || acted || arrived || elsewhere || follows;
}

bool HeadlightApp::act_with_trained_layer() {
  using sentence_encoder::Arrival;
  const Arrival arrival = sentence_encoder::arrival();
  if (!awaited_ || (arrival != Arrival::here && arrival != Arrival::failed)) return false;
  const Awaited awaited = *std::exchange(awaited_, std::nullopt);
  if (awaited.history_position != session_.history_position()) return false;  // the user went elsewhere meanwhile
  try {
    sentence_encoder::numbers();  // says why they can't be had
    require_done(awaited.wanted.act(session_));
    session_.notify({});
  } catch (const InputError& error) {
    session_.notify(error.problems().front().message());
  }
  return true;
}

bool HeadlightApp::reload() {
  if (!outside_.reload) return false;
  try {
    if (!outside_.reload(session_)) return false;
    end_message();
  } catch (const InputError& error) {
    show_problems("A file changed and cannot be read", error.problems());
  }
  return true;
}

void HeadlightApp::open_chosen_files(const Ui& ui) {
  for (const std::filesystem::path& file : to_open(ui.input().dropped_files)) take_dropped(file);
  if (const auto chosen = std::exchange(memory_.get<FilesMemory>().chosen, std::nullopt)) act_on(*chosen);
}

void HeadlightApp::open(const std::filesystem::path& file) {
  if (!outside_.open) return;
  try {
    if (memory_.opened<StartPage>() && ends_in(file, {".safetensors", ".npz", ".npy", ".csv", ".txt"}))
      return take_layer(file);
    const bool is_model = is_folder(file) || ends_in(file, {".safetensors", ".npz", ".json"});
    if (is_model && show_layers(file)) return;
    if (ends_in(file, {".safetensors", ".npz", ".npy", ".csv"})) return take_dropped(file);
    outside_.open(session_, file);
  } catch (const InputError& error) {
    show_problems(fmt::format("{} couldn't be opened", file.filename().string()), error.problems());
    return;
  }
  end_message();
  remember_file(file);
  session_.notify("Opened " + file.filename().string());
}

void HeadlightApp::check_file(const std::filesystem::path& file) {
  if (!outside_.check) return;
  outside_.check(session_, file);
  if (practice_of(session_) == nullptr) session_.show(View::compare);  // beside a task its verdict is enough
  if (session_.state().checking.work().problems.empty()) session_.notify("Checking " + file.filename().string());
}

/// A setup, a lecture or a picture opens. Arrays are checked where the compare view is about that, or where they are
/// the user's work by their names; else they become inputs, weights and biases.
void HeadlightApp::take_dropped(const std::filesystem::path& file) {
  if (memory_.opened<StartPage>()) return take_layer(file);
  const bool arrays = ends_in(file, {".npz", ".npy", ".csv"});
  const bool is_work = ends_in(file, {".txt"}) || (arrays && takes_work(session_));
  if (!is_work && opens_captured(file)) return;
  if (!is_work && !arrays && !ends_in(file, {".safetensors"})) return open(file);
  if (is_work || !give_values(file)) check_file(file);
}

/// Opens one file of a captured model, as its folder opens; false if it is none.
bool HeadlightApp::opens_captured(const std::filesystem::path& file) {
  try {
    return ends_in(file, {".npz"}) && are_captured(list_arrays(file)) && show_layers(file, true);
  } catch (const InputError&) {
    return false;  // whoever reads it next says why it can't be read
  }
}

/// On the first page, arrays are somebody's layer. Where they have its input and weights, these are a setup of their
/// own, and whatever else there is is checked against what they give. Else it is checked against the setup that is
/// open.
void HeadlightApp::take_layer(const std::filesystem::path& file) {
  const bool arrays = ends_in(file, {".npz", ".safetensors"});
  if (!arrays && !ends_in(file, {".npy", ".csv", ".txt"})) return open(file);
  if (opens_captured(file)) return memory_.opened<StartPage>().reset();
  try {
    const auto listed = arrays ? list_arrays(file) : std::vector<ArrayInfo>{};
    const auto layer = layer_of_arrays(listed, file);
    if (!layer && arrays && (are_given_weights(listed) || !are_work(listed)) && show_layers(file)) return;
    if (layer) require_done(session_.open_setup(*layer));
    else Lesson(session_).close();
    if (!layer || are_work(listed)) check_file(file);
    else session_.notify("Opened " + file.filename().string());
    memory_.opened<StartPage>().reset();
  } catch (const InputError& error) {
    show_problems(fmt::format("{} couldn't be used", file.filename().string()), error.problems());
  }
}

/// Takes the arrays of a file as values; false if they can't be values.
bool HeadlightApp::give_values(const std::filesystem::path& file) {
  try {
    const std::vector<ArrayInfo> arrays = list_arrays(file);
    if (are_given_weights(arrays)) return show_layers(file);
    const auto values = values_among(arrays, session_.selection().tensor);
    if (values.empty() && !are_work(arrays) && ends_in(file, {".safetensors", ".npz"}) && show_layers(file))
      return true;
    if (values.empty() && !ends_in(file, {".safetensors"})) return false;
    if (values.empty())
      throw InputError({file.string(), "",
                        fmt::format("{} arrays, none of them called X, W_q, b_q, ...", arrays.size()),
                        fmt::format("arrays with the names of inputs, weights and biases, or {}", usual_arrays)});
    const std::string what =
        values.size() == 1 ? std::string(name(values.front().first)) : fmt::format("{} tensors", values.size());
    take_values({.words = {},
                 .done = fmt::format("{} from {}", what, file.filename().string()),
                 .setup = with_arrays_of(session_.wanted(), from_root(file), values),
                 .tensor = values.front().first},
                fmt::format("{} couldn't be used", file.filename().string()), file.string());
  } catch (const InputError& error) {
    show_problems(fmt::format("{} couldn't be used", file.filename().string()), error.problems());
  }
  return true;
}

/// Shows the card with the attention layers of a model, or opens the first one `at_once`, as those of a folder and
/// those of which only weights are known; false where the file holds none. Throws InputError.
bool HeadlightApp::show_layers(const std::filesystem::path& file, bool at_once) {
  const std::filesystem::path path = from_root(file);
  OpenModel model = open_model(path, std::nullopt);
  if (model.layers.empty()) return false;
  remember_file(file);
  end_message();
  if (at_once || is_folder(model.path) || model.layers.front().layer.weights) {
    const std::string name = model.path.filename().string();
    const std::vector<Problem> problems = open_layers(session_, std::move(model));
    if (!problems.empty()) show_problems(fmt::format("{} couldn't be opened", name), problems);
    return true;
  }
  memory_.opened<LayersCard>() = LayersCard{.model = std::move(model)};
  return true;
}

/// Makes the edit. Where the values do not fit the setup's sizes, what is wrong is shown, and offered with the sizes
/// that would fit.
void HeadlightApp::take_values(OfferedEdit edit, const std::string& title, const std::string& source) {
  session_.end_gesture();
  std::vector<Problem> problems = session_.edit(edit.setup);
  if (problems.empty()) {
    session_.notify(edit.done);
    Selecting(session_).select_tensor(edit.tensor);
    end_message();
    return;
  }
  for (Problem& problem : problems)
    if (problem.source.empty()) problem.source = source;
  show_problems(title, std::move(problems));
  auto resized = with_sizes_of_values(edit.setup);
  if (!resized) return;
  edit.words = "Set " + sizes_in_words(edit.setup, *resized);
  edit.setup = *std::move(resized);
  memory_.get<ProblemsCard>().offer = std::move(edit);
}

void HeadlightApp::paste(const std::optional<Cell>& cell, const std::string& text) {
  const std::optional<double> number = cell ? single_number(text) : std::nullopt;
  if (takes_work(session_)) paste_work(text);
  else if (number) paste_number(*cell, *number);
  else paste_values(text);
}

/// A single number is for the cell, and not for the whole tensor.
void HeadlightApp::paste_number(const Cell& cell, double number) {
  take_values({.words = {},
               .done = fmt::format("Pasted {} into {}", number, to_string(cell)),
               .setup = with_pasted_number(session_, cell, number),
               .tensor = cell.tensor},
              "Nothing was pasted", "the clipboard");
}

void HeadlightApp::paste_work(const std::string& text) {
  CheckedWork work = session_.state().checking.work();
  // What was handed in before the step was opened belongs to another task.
  if (practice_of(session_) && !session_.state().checking.instead_of_step) work = {};
  work.shown = true;
  try {
    std::vector<GivenArray> printed = parse_printed_arrays(text);
    // Beside a task a single array without a name is what the task asks for.
    const Practice* const practice = practice_of(session_);
    if (practice && printed.size() == 1 && printed.front().name.empty()) printed.front().name = name(practice->to);
    const auto head = printed.size() == 1 && !practice ? as_shown_head(session_, printed.front()) : std::nullopt;
    if (head) printed.front() = *head;
    work = with_pasted(std::move(work), printed);
    if (head) session_.notify(fmt::format("Compared with {}", shown_part(session_)));
    else session_.notify(fmt::format("Pasted: {}", work.given->title));
  } catch (const std::invalid_argument& error) {
    work.problems = {{"the clipboard", "", error.what(), printed_numbers}};
  }
  Checking(session_).set_work(std::move(work));
}

void HeadlightApp::paste_values(const std::string& text) {
  constexpr const char* title = "Nothing was pasted";
  try {
    const std::vector<GivenArray> arrays = parse_printed_arrays(text);
    const std::string what =
        arrays.size() == 1 ? arrays.front().values.shape().to_string() : fmt::format("{} arrays", arrays.size());
    const TensorId selected = session_.selection().tensor;
    take_values({.words = {},
                 .done = "Pasted " + what,
                 .setup = with_pasted_arrays(session_.wanted(), arrays, selected),
                 .tensor = selected},
                title, "the clipboard");
  } catch (const std::invalid_argument& error) {
    show_problems(title, {{"the clipboard", "", error.what(), printed_numbers}});
  } catch (const InputError& error) {
    show_problems(title, error.problems());
  }
}

void HeadlightApp::copy_check_command() {
  const std::vector<std::string> command =
      diagnose_arguments(session_.state().checking.work(), what_arguments(session_, named_sources()));
  if (command.empty()) return session_.notify("Pasted arrays aren't in a file, so a command can't use them");
  ImGui::SetClipboardText(as_known(as_typed(command)).c_str());
  session_.notify("Copied the command");
}

/// Whether what is shown belongs to a lecture that doesn't come with the program.
bool HeadlightApp::opens_only_here() const {
  return session_.lesson().lecture() != nullptr && outside_.lecture_file && outside_.lecture_file(session_);
}

void HeadlightApp::copy_link() {
  try {
    ImGui::SetClipboardText(to_text(link_of(session_), outside_.page).c_str());
    constexpr const char* without_address =
        "Copied the link. It opens in any headlight.html: put the address of one in front of its #";
    if (!opens_only_here())
      return session_.notify(outside_.page == page_in_links ? without_address : "Copied the link");
    open_export(ExportWhat::setup);
    ExportChoices& choices = memory_.opened<ExportDialog>()->choices;
    const auto page = static_cast<std::size_t>(form_named("page") - forms_of(ExportWhat::setup).data());
    choices.forms[static_cast<std::size_t>(ExportWhat::setup)] = page;
    memory_.opened<ExportDialog>()->path = with_ending(memory_.opened<ExportDialog>()->path, choices.form()).string();
    session_.notify("Copied the link, but it opens only where this lecture's file is. A page has the lecture inside.");
  } catch (const InputError& error) {
    show_problems("This does not fit into a link", error.problems());
  }
}

void HeadlightApp::remember_file(const std::filesystem::path& file) {
  Settings recent;
  std::vector<std::string>& files = memory_.get<FilesMemory>().recent;
  recent.recent_files = std::move(files);
  files = with_recent_file(std::move(recent), from_root(file)).recent_files;
  if (outside_.file_used) outside_.file_used(from_root(file));
}

/// Shows the prompt for a path. It starts in the folder of the current file or the last one used; for saving, with a
/// file name made from the title.
void HeadlightApp::ask_for_path(PathPurpose purpose) {
  end_message();
  const auto file = outside_.setup_file ? outside_.setup_file(session_) : std::nullopt;
  const std::filesystem::path folder =
      file && purpose != PathPurpose::check ? folder_of(file->path) : last_folder(purpose);
  PathPrompt prompt;
  prompt.purpose = purpose;
  prompt.text = (folder / "").string();
  prompt.home = outside_.home;
  prompt.shortcuts = shortcuts();
  const std::string name = file_name_for(session_.setup().title);
  if (purpose == PathPurpose::save_setup) prompt.text = (folder / (name + ".headlight.toml")).string();
  if (purpose == PathPurpose::start_lecture) prompt.text = (folder / (name + ".headlight.md")).string();
  if (purpose == PathPurpose::save_template) prompt.text = (folder / "mine.py").string();
  if (purpose == PathPurpose::export_to) prompt.text = from_root(memory_.opened<ExportDialog>()->path).string();
  prompt.proposed = !prompt.text.ends_with('/');
  const PurposeWords words = words_for(purpose);
  const std::filesystem::path proposal = prompt.text;
  FileQuestion question{.title = std::string(words.heading),
                        .writes = saves(purpose),
                        .folder = proposal.parent_path(),
                        .name = proposal.filename().string(),
                        .patterns = {}};
  for (const std::string_view ending : words.endings) question.patterns.push_back(fmt::format("*{}", ending));
  if (outside_.ask_desktop && outside_.ask_desktop(question)) asked_ = std::move(prompt);
  else memory_.opened<PathPrompt>() = std::move(prompt);
}

/// The folder of the last file; without one Documents, or where the program was started.
std::filesystem::path HeadlightApp::last_folder(PathPurpose purpose) const {
  const auto& recent = memory_.get<FilesMemory>().recent;
  const std::filesystem::path& data = memory_.get<LastExport>().folders.data;
  std::error_code error;
  if (purpose == PathPurpose::check && !data.empty()) return data;
  if (!recent.empty()) return std::filesystem::path(recent.front()).parent_path();
  if (std::filesystem::is_directory(outside_.documents, error)) return outside_.documents;
  return std::filesystem::current_path(error);
}

std::vector<PathShortcut> HeadlightApp::shortcuts() const {
  std::vector<PathShortcut> shortcuts;
  const auto add = [&](std::string title, const std::filesystem::path& folder) {
    std::error_code error;
    if (folder.empty() || !std::filesystem::is_directory(folder, error)) return;
    if (std::ranges::find(shortcuts, folder, &PathShortcut::folder) == shortcuts.end())
      shortcuts.push_back({std::move(title), folder});
  };
  add("Home", outside_.home);
  add("Downloads", outside_.downloads);
  add("Documents", outside_.documents);
  add("Pictures", outside_.pictures);
  for (const std::string& file : memory_.get<FilesMemory>().recent) {
    const std::filesystem::path folder = std::filesystem::path(file).parent_path();
    add(folder.filename().string(), folder);
  }
  for (const auto& folder : {memory_.get<LastExport>().folders.data, memory_.get<LastExport>().folders.pictures})
    add(folder.filename().string(), folder);
  return shortcuts;
}

void HeadlightApp::save(bool under_another_name) {
  const auto file = outside_.setup_file ? outside_.setup_file(session_) : std::nullopt;
  if (under_another_name || !file) ask_for_path(PathPurpose::save_setup);
  else act_on({PathPurpose::save_setup, file->path});
}

void HeadlightApp::act_on(const ChosenPath& chosen) {
  switch (chosen.purpose) {
    case PathPurpose::open: open(chosen.path); break;
    case PathPurpose::export_to:
      if (auto& dialog = memory_.opened<ExportDialog>()) {
        dialog->path = chosen.path.string();
        dialog->asked_to_replace.clear();
      }
      break;
    case PathPurpose::check:
      check_file(chosen.path);
      memory_.get<LastExport>().folders.data = from_root(chosen.path).parent_path();
      break;
    case PathPurpose::save_template:
      write_to(chosen.path, [&] { write_file(chosen.path, template_of(session_)); });
      break;
    case PathPurpose::save_setup:
      if (outside_.save_setup) write_to(chosen.path, [&] { outside_.save_setup(session_, chosen.path); });
      break;
    case PathPurpose::start_lecture:
      if (outside_.start_lecture) write_to(chosen.path, [&] { outside_.start_lecture(session_, chosen.path); });
      break;
  }
}

void HeadlightApp::with_lecture_file(const std::function<void(const std::filesystem::path& file)>& act) {
  if (const auto file = outside_.lecture_file ? outside_.lecture_file(session_) : std::nullopt) act(*file);
  else
    session_.notify(
        "This lecture is built into Headlight and has no file. \"Begin a lecture here…\" makes one of your own.");
}

void HeadlightApp::add_step() {
  with_lecture_file([&](const std::filesystem::path& file) {
    if (outside_.add_step) write_to(file, [&] { outside_.add_step(session_, file); });
  });
}

void HeadlightApp::edit_lecture() {
  with_lecture_file([&](const std::filesystem::path& file) {
    const auto command = outside_.editor ? outside_.editor(file) : std::vector<std::string>{};
    if (command.empty())
      return session_.notify(
          fmt::format("No editor found. Set VISUAL to the name of yours, or open {}", file.string()));
    try {
      start_detached(command);
      session_.notify(fmt::format("Opened {} in {}", file.filename().string(), command.front()));
    } catch (const MachineError& error) {
      session_.notify(error.what());
    }
  });
}

void HeadlightApp::open_written(const OpenWritten& wanted) {
  const std::filesystem::path file = from_root(wanted.file);
  const auto command =
      outside_.opener ? outside_.opener(wanted.folder ? file.parent_path() : file) : std::vector<std::string>{};
  if (command.empty()) return session_.notify(fmt::format("Can't open {}: xdg-open is not installed", file.string()));
  try {
    start_detached(command);
  } catch (const MachineError& error) {
    session_.notify(error.what());
  }
}

void HeadlightApp::write_to(const std::filesystem::path& file, const std::function<void()>& write) {
  try {
    write();
  } catch (const InputError& error) {
    show_problems(fmt::format("{} couldn't be saved", file.filename().string()), error.problems());
    return;
  }
  end_message();
  remember_file(file);
  session_.notify("Saved " + told(file), file);
}

void HeadlightApp::show_problems(std::string title, std::vector<Problem> problems) {
  memory_.get<ProblemsCard>() = {std::move(title), as_known(std::move(problems)), {}};
}

void HeadlightApp::end_message() { memory_.get<ProblemsCard>() = {}; }

void HeadlightApp::answer(FrameContext& frame, ViewContext& context) {
  const std::vector<Request> requests = session_.take_requests();
  for (const Request& request : requests) answer_request(frame, context, request);
  if (!requests.empty()) frame.ui.request_frame();  // a frame that shows the result
  frame.opened = !requests.empty() || session_.display().overlay != Overlay::none || frame.ui.has_taken_keys();
}

void HeadlightApp::answer_request(FrameContext& frame, ViewContext& context, const Request& request) {
  std::visit(Overloaded{
                 [](const CopyText& copy) { ImGui::SetClipboardText(copy.text.c_str()); },
                 [&](TakeScreenshot) { take_picture(frame); },
                 [&](OpenFile) { ask_for_path(PathPurpose::open); },
                 [&](SaveSetup wanted) { save(wanted.under_another_name); },
                 [&](StartLecture) { ask_for_path(PathPurpose::start_lecture); },
                 [&](AddStep) { add_step(); },
                 [&](EditLecture) { edit_lecture(); },
                 [&](const OpenExport& wanted) { open_export(wanted.what); },
                 [&](OpenStart) {
                   end_message();
                   memory_.opened<StartPage>() = StartPage{};
                   context.ui.release_focus();  // its keys are for the card
                 },
                 [&](OpenMenu) { open_menu_of_cell(context); },
                 [&](const OpenWork& wanted) {
                   if (wanted.file.empty()) ask_for_path(PathPurpose::check);
                   else check_file(wanted.file);
                 },
                 [&](const PasteNumbers& wanted) {
                   read_clipboard([this, cell = wanted.cell](const std::string& text) { paste(cell, text); });
                 },
                 [&](const TypeNumber& wanted) { type_over_cell(context, wanted.cell); },
                 [&](OpenHistory) { open_history(context); },
                 [&](const OpenWritten& wanted) { open_written(wanted); },
                 [&](BrowseForExport) { ask_for_path(PathPurpose::export_to); },
                 [&](SaveTemplate) { ask_for_path(PathPurpose::save_template); },
                 [&](const CopyCheckCommand&) { copy_check_command(); },
                 [&](CopyLink) { copy_link(); },
                 [&](const PlayWith& wanted) { begin_play(context, wanted.key); },
                 [&](const WithTrainedLayer& wanted) { wait_for_trained_layer(wanted); },
                 [&](Quit) { closing_ = true; },
             },
             request);
}

void HeadlightApp::wait_for_trained_layer(const WithTrainedLayer& wanted) {
  awaited_ = {wanted, session_.history_position()};
  sentence_encoder::fetch();
  if (!act_with_trained_layer()) session_.notify("Loading the trained layer, 4.8 MB …");
}

void HeadlightApp::take_picture(FrameContext& frame) {
  if (outside_.pictures.empty()) return;
  frame.take_picture = [this](const Image& picture) {
    try {
      const auto file = keep_picture(session_, picture, outside_.pictures, outside_.now());
      session_.notify("Screenshot: " + told(file), file);
    } catch (const std::exception& error) {
      session_.notify(fmt::format("No screenshot: {}", error.what()));
    }
  };
}

void HeadlightApp::open_export(const std::optional<ExportWhat>& what) {
  end_message();
  ExportChoices choices = memory_.get<LastExport>().choices;
  if (what) choices.what = *what;
  memory_.opened<ExportDialog>() = exports_.dialog_for(session_, choices, export_folders());
}

ExportFolders HeadlightApp::export_folders() const {
  ExportFolders folders = memory_.get<LastExport>().folders;
  if (folders.pictures.empty()) folders.pictures = outside_.pictures;
  if (folders.data.empty()) folders.data = outside_.documents.empty() ? outside_.pictures : outside_.documents;
  return folders;
}

NamedSources HeadlightApp::named_sources() const {
  NamedSources sources;
  if (const auto file = outside_.setup_file ? outside_.setup_file(session_) : std::nullopt)
    sources.setup_file = {from_root(file->path), file->setup};
  if (const auto file = outside_.lecture_file ? outside_.lecture_file(session_) : std::nullopt)
    sources.lectures = from_root(*file);
  return sources;
}

WindowSize HeadlightApp::window_size(const Ui& ui) {
  const Rect surface = ui.surface();
  const auto scale = static_cast<double>(ui.scale());
  return {{static_cast<double>(surface.w) * scale, static_cast<double>(surface.h) * scale}, scale};
}

void HeadlightApp::run_export(FrameContext& frame) {
  exports_.tick(frame.ui);
  std::optional<ExportDialog>& opened = memory_.opened<ExportDialog>();
  if (!opened) return;
  ExportDialog& dialog = *opened;
  const bool closes = dialog.wish == ExportDialog::Wish::close;
  std::optional<std::filesystem::path> written;
  try {
    // The folders for pictures and documents are created if they are missing. Any other folder must exist.
    const std::filesystem::path folder = std::filesystem::path(dialog.path).parent_path();
    const bool usual = folder == outside_.pictures || (folder == outside_.documents && !folder.empty());
    if (dialog.wish == ExportDialog::Wish::run && usual) make_folder(folder);
    dialog.window = window_size(frame.ui);
    dialog.zoom = shown_ranges(memory_.get<Zooms>().of(session_.display().view));
    written = exports_.update(dialog, session_, named_sources(), frame.ui, frame.texture);
  } catch (const std::exception& error) {
    dialog.problem = as_known(error.what());
    dialog.failed = dialog.attempt();
    dialog.wish = ExportDialog::Wish::none;
  }
  memory_.get<LastExport>().choices = dialog.choices;
  if (written) {
    memory_.get<LastExport>().folders.of(dialog.choices.form()) = written->parent_path();
    session_.notify("Exported " + told(*written), *written);
  }
  if (!closes && !written) return;
  exports_.close();
  opened.reset();
  frame.texture.reset();
}

}  // namespace headlight
