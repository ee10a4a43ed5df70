#include "app/shell/open_window.hpp"

#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "app/platform/background_thread.hpp"
#include "app/platform/desktop_portal.hpp"
#include "app/platform/recently_used.hpp"
#include "app/platform/surfaces/window.hpp"
#include "app/session/lesson.hpp"
#include "app/session/model/open_layer.hpp"
#include "app/session/settings/settings.hpp"
#include "app/session/snapshot/snapshot.hpp"
#include "app/shell/documents.hpp"
#include "app/shell/editor.hpp"
#include "app/shell/headlight_app.hpp"
#include "app/shell/keeper.hpp"
#include "app/shell/session_files.hpp"
#include "app/shell/user_folders.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/window/start_page.hpp"
#include "core/formats/files.hpp"

namespace headlight {
namespace {

constexpr double reload_interval = 0.4;
/// Seconds that opening waits for the first numbers. After that the window opens and shows them later.
constexpr double longest_start = 0.3;

const char* from_environment(const char* name) { return std::getenv(name); }

bool names_something(const WindowRequest& request) {
  return request.setup_file || request.model || !request.lecture.empty() || !request.file.empty();
}

/// Opens a file, or follows a link. One that leads to no place shows the first lecture, or the model, as it says.
void open_named(Session& session, Documents& documents, const std::filesystem::path& file, bool has_model) {
  const std::uint64_t before = session.start();
  documents.open(session, file);
  if (has_model || session.start() != before) return;
  require_done(Lesson(session).open(session.lectures().front()->id));
  documents.open(session, file);
}

/// Opens what the command line names; else returns to where the person left; else opens the first lecture.
void begin(Session& session, Documents& documents, const WindowRequest& request, const Snapshot& memory) {
  if (request.model) require_done(open_layers(session, open_model(from_root(*request.model), std::nullopt)));
  if (request.setup_file) open_named(session, documents, *request.setup_file, request.model.has_value());
  else if (!request.lecture.empty()) {
    documents.require_whole(session, request.lecture);
    require_done(Lesson(session).open(request.lecture, request.step));
  } else if (!request.model && memory == Snapshot{}) Lesson(session).open(session.lectures().front()->id);
  else if (!request.model) documents.resume(session, memory);
  if (!request.mine.empty())
    session.when_shown([&documents, mine = from_root(request.mine)](Session& shown) {
      documents.check(shown, mine);
      shown.show(View::compare);
    });
  if (request.present) {
    Display display = with_presenting(session.display(), true);
    display.presentation.presenter = request.presenter;
    session.set_display(display);
  }
  session.when_shown([](Session& shown) { shown.forget_history(); });  // so that nothing before the start can be undone
}

Outside outside_of(Documents& documents, DesktopPortal& desktop) {
  Outside outside;
  outside.pictures = pictures_folder(from_environment);
  outside.documents = documents_folder(from_environment);
  outside.downloads = downloads_folder(from_environment);
  outside.open = [&](Session& session, const std::filesystem::path& file) { documents.open(session, file); };
  outside.check = [&](Session& session, const std::filesystem::path& file) { documents.check(session, file); };
  outside.setup_file = [&](const Session& session) { return documents.setup_file(session); };
  outside.lecture_file = [&](const Session& session) { return documents.lecture_file(session); };
  outside.save_setup = [&](const Session& session, const std::filesystem::path& file) {
    documents.save_setup(session, file);
  };
  outside.start_lecture = [&](Session& session, const std::filesystem::path& file) {
    documents.start_lecture(session, file);
  };
  outside.add_step = [&](Session& session, const std::filesystem::path& file) { documents.add_step(session, file); };
  outside.editor = [](const std::filesystem::path& file) { return editor_command(from_environment, from_root(file)); };
  outside.opener = [](const std::filesystem::path& file) { return opener_command(from_environment, file); };
  if (const char* home = from_environment("HOME")) outside.home = home;
  outside.reload = [&](Session& session) { return documents.reload(session); };
  outside.reload_interval = [&] {
    return documents.watches() ? reload_interval : std::numeric_limits<double>::infinity();
  };
  outside.now = [] { return std::time(nullptr); };
  outside.desktop_theme = [&] { return desktop.theme(); };
  outside.less_motion = [&] { return desktop.less_motion(); };
  outside.ask_desktop = [&](const FileQuestion& question) { return desktop.ask(question); };
  outside.desktop_answer = [&] { return desktop.take_answer(); };
  outside.file_used = [](const std::filesystem::path& file) {
    add_to_recently_used(data_folder(from_environment), file, std::time(nullptr));
  };
  outside.wake_from_desktop = [&](std::function<void()> wake) { desktop.set_wake(std::move(wake)); };
  if (const char* page = from_environment("HEADLIGHT_PAGE")) outside.page = page;
  return outside;
}

/// Everything that lives as long as the window.
struct Opened {
  explicit Opened(const WindowRequest& request) : documents(request.lectures) {}

  SessionFile session_file;
  Documents documents;
  DesktopPortal desktop;
  std::optional<HeadlightApp> app;
  std::optional<Keeper> keeper;
};

}  // namespace

void open_window(const WindowRequest& request) {
  MemoryFiles files = memory_files(from_environment);
  const auto opened = std::make_shared<Opened>(request);
  opened->session_file = take_session_file(files.session, names_something(request) ? Start::afresh : Start::go_on);
  files.session = opened->session_file.file;
  const auto [settings, settings_message] = load_settings(files.settings);
  const auto [memory, memory_message] = load_session(files.session);

  Documents& documents = opened->documents;
  Session session(Setup{}, request.memory_limit, request.threads);
  constexpr double longest_in_frame = 0.004;
  session.compute_in_background(longest_in_frame, slice_seconds());
  std::vector<Problem> problems = documents.load_lectures(session);
  session.edit_display([&](Display& d) { d.appearance = settings.appearance; });
  begin(session, documents, request, memory);
  for (const std::string& message : {memory_message, settings_message})
    if (!message.empty()) session.notify(message);

  session.begin_blank();
  session.wait(longest_start);
  HeadlightApp& app = opened->app.emplace(std::move(session), outside_of(documents, opened->desktop));
  if (!problems.empty()) app.show_problems("Some lectures cannot be read", std::move(problems));
  recall(app, settings);
  const bool first_start = !names_something(request) && memory == Snapshot{} && memory_message.empty();
  if (!request.file.empty()) app.open(request.file);
  if (first_start) app.memory().opened<StartPage>() = StartPage{.first = true};
  // Logs each drawn frame to the file named by HEADLIGHT_FRAME_LOG. The test of the idle window uses it.
  std::ofstream frames, presenter_frames;
  if (const char* log = from_environment("HEADLIGHT_FRAME_LOG")) {
    frames.open(log);
    presenter_frames.open(std::string(log) + ".presenter");
  }
  WindowOptions options;
  if (frames.is_open()) options.frames = &frames;
  if (presenter_frames.is_open()) options.second_frames = &presenter_frames;
  options.maximised = settings.maximised;
  Keeper& keeper = opened->keeper.emplace(files, settings, request.threads);
  run_and_remember(app, keeper, [&] { return run_window({opened, &app}, options); });
}

}  // namespace headlight
