#include "app/views/overlays/path_card.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/ui/controls/controls.hpp"
#include "app/ui/controls/value_controls.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/overlays/sheet.hpp"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr float choice_height = 30;

/// A row that can be chosen: a recent file, or an entry of the folder.
struct CompletedPath {
  std::string title;
  std::string location;  ///< the folder of a recent file
  Icon icon = Icon::file;
  std::string text;  ///< the text of the field once this row is chosen
  bool folder = false;
};

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::vector<CompletedPath> choices_of(const PathPrompt& prompt, const std::vector<std::string>& recent) {
  std::vector<CompletedPath> choices;
  if (!saves(prompt.purpose) && last_part(prompt.text).empty()) {
    const std::vector<std::string_view> endings = words_for(prompt.purpose).endings;
    for (const std::string& file : recent) {
      if (std::ranges::find(endings, fs::path(file).extension().string()) == endings.end()) continue;
      const auto name = last_part(file);
      choices.push_back({std::string(name), file.substr(0, file.size() - name.size()), Icon::reset, file, false});
    }
  }
  for (const PathEntry& entry : prompt.entries)
    choices.push_back({entry.name + (entry.folder ? "/" : ""), "", entry.folder ? Icon::chevron_right : Icon::file,
                       with_entry(prompt.text, entry), entry.folder});
  return choices;
}

/// Lists the folder: what begins like the typed name, or everything while the name is only proposed.
void list_folder(PathPrompt& prompt) {
  if (prompt.listed == prompt.text) return;
  const PurposeWords words = words_for(prompt.purpose);
  std::string_view typed = prompt.text;
  if (prompt.proposed) typed.remove_suffix(last_part(typed).size());
  prompt.entries = entries_for(typed, prompt.home, words.endings);
  prompt.listed = prompt.text;
}

/// Replaces the text of the field, as if the new one had been typed.
void retype(PathPrompt& prompt, std::string text) {
  prompt.text = std::move(text);
  prompt.fresh = true;
  prompt.proposed = false;
  prompt.row = 0;
}

/// Goes to another folder. A proposed name goes with it.
void go_to_folder(PathPrompt& prompt, const fs::path& folder) {
  const std::string name(prompt.proposed ? last_part(prompt.text) : std::string_view{});
  const bool proposed = prompt.proposed;
  retype(prompt, (folder / "").string() + name);
  prompt.proposed = proposed;
}

/// The folder around the one that is shown.
fs::path parent_folder(const PathPrompt& prompt) {
  std::error_code error;
  const fs::path shown = fs::absolute(expanded(prompt.text, prompt.home), error).parent_path();
  return shown.lexically_normal().parent_path();
}

/// Whether the card itself asks before a file is replaced. The export dialog asks when it exports.
bool asks_before_replacing(const PathPrompt& prompt) {
  return saves(prompt.purpose) && prompt.purpose != PathPurpose::export_to;
}

fs::path target_of(const PathPrompt& prompt) {
  fs::path path = expanded(prompt.text, prompt.home);
  if (asks_before_replacing(prompt) && path.extension().empty()) path += words_for(prompt.purpose).endings.front();
  return path;
}

/// The typed path, if it can be accepted. A folder is entered instead. Before an existing file is replaced, the card
/// asks once.
std::optional<ChosenPath> accepted(PathPrompt& prompt) {
  const fs::path path = target_of(prompt);
  std::error_code error;
  if (fs::is_directory(path, error)) {
    if (!prompt.text.ends_with('/')) retype(prompt, prompt.text + '/');
    return std::nullopt;
  }
  if (!path.has_filename()) return std::nullopt;
  if (asks_before_replacing(prompt) && fs::exists(path, error) && prompt.asked_to_replace != path.string()) {
    prompt.asked_to_replace = path.string();
    return std::nullopt;
  }
  return ChosenPath{prompt.purpose, path};
}

/// The range of the proposed name in the text, without its endings (".headlight.toml"): typing replaces it.
std::optional<std::pair<std::size_t, std::size_t>> proposed_name(const PathPrompt& prompt) {
  if (!prompt.proposed) return std::nullopt;
  const std::size_t begin = prompt.text.size() - last_part(prompt.text).size();
  std::string_view name = std::string_view(prompt.text).substr(begin);
  constexpr std::string_view own = ".headlight";
  name = name.substr(0, name.rfind('.'));
  if (name.size() > own.size() && name.ends_with(own)) name.remove_suffix(own.size());
  return std::pair(begin, begin + name.size());
}

