// A scripted person: works the whole app offscreen, with the program's own lectures.
#pragma once

#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

#include "app/platform/surfaces/offscreen.hpp"
#include "app/session/actions/actions.hpp"
#include "app/session/lesson.hpp"
#include "app/shell/documents.hpp"
#include "app/shell/headlight_app.hpp"
#include "app/views/base/layout.hpp"

namespace headlight::testing {

/// The session with its lecture in the workbench, which most tests are about, or as a lesson.
inline Session in_mode(Session session, WindowMode mode) {
  session.edit_display([&](Display& d) { d.mode = mode; });
  return session;
}
inline Session in_lesson(Session session) { return in_mode(std::move(session), WindowMode::lesson); }
inline Session in_workbench(Session session) {
  const bool open = session.display().mode == WindowMode::automatic;
  return open ? in_mode(std::move(session), WindowMode::workbench) : std::move(session);
}

/// A session with all lectures at hand and one of them open in the workbench.
inline Session lecture_session(std::string_view id = "numpy-from-scratch", std::size_t step = 0) {
  Session session;
  Documents().load_lectures(session);
  Lesson(session).open(id, step);
  return in_workbench(std::move(session));
}

/// The same in a theme, in the window or on a slide, without measured times.
inline Session shown_lecture(std::string_view id, bool presenting, ThemeName theme = ThemeName::dark) {
  Session session = lecture_session(id);
  session.set_timed(false);
  Display display = with_presenting(session.display(), presenting);
  display.appearance.theme = theme;
  session.set_display(display);
  return session;
}

/// The session with type twice as large. A window of twice the size then has the same room: less than 700 pixels
/// across, but not the one column of a window that is narrow itself.
inline Session enlarged(Session session) {
  session.edit_display([](Display& d) { d.appearance.scale = 2; });
  return session;
}

/// The person's own folders; without them nothing is written there.
struct Folders {
  std::filesystem::path pictures;
  std::filesystem::path documents = {};
  std::filesystem::path downloads = {};
  std::filesystem::path home = {};

  Folders() = default;
  Folders(std::filesystem::path only_pictures) : pictures(std::move(only_pictures)) {}
};

/// The app on an offscreen surface. `documents` and `folders` replace the person's files and folders.
struct Scripted {
  Documents documents;
  std::string editor;  ///< the program that opens lectures; empty: there is none
  std::function<void(const std::filesystem::path&)> asked_to_open = {};  ///< told what the desktop is to open
  /// The desktop: what it prefers, whether it has a dialog for files, what that was asked, and what it answers.
  struct Desktop {
    std::optional<ThemeName> theme;
    bool has_dialog = false;
    std::vector<FileQuestion> asked;
    std::optional<FileAnswer> answer;
    std::vector<std::filesystem::path> used;
  };
  std::shared_ptr<Desktop> desktop = std::make_shared<Desktop>();
  HeadlightApp app;
  Offscreen surface;

  /// `program` is the path of the program that makes exports.
  explicit Scripted(Session session, int width = 1440, int height = 900, Folders folders = {}, std::string program = {})
      : app(in_workbench(std::move(session)), outside(std::move(folders), std::move(program))),
        surface(app, width, height) {
    surface.settle();
  }

  Session& session() { return app.session(); }
  /// The settled window without its top bar, so that a new tab or button changes no golden picture but view-input.
  Image picture_below_top_bar() { return below_top_bar(surface.settled_picture()); }
  Image below_top_bar(const Image& whole) {
    const int top = pixels_of_top_bar();
    return whole.cropped(0, top, whole.width, whole.height - top);
  }
  int pixels_of_top_bar() {
    return static_cast<int>(std::lround(top_bar_height * session().display().appearance.scale));
  }
  void press(Key key) {
    surface.key(key);
    surface.settle();
  }
  void press(const Chord& chord) {
    surface.key(chord);
    surface.settle();
  }
  void click(Point at) {
    surface.click(at);
    surface.settle();
  }
  void type(std::string_view text) {
    surface.type(text);
    surface.settle();
  }
  /// Where an item is; `path` is the end of its path of ids: "heads/3/head". Throws if it is not on the screen.
  Rect item(std::string_view path) {
    const auto found = surface.item(path);
    if (!found) throw std::runtime_error("nothing on the screen is called " + std::string(path));
    return *found;
  }
  bool has_item(std::string_view path) { return surface.item(path).has_value(); }
  void click_item(std::string_view path) { click(item(path).center()); }
  /// Clicks the choice `index` of a segmented control with `count` choices.
  void choose(std::string_view path, int index, int count) {
    const Rect r = item(path);
    click({r.x + r.w * (static_cast<float>(index) + 0.5f) / static_cast<float>(count), r.center().y});
  }
  /// Turns the wheel over an area until the item is on the screen; returns whether it is.
  bool scroll_to(std::string_view path, const Rect& area) {
    surface.move_mouse(area.center());
    surface.frames(2);
    for (int i = 0; i < 60 && !has_item(path); ++i) surface.wheel(-1);
    surface.wheel(-2);  // so that the item is not at the very edge
    surface.settle();
    return has_item(path);
  }
  /// Replaces the text of the field that has the keyboard.
  void retype(std::string_view text) {
    press({.key = Key::a, .ctrl = true});
    type(text);
  }
  void run(std::string_view action) {
    headlight::run(*action_named(action), session());
    surface.settle();
  }

 private:
  Outside outside(Folders folders, std::string program) {
    Outside outside;
    outside.program = std::move(program);
    outside.pictures = std::move(folders.pictures);
    outside.documents = std::move(folders.documents);
    outside.downloads = std::move(folders.downloads);
    outside.home = std::move(folders.home);
    outside.open = [this](Session& session, const std::filesystem::path& file) { documents.open(session, file); };
    outside.check = [this](Session& session, const std::filesystem::path& file) { documents.check(session, file); };
    outside.setup_file = [this](const Session& session) { return documents.setup_file(session); };
    outside.lecture_file = [this](const Session& session) { return documents.lecture_file(session); };
    outside.save_setup = [this](const Session& session, const std::filesystem::path& file) {
      documents.save_setup(session, file);
    };
    outside.start_lecture = [this](Session& session, const std::filesystem::path& file) {
      documents.start_lecture(session, file);
    };
    outside.add_step = [this](Session& session, const std::filesystem::path& file) {
      documents.add_step(session, file);
    };
    outside.editor = [this](const std::filesystem::path& file) {
      return editor.empty() ? std::vector<std::string>{} : std::vector<std::string>{editor, file.string()};
    };
    outside.opener = [this](const std::filesystem::path& file) {
      if (asked_to_open) asked_to_open(file);
      return asked_to_open ? std::vector<std::string>{"true"} : std::vector<std::string>{};
    };
    outside.desktop_theme = [this] { return desktop->theme; };
    outside.ask_desktop = [this](const FileQuestion& question) {
      if (desktop->has_dialog) desktop->asked.push_back(question);
      return desktop->has_dialog;
    };
    outside.desktop_answer = [this] { return std::exchange(desktop->answer, std::nullopt); };
    outside.file_used = [this](const std::filesystem::path& file) { desktop->used.push_back(file); };
    outside.reload = [this](Session& session) { return documents.reload(session); };
    outside.now = [] { return std::time_t{1'000'000'000}; };
    return outside;
  }
};

/// A folder of the test's own, removed at its end.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(std::string_view name)
      : path_(std::filesystem::temp_directory_path() /
              ("headlight-test-" + std::string(name) + "-" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace headlight::testing
