// The session's requests to the shell, for things that only the shell can do.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/model/cell.hpp"
#include "core/model/problem.hpp"

namespace headlight {

class Session;

/// What can be exported.
enum class ExportWhat : std::uint8_t {
  window,
  view,
  heatmap,
  heads,
  equation,
  tokens,
  explanation,
  sources,
  head_sources,
  curve,
  play,
  slide,
  presenter,  ///< up to here pictures, with the names that --figure takes
  numbers,
  script,
  setup,
  lecture,
  handout,
  animation,
};

/// A request that says nothing but its name: any two of a type are the same.
struct Alike {
  friend bool operator==(Alike, Alike) = default;
};

struct CopyText {
  std::string text;
  friend bool operator==(const CopyText&, const CopyText&) = default;
};
struct TakeScreenshot : Alike {};
struct OpenFile : Alike {};
/// Writes the setup to its file, or to one that the shell asks for if the setup has none or another is wanted.
struct SaveSetup {
  bool under_another_name = false;
  friend bool operator==(SaveSetup, SaveSetup) = default;
};
/// Writes the setup and the selection as the beginning of a lecture file.
struct StartLecture : Alike {};
/// Appends a step with what the window shows to the file of the open lecture.
struct AddStep : Alike {};
/// Opens the file of the open lecture in the user's editor.
struct EditLecture : Alike {};
/// Opens the export dialog with a choice of what to export.
struct OpenExport {
  std::optional<ExportWhat> what;
  friend bool operator==(const OpenExport&, const OpenExport&) = default;
};
/// Asks for the file of the open export dialog.
struct BrowseForExport : Alike {};
/// Opens the first page: what comes next, a field for a sentence, a layer to check, the lectures.
struct OpenStart : Alike {};
/// Opens the context menu of the cell that is shown.
struct OpenMenu : Alike {};
/// Opens the list of all edits.
struct OpenHistory : Alike {};
/// Opens a file that was just written, or its folder, in the desktop's own program.
struct OpenWritten {
  std::filesystem::path file;
  bool folder = false;
  friend bool operator==(const OpenWritten&, const OpenWritten&) = default;
};
/// Opens a field over a number of an input, a weight or a bias.
struct TypeNumber {
  Cell cell;
  friend bool operator==(const TypeNumber&, const TypeNumber&) = default;
};
/// Opens arrays to check: from this file, or from one that the shell asks for.
struct OpenWork {
  std::filesystem::path file;
  friend bool operator==(const OpenWork&, const OpenWork&) = default;
};
/// Takes the numbers on the clipboard: as work to check while the compare view checks work, else as values of the
/// selected tensor, or a single number as that of the cell.
struct PasteNumbers {
  std::optional<Cell> cell;
  friend bool operator==(const PasteNumbers&, const PasteNumbers&) = default;
};
/// Writes the template for a student's own code to a file that the shell asks for.
struct SaveTemplate : Alike {};
/// Copies the command that checks the same arrays.
struct CopyCheckCommand : Alike {};
/// Copies a link to what is shown.
struct CopyLink : Alike {};
/// Starts to play with a number: a key of the setup file, "seed", or a cell.
struct PlayWith {
  std::string key;
  friend bool operator==(const PlayWith&, const PlayWith&) = default;
};
/// Does something with the trained layer, which a page first has to fetch. The problems are shown.
struct WithTrainedLayer {
  std::function<std::vector<Problem>(Session& session)> act;
  /// No two are known to do the same.
  friend bool operator==(const WithTrainedLayer&, const WithTrainedLayer&) { return false; }
};
struct Quit : Alike {};
using Request =
    std::variant<CopyText, TakeScreenshot, OpenFile, SaveSetup, StartLecture, AddStep, EditLecture, OpenExport,
                 BrowseForExport, OpenStart, OpenMenu, OpenHistory, OpenWritten, TypeNumber, OpenWork, PasteNumbers,
                 SaveTemplate, CopyCheckCommand, CopyLink, PlayWith, WithTrainedLayer, Quit>;

}  // namespace headlight