bool draw_choice(Ui& ui, const Rect& row, const CompletedPath& choice, bool chosen) {
  const Canvas canvas = ui.canvas();
  const Theme& theme = ui.theme();
  const Item item = list_row(ui, "choice", row, chosen);
  canvas.icon(choice.icon, {row.x + 8, row.center().y - 8}, theme.text3);
  const Rect words{row.x + 34, row.y, row.w - 42, row.h};
  const float name = std::min(words.w, canvas.width(choice.title, TextStyle::control));
  canvas.text_in({words.x, words.y, name + 1, words.h}, choice.title, TextStyle::control, theme.text);
  canvas.text_in({words.x + name + 12, words.y, words.w - name - 12, words.h}, choice.location, TextStyle::caption,
                 theme.text3);
  // The second click of a double click on a folder is not for its entries.
  return item.clicked && !ui.input().second_click;
}

/// The folder around, the person's own folders and the recent ones, as many as fit.
void draw_places(Ui& ui, Rect row, PathPrompt& prompt) {
  const Canvas canvas = ui.canvas();
  const auto draw_shortcut = [&](int id, std::string_view title, const fs::path& folder) {
    const float wide = chip_width(canvas, title);
    if (wide > row.w) return;
    ui.push_id(id);
    const Item item = chip(ui, "place", row.cut_left(wide), title);
    ui.pop_id();
    row.cut_left(6);
    ui.tooltip(item, folder.string());
    if (item.clicked) go_to_folder(prompt, folder);
  };
  ui.push_id("places");
  draw_shortcut(0, "↑ Parent folder", parent_folder(prompt));
  for (std::size_t i = 0; i < prompt.shortcuts.size(); ++i)
    draw_shortcut(static_cast<int>(i) + 1, prompt.shortcuts[i].title, prompt.shortcuts[i].folder);
  ui.pop_id();
}

/// Draws the list; returns the choice that was clicked, or null.
const CompletedPath* draw_choices(Ui& ui, const Rect& area, const std::vector<CompletedPath>& choices, std::size_t row,
                                  bool moved) {
  ListRows rows{choices.size(), ui.reach(choice_height), {}};
  if (moved && row > 0) rows.revealed = row - 1;
  const auto clicked = draw_list(ui, "choices", area, rows, [&](const Rect& at, std::size_t i) {
    return draw_choice(ui, at, choices[i], i + 1 == row);
  });
  return clicked ? &choices[*clicked] : nullptr;
}

/// The last line: the question whether to replace an existing file, or the keys.
void draw_remark(Ui& ui, const Rect& line, const PathPrompt& prompt) {
  const Canvas canvas = ui.canvas();
  const Theme& theme = ui.theme();
  const fs::path path = target_of(prompt);
  if (!prompt.asked_to_replace.empty() && prompt.asked_to_replace == path.string()) {
    canvas.text_in(line, fmt::format("{} already exists. Replace it?", path.filename().string()), TextStyle::control,
                   theme.text);
    return;
  }
  if (ui.serves_finger()) return;  // there are no keys
  const std::string_view words = prompt.purpose == PathPurpose::export_to ? "Tab completes, ↑ ↓ choose, Enter takes it."
                                 : saves(prompt.purpose)
                                     ? "Tab completes, ↑ ↓ choose, Enter saves."
                                     : "Tab completes, ↑ ↓ choose, Enter opens. Or drop a file onto the window.";
  canvas.text_in(line, words, TextStyle::caption, theme.text3);
}

}  // namespace

