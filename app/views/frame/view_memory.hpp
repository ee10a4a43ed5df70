// What views remember between frames and nobody undoes or saves: an open list, what is being typed, a zoom. One small
// value per view. What a person would miss at the next start belongs to the session instead.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/session/display/display.hpp"
#include "app/session/files/path_completion.hpp"
#include "app/views/compare/compare_study.hpp"
#include "app/views/frame/layout.hpp"
#include "app/views/heads/head_study.hpp"
#include "app/views/overlays/export_dialog.hpp"
#include "app/views/setup/setup_panel_memory.hpp"
#include "app/views/tensors/later.hpp"
#include "app/views/tensors/mask_brush.hpp"
#include "app/views/tensors/tensor_scale.hpp"
#include "app/views/tensors/zoom.hpp"
#include "app/views/tokens/attention_links.hpp"
#include "core/model/problem.hpp"

namespace headlight {

/// The bars of the last tensor, which take a while to count.
/// Which numbers are counted, and in which range of them.
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
  float height = 0;        ///< of everything, when it was last drawn
  bool all_terms = false;  ///< every term of a sum, not only the longest
  Later<HistogramKey, std::vector<Index>> histogram;
};
struct HeadsMemory {
  HeadStudies studies;
  LinkFinder links;  ///< of the panel
};
struct TokensMemory {
  LinkFinder links;
  bool by_key = false;  ///< the token that was pointed at last is a key
};
struct CompareMemory {
  CompareStudy study;
};

/// What a path is asked for.
enum class PathPurpose : std::uint8_t { open, save_setup, start_lecture };

/// The card that asks for a path.
struct PathPrompt {
  PathPurpose purpose = PathPurpose::open;
  std::string text;                   ///< as typed
  std::filesystem::path home;         ///< what "~" stands for
  bool fresh = true;                  ///< the caret is still to be put behind the text
  std::size_t row = 0;                ///< of the list; 0 is none, the text itself
  std::optional<std::string> listed;  ///< the text that the entries are for
  std::vector<PathEntry> entries;
  std::string asked_to_replace;  ///< the path that is there already, once the person was told
};
struct ChosenPath {
  PathPurpose purpose = PathPurpose::open;
  std::filesystem::path path;
};

/// The window's own: palette, cards, panels.
struct ShellMemory {
  std::string palette_text;
  std::size_t palette_row = 0;
  std::optional<SidePanel> asked_for;  ///< the panel that was opened last, where only one fits
  std::string problems_title;          ///< of a file that was refused
  std::vector<Problem> problems;       ///< shown until closed; empty without
  std::optional<PathPrompt> prompt;    ///< the card that asks for a file
  std::optional<ExportDialog> exporting;
  ExportChoices export_choices;           ///< the last ones
  std::filesystem::path export_folder;    ///< where the last one went
  std::optional<ChosenPath> chosen;       ///< there, for the shell to act on
  std::vector<std::string> recent_files;  ///< offered there, the latest first
  bool hint = false;                      ///< what to do first; until it was done once
  std::string notice;                     ///< the one that shows, and since when
  double notice_since = 0;
};

struct ViewMemory {
  StatisticsCache statistics;          ///< of tensors, shared by all views
  bool hover_claimed = false;          ///< a cell was under the mouse in this frame
  std::array<Zoom, view_count> zooms;  ///< by View; each of all the pictures in it
  MaskBrush brush;
  SetupPanelMemory setup_panel;
  InspectorMemory inspector;
  HeadsMemory heads;
  TokensMemory tokens;
  CompareMemory compare;
  ShellMemory shell;

  Zoom& zoom(View view) { return zooms[static_cast<std::size_t>(view)]; }
  const Zoom& zoom(View view) const { return zooms[static_cast<std::size_t>(view)]; }
};

}  // namespace headlight
