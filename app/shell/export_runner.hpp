// Runs the exports and previews of the export dialog. Each is a child process: this program, started as
// `headlight run-export`, with the job in a file. So the window never waits, and neither a crash nor full memory nor
// Cancel touches it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/platform/child_process.hpp"
#include "app/platform/surfaces/texture.hpp"
#include "app/session/session.hpp"
#include "app/ui/ui.hpp"
#include "app/views/overlays/export_dialog.hpp"

namespace headlight {

/// A file in the folder for temporary files, removed when this is destroyed. Writing does not wait for the disk.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view ending);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::filesystem::path& path() const { return path_; }
  /// Replaces the content of the file. Throws InputError if it cannot be written, such as when the disk is full.
  void write(std::string_view text) const;

 private:
  std::filesystem::path path_;
};

class ExportRunner {
 public:
  /// `program` is the executable to start for each export.
  explicit ExportRunner(std::string program);

  /// A new dialog. The part to export and the file's name come from the session.
  ExportDialog dialog_for(const Session& session, ExportChoices choices, const ExportFolders& folders) const;

  /// To be called at the beginning of each frame while the dialog is open. Does what dialog.wish asks for, and puts
  /// previews and progress into the dialog. Returns the path of the file in the frame in which an export is finished.
  std::optional<std::filesystem::path> update(ExportDialog& dialog, const Session& session, const NamedSources& sources,
                                              Ui& ui, std::unique_ptr<Texture>& texture);
  /// To be called in each frame: ends programs that nobody waits for any more.
  void tick(Ui& ui);
  /// Ends what runs, as the dialog is closed.
  void close();

 private:
  /// A started export.
  struct Run {
    TemporaryFile job{".toml"};
    std::filesystem::path output;
    std::unique_ptr<ChildProcess> child;
    std::string said;
  };
  struct Preview {
    Run run;
    TemporaryFile file;
    explicit Preview(std::string_view ending) : file(ending) {}
  };
  /// What a preview is made for.
  struct Previewed {
    std::uint64_t revision = 0;  ///< of the session
    ExportChoices choices;
    std::string part;
    WindowSize window;
    ZoomRanges zoom;

    friend bool operator==(const Previewed&, const Previewed&) = default;
  };

  void start(Run& run, const ExportJob& job, const std::filesystem::path& lectures,
             const std::filesystem::path& output) const;
  void end(Run& run);
  void end_preview();
  /// Whether the preview is complete and made for the dialog's current choices.
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
  std::vector<std::unique_ptr<ChildProcess>> ending_;  ///< asked to end, and still running
  std::optional<Previewed> previewed_;                 ///< what the preview was made for
  std::optional<Previewed> wanted_;                    ///< what it should be made for, and since when
  double wanted_since_ = 0;
};

}  // namespace headlight
