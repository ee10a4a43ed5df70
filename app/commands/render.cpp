#include "app/commands/commands.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "app/figures/draw_figure.hpp"
#include "app/platform/animation/gif.hpp"
#include "app/platform/pictures/png.hpp"
#include "app/session/export/export_forms.hpp"
#include "app/session/lesson.hpp"
#include "app/session/selecting.hpp"
#include "app/shell/documents.hpp"
#include "core/formats/files.hpp"
#include "core/formats/setup/setup_overrides.hpp"
#include "core/setup/keys.hpp"
#include "core/setup/validity.hpp"
#include "core/text/characters.hpp"
#include "core/text/numbers.hpp"

namespace headlight {
namespace {

struct Sweep {
  enum class Kind : std::uint8_t {
    steps,   ///< one frame per step of the lecture
    heads,   ///< one frame per head
    motion,  ///< how the shown numbers are computed
    values,  ///< one frame per value of a key of the setup
  };
  Kind kind = Kind::steps;
  std::string key;                  ///< an entry of the setup: "attention.temperature", "seed"
  std::vector<std::string> values;  ///< each written as in a setup file
  std::size_t frames = 0;           ///< of a motion
};

constexpr std::size_t most_frames = 1000;

[[noreturn]] void refuse(std::string_view text) {
  throw InputError({"--frames", "", std::string(text),
                    "steps, heads, motion, motion/48 (so many frames), seed=0..9, temperature=0.5..4/8 (eight values) "
                    "or KEY=A,B,C with a key of the setup"});
}

/// The values of FROM..TO: whole numbers one by one, up or down. nullopt if the text is something else or has too many.
std::optional<std::vector<std::string>> counted(std::string_view from, std::string_view to) {
  const auto first = number_from<std::int64_t>(from);
  const auto last = number_from<std::int64_t>(to);
  if (!first || !last) return std::nullopt;
  const double distance = std::abs(static_cast<double>(*last) - static_cast<double>(*first));
  if (distance >= static_cast<double>(most_frames)) return std::nullopt;
  std::vector<std::string> values;
  for (std::int64_t value = *first;; value += *first < *last ? 1 : -1) {
    values.push_back(std::to_string(value));
    if (value == *last) return values;
  }
}

/// The values of FROM..TO/COUNT: COUNT numbers at equal distances, or the whole numbers next to them. A whole number is
/// written without decimals.
std::optional<std::vector<std::string>> divided(std::string_view from, std::string_view to, std::string_view count,
                                                bool whole) {
  const auto first = number_from<double>(from);
  const auto last = number_from<double>(to);
  const auto frames = number_from<std::size_t>(count);
  if (!first || !last || !frames || *frames < 2 || *frames > most_frames) return std::nullopt;
  if (!std::isfinite(*first) || !std::isfinite(*last)) return std::nullopt;
  std::vector<std::string> values;
  for (std::size_t i = 0; i < *frames; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(*frames - 1);
    const double value = *first + (*last - *first) * share;
    values.push_back(fmt::format("{}", whole ? std::round(value) : value));
  }
  return values;
}

std::optional<std::vector<std::string>> values_of(std::string_view text, bool whole) {
  const auto dots = text.find("..");
  if (dots == std::string_view::npos) {
    const auto values = split_at(text, ',');
    return std::vector<std::string>(values.begin(), values.end());
  }
  const std::string_view from = text.substr(0, dots);
  const std::string_view rest = text.substr(dots + 2);
  const auto slash = rest.find('/');
  if (slash == std::string_view::npos) return counted(from, rest);
  return divided(from, rest.substr(0, slash), rest.substr(slash + 1), whole);
}

Sweep motion_of(std::string_view text) {
  constexpr std::size_t usual_frames = 24;
  const auto slash = text.find('/');
  const auto frames =
      slash == std::string_view::npos ? std::optional(usual_frames) : number_from<std::size_t>(text.substr(slash + 1));
  if (!frames || *frames < 2 || *frames > most_frames) refuse(text);
  return {Sweep::Kind::motion, {}, {}, *frames};
}

/// Reads "steps", "heads", "motion" or "motion/48" (so many frames), "seed=0..9" (whole numbers one by one),
/// "temperature=0.5..4/8" (eight values at equal distances, first and last included, and whole numbers where the key
/// takes only those), or "sizes.heads=1,2,4". The last part of a key's name is enough where no other key ends with it.
/// Throws InputError (source: --frames) if the text is none of these or has more than most_frames frames.
Sweep parse_sweep(std::string_view text) {
  if (text == "steps") return {Sweep::Kind::steps, {}, {}};
  if (text == "heads" || text == "head") return {Sweep::Kind::heads, {}, {}};
  if (text == "motion" || text.starts_with("motion/")) return motion_of(text);
  const auto equal = text.find('=');
  if (equal == 0 || equal == std::string_view::npos || equal + 1 == text.size()) refuse(text);
  const std::string_view key = text.substr(0, equal);
  const SetupKey* const entry = setup_entry(key);
  const auto values = values_of(text.substr(equal + 1), entry != nullptr && entry->is_whole());
  if (!values || values->size() > most_frames) refuse(text);
  return {Sweep::Kind::values, std::string(entry == nullptr ? key : entry->name), *values};
}

/// The setup with `value` assigned to the sweep's key. Throws InputError if the value does not fit.
Setup with_value(const Setup& setup, const Sweep& sweep, const std::string& value) {
  const SetupKey* const entry = setup_entry(sweep.key);
  if (entry == nullptr || entry->saved != Saved::never)
    return with_overrides(setup, {fmt::format("{}={}", sweep.key, value)}, "--frames");
  // A setup file has no such key, so --set doesn't know it.
  const Result<Setup> result = entry->with(setup, value);
  if (!result.owner) throw InputError({"--frames", sweep.key, value, entry->allowed_for(setup)});
  require_valid(*result.owner, "--frames");
  return *result.owner;
}

/// A finished frame, kept as PNG while the others are drawn: a tenth of the size of its pixels, or less.
using StoredPicture = std::vector<unsigned char>;

void require_fitting(const ExportOptions& options, const ExportChoices& choices) {
  const std::string name = options.output ? options.output->string() : "none";
  const ExportForm* const form = form_ending(FormKind::animation, name);
  if (form == nullptr)
    throw InputError({"-o", "", name, "a file name that ends in " + endings_of(FormKind::animation)});
  if (choices.transparent && form->opaque)
    throw InputError({"--transparent", "", fmt::format("a transparent {}", form->title),
                      "one of the two: the animation has no transparent pixels"});
  if (!options.form.empty()) throw InputError({"--as", "", options.form + " beside --frames", "one of the two"});
}

/// Only these show how a number is computed.
void require_moving(ExportWhat figure) {
  const bool window = figure == ExportWhat::window || figure == ExportWhat::slide;
  if (window || figure == ExportWhat::view || figure == ExportWhat::equation) return;
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
  const ExportChoices choices = choices_of(picture, true);
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
    select_named(at, picture);
  };
  draw_job(*options.output, session, job_of(session, picture, choices), show_again, progress.part("drawing", 0.1, 0.9));
  return done;
}

void draw_job(const std::filesystem::path& output, Session& session, const ExportJob& job, const ShowAgain& show_again,
              const Report& report) {
  const Figure figure = figure_of(job);
  Display display = session.display();
  display.appearance.theme = figure.theme;
  display.appearance.scale = figure.scale;
  session.set_display(display);
  if (job.choices.what == ExportWhat::animation) write_animation(output, session, job, show_again, report);
  else write_figure(output, session, figure, report);
}

int render(const What& what, const RenderOptions& options) {
  require_picture_ending(options.output);
  const ExportChoices choices = choices_of(options, false);
  ProgressLine progress(options.progress);
  Session session = session_of(what, options, choices, progress.part("computing", 0, 0.5));
  draw_job(options.output, session, job_of(session, options, choices), {}, progress.part("drawing", 0.5, 1));
  return done;
}

}  // namespace headlight
