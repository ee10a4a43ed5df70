#include "app/shell/remember.hpp"

#include <exception>
#include <memory>
#include <optional>

#include "app/session/lesson.hpp"
#include "app/views/base/last_export.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/overlays/overlays.hpp"
#include "app/views/overlays/path_card.hpp"

namespace headlight {
namespace {

Settings settings_of(const HeadlightApp& app) {
  const ViewMemory& memory = app.memory();
  const auto& last = memory.get<LastExport>();
  Settings settings;
  settings.appearance = lasting_appearance(app.session().display());
  settings.recent_files = memory.get<FilesMemory>().recent;
  settings.export_choices = last.choices;
  settings.export_folder = last.folders.pictures.string();
  settings.export_data_folder = last.folders.data.string();
  settings.marks = *app.session().state().marks;
  settings.hint_seen = !memory.get<OverlaysMemory>().hint;
  return settings;
}

/// Keeps the app after each frame in which something has changed.
class FrameKeeper {
 public:
  explicit FrameKeeper(Keeper& keeper) : keeper_(keeper) {}

  void after_frame(HeadlightApp& app) {
    if (const std::string problem = keeper_.take_problem(); !problem.empty())
      app.session().notify("Your changes can't be saved: " + problem);
    // At a start the place is restored step by step. Until that is done, the file knows more than the session.
    restored_ = restored_ || !app.session().state().computing;
    if (!restored_) return;
    const Settings settings = settings_of(app);
    if (seen_ == app.session().revision() && settings == kept_.settings) return;
    seen_ = app.session().revision();
    const KeptState now = kept_of(app);
    if (now == kept_) return;
    kept_ = now;
    keeper_.keep(kept_);
  }

 private:
  Keeper& keeper_;
  KeptState kept_;
  std::optional<std::uint64_t> seen_;
  bool restored_ = false;
};

}  // namespace

void recall(HeadlightApp& app, const Settings& settings) {
  ViewMemory& memory = app.memory();
  memory.get<FilesMemory>().recent = settings.recent_files;
  memory.get<LastExport>() = {settings.export_choices, {settings.export_folder, settings.export_data_folder}};
  memory.get<OverlaysMemory>().hint = !settings.hint_seen;
  Lesson(app.session()).add_marks(settings.marks);
}

KeptState kept_of(const HeadlightApp& app) {
  KeptState kept{settings_of(app), kept_snapshot(app.session())};
  try {
    const OpenFiles files = app.open_files();
    kept.snapshot.setup_file = files.setup.string();
    kept.snapshot.lecture_file = files.lecture.string();
  } catch (const std::exception&) {
    // The folder of lectures is gone. Everything else is still kept.
  }
  return kept;
}

void run_and_remember(HeadlightApp& app, Keeper& keeper, const std::function<WindowState()>& run) {
  app.after_each_frame([&app, frames = std::make_shared<FrameKeeper>(keeper)] { frames->after_frame(app); });
  std::exception_ptr failure;
  try {
    if (run() == WindowState::open) return;
  } catch (...) {
    failure = std::current_exception();
  }
  app.after_each_frame({});
  KeptState last = kept_of(app);
  last.snapshot.display = with_projector(last.snapshot.display, false);
  try {
    keeper.finish(last);
  } catch (...) {
    if (!failure) failure = std::current_exception();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace headlight
