// The app: a session, what the views remember, and how keys, files and requests reach them.
#pragma once

#include <ctime>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/platform/desktop_portal.hpp"
#include "app/platform/surfaces/app.hpp"
#include "app/presenter/presenter_app.hpp"
#include "app/session/export/export_choices.hpp"
#include "app/session/session.hpp"
#include "app/session/snapshot/shared_link.hpp"
#include "app/shell/documents.hpp"
#include "app/shell/export_runner.hpp"
#include "app/views/aloud/aloud.hpp"
#include "app/views/base/view_context.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/overlays/path_card.hpp"
#include "app/views/overlays/problems_card.hpp"

namespace headlight {

/// What the app needs from outside: files, clock, folders. Tests replace them; functions left empty do nothing.
struct Outside {
  std::filesystem::path pictures;        ///< folder for screenshots, and for exported pictures until another is chosen
  std::filesystem::path documents;       ///< folder for exported numbers and programs until another is chosen
  std::filesystem::path downloads;       ///< offered where a file is asked for
  std::string program = this_program();  ///< the executable that makes exports
  /// Opens a file that was dropped or chosen. Throws InputError.
  std::function<void(Session& session, const std::filesystem::path& file)> open;
  /// Hands over the arrays of a file to be checked; problems with it become part of the session's work.
  std::function<void(Session& session, const std::filesystem::path& file)> check;
  /// The session's setup file, to which saving writes; nullopt if it has none.
  std::function<std::optional<Documents::SetupFile>(const Session& session)> setup_file;
  /// The file of the open lecture; nullopt for a built-in lecture.
  std::function<std::optional<std::filesystem::path>(const Session& session)> lecture_file;
  /// Write the setup, or the beginning of a lecture, to `file`. Both throw InputError.
  std::function<void(const Session& session, const std::filesystem::path& file)> save_setup;
  std::function<void(Session& session, const std::filesystem::path& file)> start_lecture;
  /// Appends a step that shows what the session shows to the file of the open lecture. Throws InputError.
  std::function<void(Session& session, const std::filesystem::path& file)> add_step;
  /// The command that opens a file in the person's own editor; empty if there is none.
  std::function<std::vector<std::string>(const std::filesystem::path& file)> editor;
  /// The command that opens a written file, or a folder, as the desktop does; empty if there is none.
  std::function<std::vector<std::string>(const std::filesystem::path& file)> opener;
  std::string page = std::string(page_in_links);  ///< the address that links begin with
  std::filesystem::path home;                     ///< replaces "~" in a typed path
  /// Reloads opened files that changed on disk; returns whether any did. Throws InputError if a new version is broken.
  std::function<bool(Session& session)> reload;
  std::function<double()> reload_interval;  ///< seconds between two calls of reload; infinity for never
  std::function<std::time_t()> now;         ///< for the names of screenshots
  /// Dark or light, as the desktop prefers it now; nullopt where it does not say.
  std::function<std::optional<ThemeName>()> desktop_theme;
  std::function<bool()> less_motion;  ///< whether the desktop prefers that little moves
  /// Shows the desktop's own dialog for files; false where it has none. desktop_answer gives its answer, once.
  std::function<bool(const FileQuestion& question)> ask_desktop;
  std::function<std::optional<FileAnswer>()> desktop_answer;
  /// Tells the desktop that a file was opened or written here.
  std::function<void(const std::filesystem::path& file)> file_used;
  /// Takes a function to call when one of the desktop's answers has changed.
  std::function<void(std::function<void()> wake)> wake_from_desktop;
};

class HeadlightApp : public App {
 public:
  explicit HeadlightApp(Session session, Outside outside = {});

  Session& session() { return session_; }
  const Session& session() const { return session_; }
  ViewMemory& memory() { return memory_; }
  const ViewMemory& memory() const { return memory_; }
  /// Throws InputError where the folder of lectures is gone.
  NamedSources named_sources() const;

  SurfaceLook look() const override;
  std::string title() const override;
  void frame(FrameContext& frame) override;
  double watch_interval() const override;
  bool changed_outside() override;
  App* second() override;
  std::optional<std::string> new_words() override;
  void set_wake(std::function<void()> wake) override;

  bool uses_key(const Chord& chord) const override;
  KeyEffect effect_of(const Chord& chord) const override;
  bool leave_by_tab(bool forward) override;
  WheelUse wheel_use() const override { return wheel_use_; }
  DragUse drag_use() const override { return drag_use_; }
  WaysBack ways_back() const override;
  void step_back() override;

