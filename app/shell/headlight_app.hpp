// The app on a surface: a session, what views remember, and how keys, files and requests reach them.
#pragma once

#include <ctime>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "app/platform/app.hpp"
#include "app/session/session.hpp"
#include "app/shell/documents.hpp"
#include "app/shell/export_runner.hpp"
#include "app/views/frame/view_context.hpp"
#include "app/views/frame/view_memory.hpp"

namespace headlight {

/// What the app needs from the world outside. Tests put their own in; what is left empty does nothing.
struct Outside {
  std::filesystem::path pictures;        ///< folder of screenshots, and of exports until another one is chosen
  std::string program = this_program();  ///< what exports are made with
  /// Opens a file that was dropped or chosen. Throws InputError.
  std::function<void(Session& session, const std::filesystem::path& file)> open;
  /// The setup file of the session, which SaveSetup writes again; nothing where it has none.
  std::function<std::optional<Documents::SetupFile>(const Session& session)> setup_file;
  /// The file of the open lecture, where it is no built-in one.
  std::function<std::optional<std::filesystem::path>(const Session& session)> lecture_file;
  /// Both throw InputError.
  std::function<void(const Session& session, const std::filesystem::path& file)> save_setup;
  std::function<void(Session& session, const std::filesystem::path& file)> start_lecture;
  std::filesystem::path home;  ///< what "~" stands for in a typed path
  /// Looks whether files that are shown changed on disk, and takes the new versions; true where something changed.
  /// Throws InputError where a new version is broken.
  std::function<bool(Session& session)> reload;
  std::function<double()> reload_interval;  ///< seconds between two looks; infinity for none
  std::function<std::time_t()> now;         ///< for the names of files
};

class HeadlightApp : public App {
 public:
  explicit HeadlightApp(Session session, Outside outside = {});

  Session& session() { return session_; }
  const Session& session() const { return session_; }
  ViewMemory& memory() { return memory_; }

  SurfaceLook look() const override;
  std::string title() const override;
  void frame(FrameContext& frame) override;
  double watch_interval() const override;
  bool changed_outside() override;
  void set_wake(std::function<void()> wake) override { session_.set_wake(std::move(wake)); }

  /// Shows them in a card until it is closed; nothing where there are none.
  void show_problems(std::string title, std::vector<Problem> problems);

 private:
  bool reload();
  void play(Ui& ui);
  void press_keys(ViewContext& context);
  void open_files(const Ui& ui);
  void open_file(const std::filesystem::path& file);
  void ask_for_path(PathPurpose purpose);
  void save(bool under_another_name);
  void act_on(const ChosenPath& chosen);
  void write_to(const std::filesystem::path& file, const std::function<void()>& write);
  void remember_file(const std::filesystem::path& file);
  void answer(FrameContext& frame);
  void answer_request(FrameContext& frame, const Request& request);
  void take_picture(FrameContext& frame);
  void open_export(const std::optional<ExportWhat>& what);
  NamedSources named_sources() const;
  ScreenPlace screen_place(const Ui& ui) const;
  void run_export(FrameContext& frame);

  Session session_;
  Outside outside_;
  ViewMemory memory_;
  ExportRunner exports_;
  bool closing_ = false;
  double played_at_ = 0;  ///< the time up to which playing has been counted
};

}  // namespace headlight
