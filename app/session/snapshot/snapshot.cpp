#include "app/session/snapshot/snapshot.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "app/session/checking.hpp"
#include "app/session/display/display_entries.hpp"
#include "app/session/drafting.hpp"
#include "app/session/lesson.hpp"
#include "app/session/selecting.hpp"
#include "core/formats/setup/setup_file.hpp"
#include "core/text/base64.hpp"

namespace headlight {
namespace {

bool is_in_session_file(const Entry<Display>& entry) { return entry.saved == KeptIn::session; }
/// Whether it goes with what is shown, and not with the window that shows it.
bool is_of_figure(const Entry<Display>& entry) {
  return entry.group == ShownFor::option || entry.group == ShownFor::figure;
}

/// The display as the session file keeps it: the rest is that of a new window.
Display kept(const Display& display) {
  Display kept;
  for (const Entry<Display>& entry : display_entries())
    if (is_in_session_file(entry)) entry.copy(display, kept);
  kept.heatmaps = display.heatmaps;
  return kept;
}

// --- To and from TOML ------------------------------------------------------------------------------------------------

/// Numbers as text: their bytes, as doubles.
std::string text_of(const Tensor& tensor) {
  const Tensor whole = tensor.contiguous();
  const auto count = static_cast<std::size_t>(whole.elements());
  std::vector<double> numbers;
  if (whole.precision() == Precision::float32) numbers.assign(whole.data<float>(), whole.data<float>() + count);
  else numbers.assign(whole.data<double>(), whole.data<double>() + count);
  const auto* const bytes = reinterpret_cast<const unsigned char*>(numbers.data());
  return to_base64url({bytes, numbers.size() * sizeof(double)});
}

/// Reads it back; an empty tensor where the text doesn't hold as many numbers.
Tensor tensor_of(const std::string& text, Precision precision, const Shape& shape) {
  const std::optional<std::string> bytes = from_base64url(text);
  if (!bytes || bytes->size() != static_cast<std::size_t>(shape.elements()) * sizeof(double)) return {};
  std::vector<double> numbers(static_cast<std::size_t>(shape.elements()));
  std::memcpy(numbers.data(), bytes->data(), bytes->size());
  Tensor tensor = Tensor::uninitialized(precision, shape);
  if (precision == Precision::float32)
    std::ranges::transform(numbers, tensor.writable<float>(), [](double number) { return static_cast<float>(number); });
  else std::ranges::copy(numbers, tensor.writable<double>());
  return tensor;
}

TomlList numbers_of(const Shape& shape) {
  TomlList list;
  for (const Index extent : shape) list.emplace_back().content = static_cast<std::int64_t>(extent);
  return list;
}

/// The extents of a shape; none where the list holds anything but numbers.
void read_numbers(const TomlTable& table, std::vector<Index>& extents) {
  const TomlList* const list = list_in(table, "shape");
  if (list == nullptr) return;
  for (const TomlValue& value : *list) extents.push_back(value.as<std::int64_t>() ? *value.as<std::int64_t>() : -1);
}

TomlList list_of_pasted(const HandedIn& given) {
  TomlList list;
  for (const GivenArray& array : given.arrays) {
    if (std::ranges::count(given.pasted, array.name) == 0) continue;
    const Shape& extents = array.values.shape();
    TomlTable entry;
    entry["name"] = {array.name};
    entry["shape"] = {numbers_of(extents)};
    entry["float32"] = {array.values.precision() == Precision::float32};
    entry["numbers"] = {text_of(array.values)};
    if (!array.half_digits.empty()) entry["half_digits"] = {text_of(array.half_digits)};
    list.push_back({entry});
  }
  return list;
}

/// Those that can be read; null if there are none.
std::shared_ptr<const HandedIn> pasted_in(const TomlList& list) {
  HandedIn given;
  for (const TomlValue& value : list) {
    const auto* const entry = value.as<TomlTable>();
    if (entry == nullptr) continue;
    std::string name, numbers, half_digits;
    std::vector<Index> extents;
    bool single = false;
    read(*entry, "name", name);
    read_numbers(*entry, extents);
    read(*entry, "float32", single);
    read(*entry, "numbers", numbers);
    read(*entry, "half_digits", half_digits);
    const bool possible = extents.size() <= static_cast<std::size_t>(Shape::max_rank) &&
                          std::ranges::all_of(extents, [](Index extent) { return extent >= 0; });
    if (name.empty() || !possible) continue;
    const Shape shape(extents);
    GivenArray array{.name = name,
                     .values = tensor_of(numbers, single ? Precision::float32 : Precision::float64, shape),
                     .half_digits = half_digits.empty() ? Tensor() : tensor_of(half_digits, Precision::float64, shape)};
    if (array.values.empty()) continue;
    given.pasted.push_back(name);
    given.arrays.push_back(std::move(array));
  }
  return given.arrays.empty() ? nullptr : std::make_shared<const HandedIn>(std::move(given));
}

KeptWork work_of(const TomlTable& table) {
  KeptWork work;
  read(table, "shown", work.shown);
  read(table, "file", work.file);
  read(table, "atol", work.tolerance.absolute);
  read(table, "rtol", work.tolerance.relative);
  read(table, "follows", work.follows);
  read(table, "instead_of_step", work.instead_of_step);
  std::vector<std::string> theirs, ours;
  read(table, "theirs", theirs);
  read(table, "ours", ours);
  for (std::size_t i = 0; i < std::min(theirs.size(), ours.size()); ++i) work.names.emplace_back(theirs[i], ours[i]);
  if (const TomlList* const pasted = list_in(table, "pasted")) work.pasted = pasted_in(*pasted);
  return work;
}

TomlTable table_of(const KeptWork& work) {
  std::vector<std::string> theirs, ours;
  for (const auto& [their_name, our_name] : work.names) {
    theirs.push_back(their_name);
    ours.push_back(our_name);
  }
  TomlTable table;
  table["shown"] = {work.shown};
  table["file"] = {work.file};
  table["atol"] = {work.tolerance.absolute};
  table["rtol"] = {work.tolerance.relative};
  table["follows"] = {work.follows};
  table["instead_of_step"] = {work.instead_of_step};
  table["theirs"] = toml_value(theirs);
  table["ours"] = toml_value(ours);
  if (work.pasted) table["pasted"] = {list_of_pasted(*work.pasted)};
  return table;
}

std::map<std::size_t, AnswerState> answers_of(const TomlList& list) {
  std::map<std::size_t, AnswerState> answers;
  for (const TomlValue& entry : list) {
    const TomlTable* const table = entry.as<TomlTable>();
    Index step = -1;
    if (table != nullptr) read(*table, "step", step);
    if (step < 0) continue;
    AnswerState& said = answers[static_cast<std::size_t>(step)];
    double guess = std::nan("");
    read(*table, "guess", guess);
    if (std::isfinite(guess)) said.guess = guess;
    double missed = std::nan("");
    read(*table, "missed", missed);
    if (std::isfinite(missed)) said.missed = missed;
    read(*table, "hint", said.hint);
    read(*table, "shown", said.shown);
  }
  return answers;
}

TomlList list_of(const std::map<std::size_t, AnswerState>& answers) {
  TomlList list;
  for (const auto& [step, said] : answers) {
    TomlTable entry;
    entry["step"] = {static_cast<std::int64_t>(step)};
    entry["hint"] = {said.hint};
    entry["shown"] = {said.shown};
    if (said.guess) entry["guess"] = {*said.guess};
    if (said.missed) entry["missed"] = {*said.missed};
    list.push_back({entry});
  }
  return list;
}

ZoomRanges zoom_of(const TomlTable& table) {
  ZoomRanges zoom;
  for (std::size_t axis = 0; axis < zoom_axes.size(); ++axis) {
    const TomlTable* const range = table_in(table, zoom_axes[axis]);
    if (range == nullptr) continue;
    zoom[axis] = CellRange{};
    read(*range, "from", zoom[axis]->from);
    read(*range, "to", zoom[axis]->to);
  }
  return zoom;
}

TomlTable table_of(const ZoomRanges& zoom) {
  TomlTable table;
  for (std::size_t axis = 0; axis < zoom_axes.size(); ++axis) {
    if (!zoom[axis]) continue;
    TomlTable range;
    range["from"] = {zoom[axis]->from};
    range["to"] = {zoom[axis]->to};
    table[zoom_axes[axis]] = {range};
  }
  return table;
}

/// A table for each tensor that has colours of its own.
TomlTable table_of(const std::array<HeatmapOptions, tensor_count>& heatmaps) {
  TomlTable table;
  for (const TensorInfo& tensor : all_tensors()) {
    const HeatmapOptions& options = heatmaps[index_of(tensor.id)];
    if (options == HeatmapOptions{}) continue;
    TomlTable colours;
    write_entries(colours, colour_entries(), options,
                  [&](const Entry<HeatmapOptions>& entry) { return !entry.is_default(options); });
    table[tensor.name] = {colours};
  }
  return table;
}

std::array<HeatmapOptions, tensor_count> colours_of(const TomlTable& table) {
  std::array<HeatmapOptions, tensor_count> heatmaps;
  for (const auto& [name, value] : table.entries) {
    const auto tensor = tensor_named(name);
    const auto* const colours = value.as<TomlTable>();
    if (tensor && colours != nullptr)
      heatmaps[index_of(*tensor)] = with_entries<HeatmapOptions>({}, colour_entries(), *colours);
  }
  return heatmaps;
}

/// The colours as earlier versions wrote them: "weights.range=min_max". The defaults if one of them cannot be read.
std::array<HeatmapOptions, tensor_count> colours_of(const std::vector<std::string>& settings) {
  try {
    return with_display_settings({}, settings).heatmaps;
  } catch (const InputError&) {
    return {};
  }
}

Draft draft_of(const TomlTable& table) {
  Draft draft;
  std::string prompt;
  read(table, "prompt", prompt);
  if (table.find("prompt") != nullptr) draft.prompt = prompt;
  read(table, "written", draft.written);
  double temperature = draft.sampling.temperature;
  read(table, "temperature", temperature);
  if (std::isfinite(temperature) && temperature >= 0) draft.sampling.temperature = temperature;
  Index top_k = 0;
  read(table, "top_k", top_k);
  draft.sampling.top_k = std::max<Index>(top_k, 0);
  read(table, "seed", draft.seed);
  return draft;
}

TomlTable table_of(const Draft& draft) {
  TomlTable table;
  if (draft.prompt) table["prompt"] = {*draft.prompt};
  table["written"] = {draft.written};
  table["temperature"] = {draft.sampling.temperature};
  table["top_k"] = {draft.sampling.top_k};
  table["seed"] = {draft.seed};
  return table;
}

/// With those entries of the display that `is_kept` chooses.
template <class Kept>
TomlTable table_of(const Snapshot& snapshot, Kept is_kept) {
  TomlTable table;
  table["lecture"] = {snapshot.lecture};
  table["step"] = {static_cast<std::int64_t>(snapshot.step)};
  table["cell"] = {snapshot.cell};
  table["batch"] = {snapshot.batch};
  table["head"] = {snapshot.head};
  if (snapshot.layer != 0) table["layer"] = {snapshot.layer};
  table["pinned"] = {snapshot.pinned};
  if (snapshot.draft != Draft{}) table["draft"] = {table_of(snapshot.draft)};
  write_entries(table, display_entries(), snapshot.display, is_kept);
  if (snapshot.display.heatmaps != Display{}.heatmaps) table["colours"] = {table_of(snapshot.display.heatmaps)};
  if (snapshot.zoom != ZoomRanges{}) table["zoom"] = {table_of(snapshot.zoom)};
  if (!snapshot.answers.empty()) table["answers"] = {list_of(snapshot.answers)};
  if (!snapshot.setup_file.empty()) table["setup_file"] = {snapshot.setup_file};
  if (!snapshot.lecture_file.empty()) table["lecture_file"] = {snapshot.lecture_file};
  if (!snapshot.model.empty()) table["model"] = {snapshot.model};
  if (snapshot.work != KeptWork{}) table["work"] = {table_of(snapshot.work)};
  if (snapshot.setup) table["setup"] = {write_setup(*snapshot.setup)};
  if (snapshot.reference) table["reference"] = {write_setup(*snapshot.reference)};
  return table;
}

/// Reads everything except the setups.
Snapshot without_setups(const TomlTable& table) {
  Snapshot snapshot;
  read(table, "lecture", snapshot.lecture);
  read(table, "step", snapshot.step);
  read(table, "cell", snapshot.cell);
  read(table, "batch", snapshot.batch);
  read(table, "head", snapshot.head);
  read(table, "layer", snapshot.layer);
  read(table, "pinned", snapshot.pinned);
  if (const TomlTable* const draft = table_in(table, "draft")) snapshot.draft = draft_of(*draft);
  snapshot.display = with_entries(snapshot.display, display_entries(), table);
  std::vector<std::string> settings;
  read(table, "colours", settings);
  const TomlTable* const colours = table_in(table, "colours");
  snapshot.display.heatmaps = colours != nullptr ? colours_of(*colours) : colours_of(settings);
  bool folded = false;  // as earlier versions wrote it
  read(table, "words_folded", folded);
  if (table.find("words_folded")) snapshot.display.words = folded ? WordsFold::folded : WordsFold::unfolded;
  if (const TomlTable* const zoom = table_in(table, "zoom")) snapshot.zoom = zoom_of(*zoom);
  if (const TomlList* const answers = list_in(table, "answers")) snapshot.answers = answers_of(*answers);
  read(table, "setup_file", snapshot.setup_file);
  read(table, "lecture_file", snapshot.lecture_file);
  read(table, "model", snapshot.model);
  if (const TomlTable* const work = table_in(table, "work")) snapshot.work = work_of(*work);
  return snapshot;
}

/// Reads the setups. Throws InputError if one of them is not a setup.
void read_setups(const TomlTable& table, Snapshot& snapshot, const std::string& source,
                 const std::filesystem::path& folder = {}) {
  const auto read_setup = [&](std::string_view key, std::optional<Setup>& setup) {
    std::string text;
    read(table, key, text);
    if (table.find(key) != nullptr) setup = parse_setup(text, source, folder);
  };
  read_setup("setup", snapshot.setup);
  read_setup("reference", snapshot.reference);
}

}  // namespace

TomlTable toml_of(const Snapshot& snapshot) {
  return table_of(snapshot, [](const Entry<Display>&) { return true; });
}

Snapshot snapshot_in(const TomlTable& table, const std::string& source) {
  Snapshot snapshot = without_setups(table);
  read_setups(table, snapshot, source);
  return snapshot;
}

Loaded<Snapshot> load_session(const std::filesystem::path& file) {
  const auto [table, message] = load_document(file);
  Snapshot snapshot = without_setups(table);
  snapshot.display = kept(snapshot.display);
  try {
    read_setups(table, snapshot, file.string());
  } catch (const InputError& error) {
    return {snapshot, fmt::format("{}; {}", error.what(), set_aside(file))};
  }
  return {snapshot, message};
}

void save(const Snapshot& snapshot, const std::filesystem::path& file) {
  save_document(table_of(snapshot, is_in_session_file), file);
}

PictureNotes picture_notes(const Session& session) {
  Snapshot snapshot = snapshot_of(session);
  snapshot.setup.reset();  // stored separately
  return {{"Software", "Headlight"},
          {"Setup", write_setup(session.setup())},
          {"Session", document_text(table_of(snapshot, is_in_session_file))}};
}

Snapshot remembered_by(const PictureNotes& notes, const std::string& source, const std::filesystem::path& folder) {
  const auto setup = notes.find("Setup");
  if (setup == notes.end())
    throw InputError({source, "", "a picture without a setup", "a picture that Headlight drew"});
  Snapshot snapshot;
  if (const auto text = notes.find("Session"); text != notes.end()) {
    const TomlTable table = parse_toml(text->second, source);
    snapshot = without_setups(table);
    read_setups(table, snapshot, source, folder);
  }
  snapshot.setup = parse_setup(setup->second, source, folder);
  return snapshot;
}

// --- Of a session, and back into it ----------------------------------------------------------------------------------

Snapshot snapshot_of(const Session& session) {
  Snapshot snapshot;
  if (session.lesson().lecture() != nullptr) snapshot.lecture = session.lesson().lecture()->id;
  snapshot.step = session.lesson().at.index;
  snapshot.answers = session.lesson().answers;
  snapshot.setup = session.setup();
  snapshot.cell = to_string(cell_of(session.selection(), session.setup()));
  snapshot.batch = session.selection().batch;
  snapshot.head = session.selection().head;
  snapshot.layer = session.setup().layer;
  snapshot.pinned = session.state().pinned;
  snapshot.draft = session.state().draft;
  snapshot.display = session.display();
  if (session.state().model) snapshot.model = session.state().model->path.string();
  if (const ModelTrace& a = session.state().checking.reference; !a.empty()) snapshot.reference = a.first().setup;
  snapshot.work = kept_of(session.state().checking.own);
  snapshot.work.instead_of_step = session.state().checking.instead_of_step;
  return snapshot;
}

Snapshot kept_snapshot(const Session& session) {
  Snapshot snapshot = snapshot_of(session);
  snapshot.display = kept(snapshot.display);
  const LectureStep step = session.wanted_step();
  const Lecture* const lecture = step.lecture ? step.lecture->lecture.get() : nullptr;
  const Lecture* const shown = session.lesson().lecture();
  if (lecture != shown || step.index != session.lesson().at.index) {  // they will be the step's
    snapshot.cell.clear();
    snapshot.draft = {};
    snapshot.display.view = wanted_view(session);
  }
  if (lecture != shown) snapshot.answers.clear();
  snapshot.lecture = lecture != nullptr ? lecture->id : std::string{};
  snapshot.step = step.index;
  snapshot.setup.reset();
  if (lecture == nullptr || session.wanted() != *step.setup()) snapshot.setup = session.wanted();
  return snapshot;
}

namespace {

void copy_entries(const Display& from, Display& to, bool of_figure) {
  for (const Entry<Display>& entry : display_entries())
    if (is_in_session_file(entry) && is_of_figure(entry) == of_figure) entry.copy(from, to);
}

/// In the layer that is shown.
void select(Session& session, const Snapshot& snapshot) {
  Selecting(session).select_batch(snapshot.batch);
  Selecting(session).select_head(snapshot.head);
  try {
    const Cell cell = parse_cell(snapshot.cell, session.setup());
    if (snapshot.pinned) Selecting(session).pin(cell);
    else Selecting(session).select(at_cell(session.selection(), cell, session.setup()));
  } catch (const InputError&) {
    // The setup no longer has the cell; the present selection, which fits the setup, stays.
  }
}

/// Restores everything but the numbers, which must be shown already.
void look_at(Session& session, const Snapshot& snapshot) {
  Display display = session.display();
  copy_entries(snapshot.display, display, true);
  display.heatmaps = snapshot.display.heatmaps;
  session.set_display(display);
  if (snapshot.work != KeptWork{}) Checking(session).restore(snapshot.work);
  Drafting(session).restore(snapshot.draft);
  session.look_at_layer(snapshot.layer);
  session.when_shown([snapshot](Session& shown) { select(shown, snapshot); });
  if (session.lesson().lecture() != nullptr)
    Lesson(session).set_answers(snapshot.answers);  // also where pinning has just guessed
}

/// A model that is gone or can't be read any more is left out.
void open_model_of(Session& session, const Snapshot& snapshot) {
  if (snapshot.model.empty()) return session.set_model(nullptr);
  try {
    session.set_model(std::make_shared<const OpenModel>(open_model(snapshot.model, std::nullopt)));
  } catch (const InputError&) {
    session.set_model(nullptr);
  }
}

}  // namespace

std::vector<Problem> go_to(Session& session, const Snapshot& snapshot) {
  const bool in_lecture = !snapshot.lecture.empty() && Lesson(session).open(snapshot.lecture, snapshot.step).empty();
  if (!in_lecture && session.lesson().lecture() != nullptr) Lesson(session).close();
  open_model_of(session, snapshot);
  const auto show = [in_lecture](Session& to, const Setup& setup) {
    return in_lecture ? to.edit(setup) : to.open_setup(setup, to.state().model);
  };
  const Setup setup = snapshot.setup.value_or(session.wanted());
  // If the reference can no longer be computed, the rest is shown without it.
  if (snapshot.reference && session.edit(*snapshot.reference).empty()) {
    session.when_shown([snapshot, setup, show](Session& shown) {
      Checking(shown).set_reference();
      show(shown, setup);
      shown.when_shown([snapshot](Session& last) { look_at(last, snapshot); });
    });
    return {};
  }
  const std::vector<Problem> problems = show(session, setup);
  session.when_shown([snapshot](Session& shown) { look_at(shown, snapshot); });
  return problems;
}

void restore(Session& session, const Snapshot& snapshot) {
  go_to(session, snapshot);
  Display display = session.display();
  copy_entries(snapshot.display, display, false);
  session.set_display(display);
  session.when_shown([](Session& shown) {
    shown.when_shown([](Session& last) { last.forget_history(); });  // nested: a reference is computed before the setup
  });
}

}  // namespace headlight
