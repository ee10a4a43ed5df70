#include "app/session/settings/settings.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <system_error>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "app/session/checking.hpp"
#include "app/session/lesson.hpp"
#include "app/session/selecting.hpp"
#include "app/session/settings/display_settings.hpp"
#include "core/formats/files.hpp"
#include "core/formats/setup/setup_file.hpp"
#include "core/formats/toml/toml_value.hpp"

namespace headlight {
namespace {

constexpr std::size_t most_recent_files = 10;

// --- Files -----------------------------------------------------------------------------------------------------------

/// Renames a file that will be written anew, so that what it holds is not lost; says where it is, in words.
std::string set_aside(const std::filesystem::path& file) {
  std::error_code error;
  const std::filesystem::path aside = file.string() + ".damaged";
  std::filesystem::rename(file, aside, error);
  return error ? "it could not be set aside" : fmt::format("it is kept as {}", aside.filename().string());
}

/// Reads a document. Its `message` tells the person if the file is damaged.
Loaded<toml::table> load_table(const std::filesystem::path& file) {
  std::error_code error;
  if (file.empty() || !std::filesystem::exists(file, error)) return {};
  std::string damage;
  try {
    const std::string bytes = read_bytes(file, largest_text_file);
    try {
      require_parsable(bytes, file.string());
      return {toml::parse(bytes), {}};
    } catch (const InputError& not_text) {
      damage = not_text.problems().front().found;
    } catch (const toml::parse_error& wrong) {
      damage = fmt::format("line {}: {}", wrong.source().begin.line, wrong.description());
    }
  } catch (const InputError& unreadable) {
    return {{}, unreadable.what()};
  }
  return {{}, fmt::format("{} is damaged ({}); {}", file.filename().string(), damage, set_aside(file))};
}

void save_table(const toml::table& table, const std::filesystem::path& file) {
  if (file.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  if (error) throw InputError({file.string(), "", error.message(), "a folder that can be written to"});
  std::ostringstream text;
  text << table << '\n';
  write_file(file, text.str());
}

// --- Values ----------------------------------------------------------------------------------------------------------

template <class Value>
void read(const toml::table& table, std::string_view key, Value& value) {
  if (const auto found = table[key].value<Value>()) value = *found;
}

template <class Value>
void read(const toml::table& table, std::string_view key, std::vector<Value>& values) {
  const toml::array* list = table[key].as_array();
  if (list == nullptr) return;
  values.clear();
  for (const toml::node& entry : *list) {
    if (const auto value = entry.value<Value>()) values.push_back(*value);
  }
}

template <class Value>
toml::array array_of(const std::vector<Value>& values) {
  toml::array list;
  for (const Value& value : values) list.push_back(value);
  return list;
}

/// A folder from the environment, or its default. The XDG standard says that a relative folder is to be ignored.
std::filesystem::path folder(const Environment& environment, const char* variable, const char* below_home) {
  const auto absolute = [&](const char* name) {
    const char* text = environment(name);
    const std::filesystem::path path = text != nullptr ? text : "";
    return path.is_absolute() ? path : std::filesystem::path{};
  };
  if (const auto path = absolute(variable); !path.empty()) return path;
  const auto home = absolute("HOME");
  return home.empty() ? home : home / below_home;
}

}  // namespace

Settings with_recent_file(Settings settings, const std::filesystem::path& file) {
  auto& recent = settings.recent_files;
  std::erase(recent, file.string());
  recent.insert(recent.begin(), file.string());
  if (recent.size() > most_recent_files) recent.resize(most_recent_files);
  return settings;
}

Appearance lasting_appearance(const Display& display) { return display.before_projector.value_or(display.appearance); }

MemoryFiles memory_files(const Environment& environment) {
  const auto config = folder(environment, "XDG_CONFIG_HOME", ".config");
  const auto state = folder(environment, "XDG_STATE_HOME", ".local/state");
  return {config.empty() ? config : config / "headlight" / "settings.toml",
          state.empty() ? state : state / "headlight" / "session.toml"};
}

// --- Settings --------------------------------------------------------------------------------------------------------

namespace {

ExportWhat export_named(std::string_view name, ExportWhat otherwise) {
  const auto found =
      std::find_if(all_exports.begin(), all_exports.end(), [&](ExportWhat w) { return to_string(w) == name; });
  return found == all_exports.end() ? otherwise : *found;
}

void read_pair(const toml::table& table, std::string_view key, std::array<double, 2>& pair) {
  const toml::array* values = table[key].as_array();
  if (values == nullptr || values->size() != pair.size()) return;
  for (std::size_t i = 0; i < pair.size(); ++i)
    if (const auto value = (*values)[i].value<double>(); value && *value > 0) pair[i] = *value;
}

void read_export(const toml::table& table, Settings& settings) {
  ExportChoices& choices = settings.export_choices;
  choices.what = export_named(table["what"].value_or(std::string_view{}), choices.what);
  choices.animated = export_named(table["animated"].value_or(std::string_view{}), choices.animated);
  if (!is_picture(choices.animated)) choices.animated = ExportWhat::heatmap;
  for (const ExportWhat what : all_exports)
    for (std::size_t form = 0; form < forms_of(what).size(); ++form)
      if (table["forms"][to_string(what)].value_or(std::string_view{}) == forms_of(what)[form].name)
        choices.forms[static_cast<std::size_t>(what)] = form;
  for (const ExportSize size : {ExportSize::own, ExportSize::pixels, ExportSize::centimetres})
    if (table["size"].value_or(std::string_view{}) == to_string(size)) choices.size = size;
  read_pair(table, "pixels", choices.pixels);
  read_pair(table, "centimetres", choices.centimetres);
  read(table, "dpi", choices.dpi);
  choices.scale = static_cast<int>(std::clamp<std::int64_t>(table["scale"].value_or(std::int64_t{1}), 1, 4));
  choices.theme = table["theme"].value_or(std::string_view{}) == "dark" ? ThemeName::dark : ThemeName::light;
  read(table, "transparent", choices.transparent);
  choices.digits = static_cast<int>(std::clamp<std::int64_t>(table["digits"].value_or(std::int64_t{4}), 1, 17));
  read(table, "frames", choices.frames);
  read(table, "seconds", choices.seconds);
  read(table, "played", choices.played);
  choices.measure = measure_named(table["watched"].value_or(std::string_view{})).value_or(choices.measure);
  choices.paper = paper_named(table["paper"].value_or(std::string_view{})).value_or(choices.paper);
  read(table, "notes", choices.notes);
  read(table, "folder", settings.export_folder);
}

toml::table export_table(const Settings& settings) {
  const ExportChoices& choices = settings.export_choices;
  toml::table forms;
  for (const ExportWhat what : all_exports) {
    const auto named = forms_of(what);
    const std::size_t form = std::min(choices.forms[static_cast<std::size_t>(what)], named.size() - 1);
    forms.insert(to_string(what), named[form].name);
  }
  return toml::table{{"what", to_string(choices.what)},
                     {"animated", to_string(choices.animated)},
                     {"forms", forms},
                     {"size", to_string(choices.size)},
                     {"pixels", toml::array{choices.pixels[0], choices.pixels[1]}},
                     {"centimetres", toml::array{choices.centimetres[0], choices.centimetres[1]}},
                     {"dpi", choices.dpi},
                     {"scale", choices.scale},
                     {"theme", choices.theme == ThemeName::light ? "light" : "dark"},
                     {"transparent", choices.transparent},
                     {"played", choices.played},
                     {"watched", to_string(choices.measure)},
                     {"digits", choices.digits},
                     {"frames", choices.frames},
                     {"seconds", choices.seconds},
                     {"paper", info(choices.paper).name},
                     {"notes", choices.notes},
                     {"folder", settings.export_folder}};
}

}  // namespace

Loaded<Settings> load_settings(const std::filesystem::path& file) {
  const auto [table, message] = load_table(file);
  Display display;
  Appearance& appearance = display.appearance;
  if (table["theme"].value_or(std::string_view{}) == "light") appearance.theme = ThemeName::light;
  read(table, "scale", appearance.scale);
  read(table, "setup_folded", appearance.setup_folded);
  read(table, "inspector_folded", appearance.inspector_folded);
  read(table, "setup_width", appearance.setup_width);
  read(table, "inspector_width", appearance.inspector_width);
  read(table, "reduce_motion", appearance.reduce_motion);
  Settings settings;
  settings.appearance = fitting(display, 1).appearance;
  if (const toml::table* exporting = table["export"].as_table()) read_export(*exporting, settings);
  read(table, "hint_seen", settings.hint_seen);
  read(table, "recent_files", settings.recent_files);
  settings.recent_files.resize(std::min(settings.recent_files.size(), most_recent_files));
  return {settings, message};
}

namespace {

toml::table table_of(const Settings& settings) {
  const Appearance& appearance = settings.appearance;
  return toml::table{{"theme", appearance.theme == ThemeName::light ? "light" : "dark"},
                     {"scale", appearance.scale},
                     {"setup_folded", appearance.setup_folded},
                     {"inspector_folded", appearance.inspector_folded},
                     {"setup_width", appearance.setup_width},
                     {"inspector_width", appearance.inspector_width},
                     {"reduce_motion", appearance.reduce_motion},
                     {"hint_seen", settings.hint_seen},
                     {"recent_files", array_of(settings.recent_files)},
                     {"export", export_table(settings)}};
}

bool equal(const toml::node* a, const toml::node* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return a->visit([&](const auto& value) {
    using Node = std::decay_t<decltype(value)>;
    const Node* other = b->as<toml::impl::unwrap_node<Node>>();
    return other != nullptr && value == *other;
  });
}

/// Replaces in `table` what differs between `known` and `mine`.
void apply_changes(toml::table& table, const toml::table& known, const toml::table& mine) {
  for (const auto& [key, value] : mine) {
    const toml::table* inner = value.as_table();
    toml::table* there = table[key].as_table();
    const toml::table* before = known[key].as_table();
    if (inner && there && before) apply_changes(*there, *before, *inner);
    else if (!table.contains(key) || !equal(known.get(key), &value)) table.insert_or_assign(key, value);
  }
}

}  // namespace

void save(const Settings& settings, const std::filesystem::path& file) { save_table(table_of(settings), file); }

void save_changes(const Settings& known, const Settings& settings, const std::filesystem::path& file) {
  toml::table table = load_table(file).value;
  std::vector<std::string> others;
  read(table, "recent_files", others);
  apply_changes(table, table_of(known), table_of(settings));
  if (settings.recent_files != known.recent_files) {
    Settings joined;
    joined.recent_files = std::move(others);
    for (auto recent = settings.recent_files.rbegin(); recent != settings.recent_files.rend(); ++recent)
      joined = with_recent_file(std::move(joined), *recent);
    table.insert_or_assign("recent_files", array_of(joined.recent_files));
  }
  save_table(table, file);
}

// --- The session -----------------------------------------------------------------------------------------------------

RememberedSession remembered(const Session& session) {
  RememberedSession memory;
  if (session.lesson().lecture() != nullptr) memory.lecture = session.lesson().lecture()->id;
  memory.step = session.lesson().at.index;
  memory.answers = session.lesson().answers;
  if (session.lesson().lecture() == nullptr || session.setup() != *session.lesson().setup())
    memory.setup = session.setup();
  memory.view = session.display().view;
  memory.cell = to_string(cell_of(session.selection(), session.setup()));
  memory.batch = session.selection().batch;
  memory.head = session.selection().head;
  memory.pinned = session.state().pinned;
  memory.heads = session.display().heads;
  memory.tokens = session.display().tokens;
  memory.presenting = session.display().presentation.presenting;
  memory.pointer_circle = session.display().presentation.pointer_circle;
  memory.full_screen = session.display().presentation.full_screen;
  memory.projector = session.display().projector();
  memory.painting = session.display().painting;
  memory.words = session.display().words;
  memory.colours = colour_settings(session.display());
  if (session.state().checking.reference) memory.reference = session.state().checking.reference->setup;
  memory.work = kept_of(session.state().checking.own);
  return memory;
}

RememberedSession wanted_place(const Session& session) {
  RememberedSession place = remembered(session);
  if (!session.state().computing) return place;
  const LectureStep step = session.wanted_step();
  const Lecture* const lecture = step.lecture ? step.lecture->lecture.get() : nullptr;
  if (lecture != session.lesson().lecture() || step.index != session.lesson().at.index)
    place.cell.clear();  // the step's
  if (lecture != session.lesson().lecture()) place.answers.clear();
  place.lecture = lecture != nullptr ? lecture->id : std::string{};
  place.step = step.index;
  place.setup.reset();
  if (lecture == nullptr || session.wanted() != *step.setup()) place.setup = session.wanted();
  return place;
}

namespace {

/// The colours of the remembered session; the defaults if they cannot be read, as when a later version wrote them.
std::array<HeatmapOptions, tensor_count> colours_of(const RememberedSession& place) {
  try {
    return with_display_settings({}, place.colours).heatmaps;
  } catch (const InputError&) {
    return {};
  }
}

/// Restores everything of the place except its numbers, which must be shown already.
void look_at(Session& session, const RememberedSession& place) {
  Display display = session.display();
  display.view = place.view;
  display.heads = place.heads;
  display.tokens = place.tokens;
  display.heatmaps = colours_of(place);
  session.set_display(display);
  if (place.work != KeptWork{}) Checking(session).set_work(read_again(place.work));
  Selecting(session).select_batch(place.batch);
  Selecting(session).select_head(place.head);
  try {
    const Cell cell = parse_cell(place.cell, session.setup());
    if (place.pinned) Selecting(session).pin(cell);
    else Selecting(session).select(at_cell(session.selection(), cell, session.setup()));
  } catch (const InputError&) {
    // The setup no longer has the cell; the present selection, which fits the setup, stays.
  }
  if (session.lesson().lecture() != nullptr)
    Lesson(session).set_answers(place.answers);  // also where pinning has just guessed
}

}  // namespace

std::vector<Problem> go_to(Session& session, const RememberedSession& place) {
  const bool in_lecture = !place.lecture.empty() && Lesson(session).open(place.lecture, place.step).empty();
  if (!in_lecture && session.lesson().lecture() != nullptr) Lesson(session).close();
  const Setup setup = place.setup.value_or(session.wanted());
  // If the reference can no longer be computed, the rest is shown without it.
  if (place.reference && session.edit(*place.reference).empty()) {
    session.when_shown([place, setup](Session& shown) {
      Checking(shown).set_reference();
      shown.edit(setup);
      shown.when_shown([place](Session& last) { look_at(last, place); });
    });
    return {};
  }
  const std::vector<Problem> problems = session.edit(setup);
  session.when_shown([place](Session& shown) { look_at(shown, place); });
  return problems;
}

void restore(Session& session, const RememberedSession& memory) {
  go_to(session, memory);
  Display display = with_presenting(with_projector(session.display(), memory.projector), memory.presenting);
  display.presentation.pointer_circle = memory.pointer_circle;
  display.presentation.full_screen = memory.full_screen;
  display.painting = memory.painting;
  display.words = memory.words;
  session.set_display(display);
  session.when_shown([](Session& shown) {
    shown.when_shown([](Session& last) { last.forget_history(); });  // nested: a reference is computed before the setup
  });
}

namespace {

KeptWork work_of(const toml::table& table) {
  KeptWork work;
  read(table, "shown", work.shown);
  read(table, "file", work.file);
  read(table, "atol", work.tolerance.absolute);
  read(table, "rtol", work.tolerance.relative);
  read(table, "follows", work.follows);
  std::vector<std::string> theirs, ours;
  read(table, "theirs", theirs);
  read(table, "ours", ours);
  for (std::size_t i = 0; i < std::min(theirs.size(), ours.size()); ++i) work.names.emplace_back(theirs[i], ours[i]);
  return work;
}

toml::table table_of(const KeptWork& work) {
  toml::array theirs, ours;
  for (const auto& [their_name, our_name] : work.names) {
    theirs.push_back(their_name);
    ours.push_back(our_name);
  }
  return toml::table{{"shown", work.shown},
                     {"file", work.file},
                     {"atol", work.tolerance.absolute},
                     {"rtol", work.tolerance.relative},
                     {"follows", work.follows},
                     {"theirs", theirs},
                     {"ours", ours}};
}

std::map<std::size_t, AnswerState> answers_of(const toml::array& list) {
  std::map<std::size_t, AnswerState> answers;
  for (const toml::node& entry : list) {
    const toml::table* const table = entry.as_table();
    const auto step = table ? (*table)["step"].value<std::int64_t>() : std::nullopt;
    if (!step || *step < 0) continue;
    AnswerState& said = answers[static_cast<std::size_t>(*step)];
    said.guess = (*table)["guess"].value<double>();
    if (said.guess && !std::isfinite(*said.guess)) said.guess.reset();
    read(*table, "hint", said.hint);
    read(*table, "shown", said.shown);
  }
  return answers;
}

toml::array array_of(const std::map<std::size_t, AnswerState>& answers) {
  toml::array list;
  for (const auto& [step, said] : answers) {
    toml::table entry{{"step", static_cast<std::int64_t>(step)}, {"hint", said.hint}, {"shown", said.shown}};
    if (said.guess) entry.insert("guess", *said.guess);
    list.push_back(std::move(entry));
  }
  return list;
}

/// Reads everything except the setups.
RememberedSession session_of(const toml::table& table) {
  RememberedSession memory;
  read(table, "lecture", memory.lecture);
  memory.step = static_cast<std::size_t>(std::max<std::int64_t>(table["step"].value_or(std::int64_t{0}), 0));
  if (const toml::array* answers = table["answers"].as_array()) memory.answers = answers_of(*answers);
  memory.view = view_named(table["view"].value_or(std::string_view{})).value_or(View::pipeline);
  read(table, "cell", memory.cell);
  read(table, "batch", memory.batch);
  read(table, "head", memory.head);
  read(table, "pinned", memory.pinned);
  memory.heads.order = head_order_named(table["head_order"].value_or(std::string_view{})).value_or(HeadOrder::index);
  read(table, "hidden_heads", memory.heads.hidden);
  read(table, "threshold", memory.tokens.threshold);
  read(table, "selected_head_only", memory.tokens.selected_head_only);
  read(table, "presenting", memory.presenting);
  read(table, "pointer_circle", memory.pointer_circle);
  memory.full_screen = table["full_screen"].value_or(memory.presenting);
  read(table, "projector", memory.projector);
  read(table, "painting", memory.painting);
  if (table["words_folded"].is_boolean())
    memory.words = *table["words_folded"].value<bool>() ? WordsFold::folded : WordsFold::unfolded;
  read(table, "setup_file", memory.setup_file);
  read(table, "lecture_file", memory.lecture_file);
  read(table, "colours", memory.colours);
  if (const toml::table* work = table["work"].as_table()) memory.work = work_of(*work);
  return memory;
}

toml::table table_of(const RememberedSession& session) {
  toml::table table{{"lecture", session.lecture},
                    {"step", static_cast<std::int64_t>(session.step)},
                    {"view", to_string(session.view)},
                    {"cell", session.cell},
                    {"batch", session.batch},
                    {"head", session.head},
                    {"pinned", session.pinned},
                    {"head_order", to_string(session.heads.order)},
                    {"hidden_heads", array_of(session.heads.hidden)},
                    {"threshold", session.tokens.threshold},
                    {"selected_head_only", session.tokens.selected_head_only},
                    {"presenting", session.presenting},
                    {"pointer_circle", session.pointer_circle},
                    {"full_screen", session.full_screen},
                    {"projector", session.projector},
                    {"painting", session.painting},
                    {"colours", array_of(session.colours)}};
  if (!session.answers.empty()) table.insert("answers", array_of(session.answers));
  if (session.words != WordsFold::automatic) table.insert("words_folded", session.words == WordsFold::folded);
  if (!session.setup_file.empty()) table.insert("setup_file", session.setup_file);
  if (!session.lecture_file.empty()) table.insert("lecture_file", session.lecture_file);
  if (session.work != KeptWork{}) table.insert("work", table_of(session.work));
  if (session.setup) table.insert("setup", write_setup(*session.setup));
  if (session.reference) table.insert("reference", write_setup(*session.reference));
  return table;
}

/// Reads the setups. Throws InputError if one of them is not a setup.
void read_setups(const toml::table& table, RememberedSession& memory, const std::string& source,
                 const std::filesystem::path& folder = {}) {
  if (const auto setup = table["setup"].value<std::string>()) memory.setup = parse_setup(*setup, source, folder);
  if (const auto reference = table["reference"].value<std::string>())
    memory.reference = parse_setup(*reference, source, folder);
}

}  // namespace

Loaded<RememberedSession> load_session(const std::filesystem::path& file) {
  const auto [table, message] = load_table(file);
  RememberedSession memory = session_of(table);
  try {
    read_setups(table, memory, file.string());
  } catch (const InputError& error) {
    return {memory, fmt::format("{}; {}", error.what(), set_aside(file))};
  }
  return {memory, message};
}

void save(const RememberedSession& session, const std::filesystem::path& file) { save_table(table_of(session), file); }

// --- Pictures --------------------------------------------------------------------------------------------------------

namespace {

std::string to_toml(const RememberedSession& memory) {
  std::ostringstream text;
  text << table_of(memory) << '\n';
  return text.str();
}

RememberedSession parse_remembered(const std::string& text, const std::string& source,
                                   const std::filesystem::path& folder) {
  try {
    require_parsable(text, source);
    const toml::table table = toml::parse(text);
    RememberedSession memory = session_of(table);
    read_setups(table, memory, source, folder);
    return memory;
  } catch (const toml::parse_error& wrong) {
    throw InputError({source, fmt::format("line {}", wrong.source().begin.line), std::string(wrong.description()),
                      "a TOML document"});
  }
}

}  // namespace

PictureNotes picture_notes(const Session& session) {
  RememberedSession place = remembered(session);
  place.setup.reset();  // stored separately
  return {{"Software", "Headlight"}, {"Setup", write_setup(session.setup())}, {"Session", to_toml(place)}};
}

RememberedSession remembered_by(const PictureNotes& notes, const std::string& source,
                                const std::filesystem::path& folder) {
  const auto setup = notes.find("Setup");
  if (setup == notes.end())
    throw InputError({source, "", "a picture without a setup", "a picture that Headlight drew"});
  const auto place = notes.find("Session");
  RememberedSession memory =
      place == notes.end() ? RememberedSession{} : parse_remembered(place->second, source, folder);
  memory.setup = parse_setup(setup->second, source, folder);
  return memory;
}

}  // namespace headlight
