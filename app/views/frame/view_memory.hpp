// What views remember between frames that is neither undone nor saved: an open list, a half-typed text, a zoom. One
// small value per view. Anything that should survive a restart belongs to the session instead.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/session/display/display.hpp"
#include "app/session/files/path_completion.hpp"
#include "app/views/check/check_study.hpp"
#include "app/views/compare/compare_study.hpp"
#include "app/views/frame/layout.hpp"
#include "app/views/heads/head_study.hpp"
#include "app/views/inspector/inspector_effects.hpp"
#include "app/views/learn/learn_memory.hpp"
#include "app/views/menus/context_menu.hpp"
#include "app/views/motion/motion.hpp"
#include "app/views/overlays/export_dialog.hpp"
#include "app/views/play/play_memory.hpp"
#include "app/views/setup/setup_panel_memory.hpp"
#include "app/views/tensors/cell_edit.hpp"
#include "app/views/tensors/later.hpp"
#include "app/views/tensors/mask_brush.hpp"
#include "app/views/tensors/tensor_scale.hpp"
#include "app/views/tensors/zoom.hpp"
#include "app/views/tokens/attention_links.hpp"
#include "core/formats/layers/attention_layers.hpp"
#include "core/model/problem.hpp"

namespace headlight {

struct Lecture;

/// What a histogram counts: the numbers of a tensor, in the bins of a range. Counting takes a while, so the inspector
/// keeps the last histogram with its key.
struct HistogramKey {
  Tensor tensor;
  double low = 0;
  double high = 0;
  bool logarithmic = false;

  friend bool operator==(const HistogramKey& a, const HistogramKey& b) {
    return a.tensor.same_window(b.tensor) && a.low == b.low && a.high == b.high && a.logarithmic == b.logarithmic;
  }
};
struct InspectorMemory {
  float height = 0;        ///< of the inspector's whole content in the last frame
  bool all_terms = false;  ///< whether every term of a sum is listed, not only the largest
  Later<HistogramKey, std::vector<Index>> histogram;
  EffectStudy effects;
};
struct HeadsMemory {
  HeadStudies studies;
  LinkFinder links;  ///< for the panel beside the heads
};
struct TokensMemory {
  LinkFinder links;
  bool by_key = false;  ///< whether the token that was pointed at last is a key
};
struct CompareMemory {
  CompareStudy study;
  CheckMemory check;
};

/// What the card asks for a path for.
enum class PathPurpose : std::uint8_t { open, save_setup, start_lecture, check, save_template };

/// The card that asks for a path.
struct PathPrompt {
  PathPurpose purpose = PathPurpose::open;
  std::string text;                   ///< as typed
  std::filesystem::path home;         ///< replaces "~" in the text
  bool fresh = true;                  ///< just opened, so the caret is not yet at the end of the text
  bool proposed = false;              ///< the text ends with a name that the person has not chosen yet
  std::size_t row = 0;                ///< the chosen row of the list, from 1; 0: none, the typed text counts
  std::optional<std::string> listed;  ///< the text for which `entries` were listed
  std::vector<PathEntry> entries;
  std::string asked_to_replace;  ///< the existing path that the person was asked about; Enter again replaces it
};
struct ChosenPath {
  PathPurpose purpose = PathPurpose::open;
  std::filesystem::path path;
};

/// The card of a first start while it is open.
struct StartCard {
  std::string sentence;       ///< as typed
  std::size_t row = 0;        ///< the chosen row
  std::size_t shown_row = 0;  ///< the chosen row of the last frame
  std::uint64_t version = 0;  ///< of the trace behind the card: another one closes it; 0: none was seen yet
};

/// The attention layers of a model's file, one of which becomes the setup.
struct LayersCard {
  std::filesystem::path file;
  ModelLayers model;
  std::size_t row = 0;
  int heads = 0;  ///< the choice among the numbers of heads, where the file does not say; 0 is none of them
};

/// A setup that is offered by a button.
struct OfferedEdit {
  std::string words;  ///< on the button
  std::string done;   ///< the notice once it was taken
  Setup setup;
  TensorId tensor = TensorId::X;  ///< selected then
};

/// What belongs to no single view: the palette, the cards and the panels.
struct ShellMemory {
  std::string palette_text;
  std::size_t palette_row = 0;
  std::optional<SidePanel> asked_for;  ///< the panel that was opened last; it stays open if only one fits
  std::string problems_title;          ///< title of the card that says why a file was refused
  std::vector<Problem> problems;       ///< shown until closed; empty if there are none
  std::optional<OfferedEdit> offer;    ///< what would help, as a button in that card
  std::optional<PathPrompt> prompt;    ///< the card that asks for a file
  std::optional<LayersCard> layers;    ///< the card that lists the attention layers of a model
  std::optional<StartCard> start;      ///< the card of a first start
  std::optional<ExportDialog> exporting;
  ExportChoices export_choices;           ///< the choices of the last export
  std::filesystem::path export_folder;    ///< the folder of the last export
  std::optional<ChosenPath> chosen;       ///< the path chosen in the card, which the shell then opens or saves
  std::vector<std::string> recent_files;  ///< offered in the card, the latest first
  bool hint = false;                      ///< the hint for beginners shows, until they have done what it says
  std::string notice;  ///< the notice on the screen; `notice_since` is the time at which it appeared, in seconds
  double notice_since = 0;
};

/// What the mouse points at while it rests is no preview: what it rests on was moved under it.
struct RestingMouse {
  const Lecture* lecture = nullptr;  ///< what showed in the last frame
  std::size_t step = 0;
  TensorId tensor = TensorId::X;
  Point mouse;           ///< where it was then
  bool resting = false;  ///< it has not moved since something else came
};

struct ViewMemory {
  /// What a link or a question inside a view does, once the frame is drawn: until then views hold what the session
  /// shows.
  std::function<void(Session&)> after_frame;
  std::string typed_guess;             ///< the number typed in answer to a lecture's question
  StatisticsCache statistics;          ///< of tensors, shared by all views
  bool hover_claimed = false;          ///< a cell was under the mouse in this frame
  std::shared_ptr<const Trace> ghost;  ///< the state before somebody played with a number; its numbers show in cells
  std::optional<Rect> lit_cell;        ///< where this frame shows the cell that is shown, if it does
  std::optional<ContextMenu> menu;     ///< while it is open
  RestingMouse resting;
  Motion motion;
  std::array<Zoom, view_count> zooms;  ///< one per View; all pictures of a view share its zoom
  MaskBrush brush;
  CellEditMemory cell_edit;
  SetupPanelMemory setup_panel;
  InspectorMemory inspector;
  HeadsMemory heads;
  TokensMemory tokens;
  CompareMemory compare;
  ShellMemory shell;
  PlayMemory play;
  LearnMemory learn;

  Zoom& zoom(View view) { return zooms[static_cast<std::size_t>(view)]; }
  const Zoom& zoom(View view) const { return zooms[static_cast<std::size_t>(view)]; }
};

}  // namespace headlight
