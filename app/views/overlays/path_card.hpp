// Asks for the path of a file to open or to save, and offers recent files and the entries of the folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/session/files/path_completion.hpp"
#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"

namespace headlight {

/// The purpose of the path.
enum class PathPurpose : std::uint8_t { open, save_setup, start_lecture, check, save_template, export_to };

/// A folder that a click goes to.
struct PathShortcut {
  std::string title;
  std::filesystem::path folder;
};

/// The card while it is open.
struct PathPrompt {
  PathPurpose purpose = PathPurpose::open;
  std::string text;                     ///< as typed
  std::filesystem::path home;           ///< replaces "~" in the text
  std::vector<PathShortcut> shortcuts;  ///< the person's own folders, then recent ones
  bool fresh = true;                    ///< just opened, so the caret is not at the end of the text yet
  bool proposed = false;                ///< the text ends with a proposed name that the user has not edited yet
  std::size_t row = 0;                  ///< the chosen row of the list, from 1; 0: none, so the typed text is used
  std::optional<std::string> listed;    ///< the text for which `entries` were listed
  std::vector<PathEntry> entries;
  std::string asked_to_replace;  ///< the existing path that the card has asked about; Enter again replaces it
};
struct ChosenPath {
  PathPurpose purpose = PathPurpose::open;
  std::filesystem::path path;
};

struct FilesMemory {
  std::optional<ChosenPath> chosen;  ///< in a card, for the shell to open or save
  std::vector<std::string> recent;   ///< offered in the cards, the latest first
};

/// What a card for a path says, and the files that it lists.
struct PurposeWords {
  std::string_view heading;
  std::string_view verb;
  std::vector<std::string_view> endings;
};
PurposeWords words_for(PathPurpose purpose);
/// Whether the file is to be written.
constexpr bool saves(PathPurpose purpose) { return purpose != PathPurpose::open && purpose != PathPurpose::check; }

void draw_path_card(ViewContext& context);

/// Beside the button that replaces a file: writes another one beside it instead.
bool keep_both_button(Ui& ui, const Rect& r, const std::filesystem::path& taken);

}  // namespace headlight