PurposeWords words_for(PathPurpose purpose) {
  switch (purpose) {
    case PathPurpose::save_setup: return {"Save the setup as", "Save", {".toml"}};
    case PathPurpose::start_lecture: return {"Save the new lecture as", "Save", {".md"}};
    case PathPurpose::check:
      return {"Check my work: arrays (npz, npy) or a printout (txt)", "Check", {".npz", ".npy", ".txt", ".csv"}};
    case PathPurpose::save_template: return {"Save the template for your code as", "Save", {".py"}};
    case PathPurpose::export_to: return {"Export to", "Choose", {".png", ".svg", ".pdf", ".npz", ".csv", ".py"}};
    case PathPurpose::open: break;
  }
  return {"Open arrays (npz, npy), a model, a setup, a lecture or a picture",
          "Open",
          {".toml", ".md", ".png", ".safetensors", ".npz", ".npy", ".csv", ".json"}};
}

void draw_path_card(ViewContext& context) {
  Ui& ui = context.ui;
  auto& files = context.memory.get<FilesMemory>();
  std::optional<PathPrompt>& opened = context.memory.opened<PathPrompt>();
  PathPrompt& prompt = *opened;
  const PurposeWords words = words_for(prompt.purpose);
  list_folder(prompt);
  const std::vector<CompletedPath> choices = choices_of(prompt, files.recent);
  prompt.row = std::min(prompt.row, choices.size());

  Sheet sheet(ui, "path", 640, 480);
  bool closed = sheet.heading(words.heading);
  Rect area = sheet.area();
  Rect line = area.cut_top(ui.reach(32));
  const bool replaces = prompt.asked_to_replace == target_of(prompt).string();
  const Rect go = line.cut_right(84);
  line.cut_right(8);
  const bool keeps_both = replaces && keep_both_button(ui, line.cut_right(96), target_of(prompt));
  if (replaces) line.cut_right(8);
  // The list takes the arrow keys, Tab and Enter first; the text field below gets the other keys.
  const bool up = ui.take_key(Key::up);
  const bool down = ui.take_key(Key::down);
  const bool tab = ui.take_key(Key::tab);
  const bool enter = ui.take_key(Key::enter);
  if (up && prompt.row > 0) --prompt.row;
  if (down && prompt.row < choices.size()) ++prompt.row;
  const TextEdit edit = text_field(ui, "path", line, prompt.text,
                                   {.focus_now = !ui.typing() && !ui.mouse_down(),
                                    .completes = true,
                                    .caret_at_end = prompt.fresh,
                                    .selected = proposed_name(prompt),
                                    .hint = "Path of a file"});
  if (edit.active) prompt.fresh = false;
  if (edit.changed) {
    prompt.row = 0;
    prompt.proposed = false;
  }
  const bool pressed = button(ui, "go", go, replaces ? "Replace" : words.verb,
                              {.kind = ButtonKind::primary, .enabled = !prompt.text.empty(), .once = replaces});
  area.cut_top(8);
  draw_places(ui, area.cut_top(ui.reach(26)), prompt);
  area.cut_top(2);
  draw_remark(ui, area.cut_top(26), prompt);
  area.cut_top(6);
  const CompletedPath* picked = draw_choices(ui, area, choices, prompt.row, up || down);
  if (choices.empty())
    ui.canvas().text_in(area.cut_top(choice_height), "No matches in this folder", TextStyle::control, ui.theme().text3);

  if (tab && !prompt.proposed) retype(prompt, completed(prompt.text, prompt.entries));
  const bool by_key = enter && prompt.row > 0;
  if (by_key) picked = &choices[prompt.row - 1];
  if (picked != nullptr) {
    const bool opens = !picked->folder && !saves(prompt.purpose);
    if (picked->folder) go_to_folder(prompt, picked->text);
    else retype(prompt, picked->text);
    if (opens) files.chosen = accepted(prompt);
  } else if (keeps_both) {
    files.chosen = ChosenPath{prompt.purpose, unused_beside(target_of(prompt))};
  } else if ((enter || pressed) && !prompt.text.empty()) {
    files.chosen = accepted(prompt);
  }
  closed = sheet.dismissed() || closed;
  if (!edit.active || up || down || tab || enter || edit.changed || picked != nullptr) ui.request_frame();
  if (closed || files.chosen) opened.reset();
}

bool keep_both_button(Ui& ui, const Rect& r, const fs::path& taken) {
  return button(ui, "keep both", r, "Keep both",
                {.tooltip = fmt::format("Save as {} instead", unused_beside(taken).filename().string())});
}

}  // namespace headlight
