// The app on a surface: a session, what views remember, and how keys, files and requests reach them.
#pragma once

#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "app/platform/app.hpp"
#include "app/session/session.hpp"
#include "app/views/view_context.hpp"
#include "app/views/view_memory.hpp"

namespace headlight {

/// What the app needs from the world outside. Tests put their own in; what is left empty is answered with a notice.
struct Outside {
  std::function<void(const std::string& text)> copy;
  /// Keeps a picture of the surface and says where.
  std::function<std::string(const Image& picture)> keep_picture;
  /// Opens a file that was dropped or chosen. Throws InputError.
  std::function<void(Session& session, const std::filesystem::path& file)> open;
  /// Looks whether files that are shown changed on disk, and takes the new versions; true where something changed.
  /// Throws InputError where a new version is broken.
  std::function<bool(Session& session)> reload;
  double reload_interval = std::numeric_limits<double>::infinity();  ///< seconds between two looks
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
  double watch_interval() const override { return outside_.reload_interval; }
  bool changed_outside() override;

 private:
  void play(Ui& ui);
  void press_keys(ViewContext& context);
  void open_dropped(const Ui& ui);
  void open_file(const std::filesystem::path& file);
  void answer(FrameContext& frame);
  void answer_request(FrameContext& frame, const Request& request);
  void show_problems(std::string title, std::vector<Problem> problems);

  Session session_;
  Outside outside_;
  ViewMemory memory_;
  double played_at_ = 0;  ///< the time up to which playing has been counted
};

}  // namespace headlight
