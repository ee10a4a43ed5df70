#include "app/commands/animate.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "app/commands/exit_code.hpp"
#include "app/commands/progress_line.hpp"
#include "app/commands/render.hpp"
#include "app/commands/sweep.hpp"
#include "app/figures/draw_figure.hpp"
#include "app/platform/animation/gif.hpp"
#include "app/platform/pictures/png.hpp"
#include "app/session/export/export_forms.hpp"
#include "app/session/lesson.hpp"
#include "app/session/selecting.hpp"
#include "app/shell/documents.hpp"
#include "core/formats/files.hpp"

namespace headlight {
namespace {

/// A finished frame, kept as PNG while the others are drawn: a tenth of the size of its pixels, or less.
using StoredPicture = std::vector<unsigned char>;

void require_fitting(const ExportOptions& options, const ExportChoices& choices) {
  const std::string name = options.output ? options.output->string() : "none";
  const ExportForm* const form = form_ending(FormKind::animation, name);
  if (form == nullptr)
    throw InputError({"-o", "", name, "a file name that ends in " + endings_of(FormKind::animation)});
  if (choices.transparent && form->opaque)
    throw InputError({"--transparent", "", fmt::format("it with {}", form->title),
                      "one of the two: the animation has no transparent pixels"});
  if (!options.form.empty()) throw InputError({"--as", "", options.form + " beside --frames", "one of the two"});
}

/// Only these show how a number comes about.
void require_moving(ExportWhat figure) {
  if (figure == ExportWhat::window || figure == ExportWhat::view || figure == ExportWhat::equation) return;
  throw InputError({"--frames", "", fmt::format("motion of --figure {}", to_string(figure)),
                    "motion of --figure equation, view or window"});
}

/// A frame of a sweep: a function that changes the session to what the frame shows, and how much of it has happened.
struct SweepFrame {
  std::function<void(Session&)> show;
  double built = 1;
};
using Frames = std::vector<SweepFrame>;

Frames step_frames(const Session& session, const ShowAgain& show_again) {
  if (session.lesson().lecture() == nullptr)
    throw InputError({"--frames", "", "steps without a lecture", "steps of a --lecture, or another sweep"});
  Frames frames;
  for (std::size_t step = 0; step < session.lesson().step_count(); ++step) {
    frames.push_back({[show_again, step](Session& at) {
      Lesson(at).go_to(step);
      show_again(at);
    }});
  }
  return frames;
}

Frames head_frames(const Session& session) {
  Frames frames;
  for (Index head = 0; head < session.setup().sizes.heads; ++head)
    frames.push_back({[head](Session& at) { Selecting(at).select_head(head); }});
  return frames;
}

Frames value_frames(const Sweep& sweep, const Session& session) {
  Frames frames;
  // Makes every setup now, so that a value that does not fit is reported before the first picture is drawn.
  for (const std::string& value : sweep.values)
    frames.push_back(
        {[setup = with_value(session.setup(), sweep, value)](Session& at) { require_done(at.edit(setup)); }});
  return frames;
}

Frames motion_frames(const Sweep& sweep) {
  Frames frames;
  for (std::size_t i = 0; i < sweep.frames; ++i)
    frames.push_back({[](Session&) {}, static_cast<double>(i) / static_cast<double>(sweep.frames - 1)});
  return frames;
}

Frames frames_of(const Sweep& sweep, const Session& session, const ShowAgain& show_again) {
  switch (sweep.kind) {
    case Sweep::Kind::steps: return step_frames(session, show_again);
    case Sweep::Kind::heads: return head_frames(session);
    case Sweep::Kind::values: return value_frames(sweep, session);
    case Sweep::Kind::motion: return motion_frames(sweep);
  }
  return {};
}

/// Centres a picture on a larger canvas, which is filled with the colour of the picture's upper left pixel.
Image on_canvas(const Image& picture, int width, int height) {
  if (picture.width == width && picture.height == height) return picture;
  Image canvas(width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) canvas.set(x, y, picture.at(0, 0));
  const int left = (width - picture.width) / 2;
  const int top = (height - picture.height) / 2;
  for (int y = 0; y < picture.height; ++y)
    for (int x = 0; x < picture.width; ++x) canvas.set(left + x, top + y, picture.at(x, y));
  return canvas;
}

/// Collects the frames, which may differ in size. The animation has the largest width and height.
class Reel {
 public:
  void add(const Image& picture) {
    width_ = std::max(width_, picture.width);
    height_ = std::max(height_, picture.height);
    stored_.push_back(encode_png(picture));
  }
  Animation animation(double seconds) const {
    return {stored_.size(),
            [this](std::size_t i) { return on_canvas(decode_png(stored_[i], "a frame"), width_, height_); }, seconds};
  }

 private:
  std::vector<StoredPicture> stored_;
  int width_ = 0;
  int height_ = 0;
};

}  // namespace

void write_animation(const std::filesystem::path& output, Session& session, const ExportJob& job,
                     const ShowAgain& show_again, const Report& report) {
  const Sweep sweep = parse_sweep(job.choices.frames);
  Figure figure = figure_of(job);
  if (sweep.kind == Sweep::Kind::motion) require_moving(job.choices.figure());
  const Frames frames = frames_of(sweep, session, show_again);
  Reel reel;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    frames[i].show(session);
    figure.built = frames[i].built;
    reel.add(draw_pixels(session, figure));
    report(static_cast<double>(i + 1) / static_cast<double>(frames.size()));
  }
  write_gif(output, reel.animation(job.choices.seconds));
}

int animate(const What& what, const ExportOptions& options) {
  RenderOptions picture = options.picture;
  picture.tensor = options.tensor;
  const ExportChoices choices = with_typed(choices_of(picture, true), options.choices);
  require_fitting(options, choices);
  const Sweep sweep = parse_sweep(choices.frames);
  if (sweep.kind == Sweep::Kind::motion) require_moving(choices.figure());
  std::ignore = replaced_file(*options.output);
  ProgressLine progress(options.progress);
  Session session = session_of(what, picture, choices, progress.part("computing", 0, 0.1));
  const auto show_again = [&](Session& at) {
    What this_step = what;
    this_step.step = at.lesson().at.index + 1;
    this_step.part.clear();
    if (!what.overrides.empty()) require_done(at.edit(setup_of(this_step)));
    show_place(at, picture);
  };
  draw_job(*options.output, session, job_of(session, picture, choices), show_again, progress.part("drawing", 0.1, 0.9));
  return done;
}

}  // namespace headlight
