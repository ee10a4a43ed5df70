// What the export dialog asks for, done by the program itself: started once more, beside the window, with the command
// that the dialog shows. The window never waits, a cancelled export is an ended program, and whatever the dialog can do
// the command line can do.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/platform/child_process.hpp"
#include "app/platform/surfaces/texture.hpp"
#include "app/session/session.hpp"
#include "app/ui/ui.hpp"
#include "app/views/overlays/export_dialog.hpp"

namespace headlight {

/// A file of ours that nobody needs afterwards. Nothing waits until the disk has it.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view ending);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::filesystem::path& path() const { return path_; }
  /// Replaces what it holds. Throws InputError where the disk is full.
  void write(std::span<const unsigned char> bytes) const;

 private:
  std::filesystem::path path_;
};

class ExportRunner {
 public:
  /// `program` is what is started.
  explicit ExportRunner(std::string program);

  /// The dialog as it begins: its part and its file's name are those of the session.
  ExportDialog dialog_for(const Session& session, ExportChoices choices, const std::filesystem::path& folder) const;

  /// At the beginning of each frame while the dialog is open: fulfils its wish, and shows it previews and progress.
  /// Gives the path of the file when one was written.
  std::optional<std::filesystem::path> update(ExportDialog& dialog, const Session& session, const NamedSources& sources,
                                              Ui& ui, std::unique_ptr<Texture>& texture);

 private:
  /// A started command. The session is handed over in a picture's notes, which hold all of it.
  struct Run {
    TemporaryFile place{".png"};
    std::filesystem::path output;
    std::unique_ptr<ChildProcess> child;
    std::string said;
  };
  struct Preview {
    Run run;
    TemporaryFile file;
    explicit Preview(std::string_view ending) : file(ending) {}
  };
  using Arguments = std::vector<std::string>;
  using Command = std::function<Arguments(const Arguments& what)>;

  void start(Run& run, const Session& session, const NamedSources& sources, const Command& command) const;
  /// Whether the preview that is there, all of it, is of what the dialog says now.
  bool is_up_to_date() const;
  void copy_preview(ExportDialog& dialog, Ui& ui) const;
  void update_preview(ExportDialog& dialog, const Session& session, const NamedSources& sources, Ui& ui,
                      std::unique_ptr<Texture>& texture);
  void start_preview(ExportDialog& dialog, const Session& session, const NamedSources& sources);
  void show_preview(ExportDialog& dialog, std::unique_ptr<Texture>& texture);
  std::optional<std::filesystem::path> update_run(ExportDialog& dialog, Ui& ui);

  std::string program_;
  std::unique_ptr<Run> run_;
  std::unique_ptr<Preview> preview_;
  std::string previewed_;  ///< what the preview is of
  std::string wanted_;     ///< what it should be of, and since when
  double wanted_since_ = 0;
};

}  // namespace headlight