  /// Whether its window is maximised, as the last frame told or as it is remembered.
  bool is_maximised() const { return maximised_; }
  void set_maximised(bool maximised) { maximised_ = maximised; }

  /// `act` is called at the end of each frame, with everything that the frame has changed. Empty: nothing is called.
  void after_each_frame(std::function<void()> act) { after_frame_ = std::move(act); }

  /// Opens a file as if it were chosen in the window. What is wrong with it shows in a card.
  void open(const std::filesystem::path& file);

  /// Shows the problems in a card until it is closed; nothing if there are none.
  void show_problems(std::string title, std::vector<Problem> problems);

 private:
  bool reload();
  /// Does what has waited for the trained layer, if that has arrived or can't; returns whether it did.
  bool act_with_trained_layer();
  /// Closes the card with problems, when the person does something else. Nothing that it lists was applied.
  void end_message();
  void dismiss_problems(const Ui& ui);
  void play(Ui& ui);
  void present_on(const Surroundings& around);
  void press_keys(ViewContext& context);
  void open_chosen_files(const Ui& ui);
  void check_file(const std::filesystem::path& file);
  void take_dropped(const std::filesystem::path& file);
  void take_layer(const std::filesystem::path& file);
  bool opens_captured(const std::filesystem::path& file);
  void paste(const std::optional<Cell>& cell, const std::string& text);
  void paste_number(const Cell& cell, double number);
  void paste_work(const std::string& text);
  void paste_values(const std::string& text);
  bool give_values(const std::filesystem::path& file);
  bool show_layers(const std::filesystem::path& file, bool at_once = false);
  void take_values(OfferedEdit edit, const std::string& title, const std::string& source);
  void ask_for_path(PathPurpose purpose);
  bool follow_desktop();
  void scale_by_wheel(Ui& ui);
  std::filesystem::path last_folder(PathPurpose purpose) const;
  std::vector<PathShortcut> shortcuts() const;
  /// The folders where exports begin: the last ones, else the person's own.
  ExportFolders export_folders() const;
  void save(bool under_another_name);
  /// Does something with the file of the open lecture; says so where the lecture has none.
  void with_lecture_file(const std::function<void(const std::filesystem::path& file)>& act);
  void add_step();
  void edit_lecture();
  void open_written(const OpenWritten& wanted);
  void act_on(const ChosenPath& chosen);
  void write_to(const std::filesystem::path& file, const std::function<void()>& write);
  bool opens_only_here() const;
  void copy_link();
  void remember_file(const std::filesystem::path& file);
  void answer(FrameContext& frame, ViewContext& context);
  void answer_request(FrameContext& frame, ViewContext& context, const Request& request);
  std::string check_in_words();
  std::string writing_in_words();
  void wait_for_trained_layer(const WithTrainedLayer& wanted);
  void take_picture(FrameContext& frame);
  void open_export(const std::optional<ExportWhat>& what);
  void copy_check_command();
  static WindowSize window_size(const Ui& ui);
  void run_export(FrameContext& frame);

  Session session_;
  Outside outside_;
  ViewMemory memory_;
  ExportRunner exports_;
  PresenterApp presenter_;
  bool presented_;           ///< in the last frame
  std::uint64_t shown_ = 0;  ///< the session's revision in the last frame
  struct Worded {
    std::uint64_t revision = 0;  ///< of the session
    bool starts = false;         ///< the first page is open
    Spoken spoken;
    friend bool operator==(const Worded&, const Worded&) = default;
  };
  std::optional<Worded> worded_;  ///< what new_words() was about
  std::function<void()> after_frame_;
  std::optional<PathPrompt> asked_;  ///< the question that the desktop's dialog got instead of ours
  bool closing_ = false;
  bool maximised_ = false;
  /// What waits for the trained layer, and where the history was then.
  struct Awaited {
    WithTrainedLayer wanted;
    std::size_t history_position;
  };
  std::optional<Awaited> awaited_;
  WheelUse wheel_use_;
  TabEnds tab_ends_;
  bool releases_focus_ = false;  ///< in the next frame
  DragUse drag_use_ = DragUse::none;
  int covers_ = 0;        ///< that the last frame drew
  std::string said_;      ///< what the keyboard is on
  double played_at_ = 0;  ///< the time until which session_.advance was told; 0 while not playing
};

}  // namespace headlight
