#include "app/shell/remember.hpp"

#include <exception>

namespace headlight {
namespace {

Settings settings_of(HeadlightApp& app) {
  const ShellMemory& memory = app.memory().shell;
  Settings settings;
  settings.appearance = lasting_appearance(app.session().display());
  settings.recent_files = memory.recent_files;
  settings.export_choices = memory.export_choices;
  settings.export_folder = memory.export_folder.string();
  settings.hint_seen = !memory.hint;
  return settings;
}

/// Runs `work` and returns what it threw, or null.
std::exception_ptr thrown_by(const std::function<void()>& work) {
  try {
    work();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

}  // namespace

void recall(HeadlightApp& app, const Settings& settings) {
  ShellMemory& memory = app.memory().shell;
  memory.recent_files = settings.recent_files;
  memory.export_choices = settings.export_choices;
  memory.export_folder = settings.export_folder;
  memory.hint = !settings.hint_seen;
}

void run_and_remember(HeadlightApp& app, const MemoryFiles& files, const std::function<void()>& run) {
  const std::exception_ptr failures[] = {thrown_by(run), thrown_by([&] { save(settings_of(app), files.settings); }),
                                         thrown_by([&] { save(remembered(app.session()), files.session); })};
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

}  // namespace headlight
