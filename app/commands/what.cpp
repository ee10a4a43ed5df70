#include "app/commands/what.hpp"

#include <algorithm>
#include <limits>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/lectures/library.hpp"
#include "app/session/checking.hpp"
#include "app/session/lesson.hpp"
#include "app/session/snapshot/shared_link.hpp"
#include "app/session/snapshot/snapshot.hpp"
#include "app/shell/documents.hpp"
#include "core/engine/engine.hpp"
#include "core/formats/files.hpp"
#include "core/formats/layers/attention_layers.hpp"
#include "core/formats/layers/layer_setup.hpp"
#include "core/formats/setup/setup_file.hpp"
#include "core/formats/setup/setup_overrides.hpp"
#include "core/text/wording.hpp"

namespace headlight {
namespace {

const Setup& setup_in(const Lecture& lecture, const What& what) {
  if (what.step) {
    if (*what.step < 1 || *what.step > lecture.steps.size()) {
      throw InputError(
          {"--step", "", fmt::format("{}", *what.step), fmt::format("a step from 1 to {}", lecture.steps.size())});
    }
    if (what.part.empty()) return lecture.setup_of(lecture.steps[*what.step - 1]);
  }
  if (what.part.empty()) return lecture.parts.front().setup;
  const auto found =
      std::find_if(lecture.parts.begin(), lecture.parts.end(), [&](const Part& p) { return p.id == what.part; });
  if (found != lecture.parts.end()) return found->setup;
  std::vector<std::string> ids;
  for (const Part& part : lecture.parts) ids.push_back(part.id);
  throw InputError({"--part", "", what.part, fmt::format("one of {}", fmt::join(ids, ", "))});
}

constexpr const char* one_of_three = "one of --lecture, --setup and --model";

bool names_link(const What& what) { return what.setup_file && is_link(*what.setup_file); }

void require_one(const What& what) {
  std::vector<std::string_view> named;
  if (!what.lecture.empty()) named.push_back("--lecture");
  if (what.setup_file) named.push_back("--setup");
  // The user's own page opens a model at the place of a link.
  if (what.model && !names_link(what)) named.push_back("--model");
  if (named.empty()) throw InputError({"", "", "none of --lecture, --setup and --model", one_of_three});
  if (named.size() > 1) throw InputError({"", "", listed(named, " and "), one_of_three});
  if (what.layer && !what.model) throw InputError({"--layer", "", fmt::format("{}", *what.layer), "only with --model"});
  if (what.lecture.empty() && (what.step || !what.part.empty()))
    throw InputError({what.step ? "--step" : "--part", "",
                      fmt::format("a {} together with {}", what.step ? "step" : "part", named.front()),
                      "with --lecture only: nothing else has steps and parts"});
}

Setup setup_of_layer(const OpenModel& model, const What& what) {
  const std::size_t layer = what.layer.value_or(0);
  if (layer < model.layers.size()) return layer_setup(model.layers[layer], what.memory_limit);
  if (model.layers.empty())
    throw InputError({what.model->string(), "", "no attention layer", std::string(usual_arrays)});
  throw InputError(
      {"--layer", "", fmt::format("{}", layer), fmt::format("a layer from 0 to {}", model.layers.size() - 1)});
}

OpenModel model_of(const What& what) { return open_model(from_root(*what.model), std::nullopt); }

Setup setup_in_link(const What& what) {
  const SharedLink link = read_link(what.setup_file->string());
  if (link.setup) return *link.setup;
  What at_step = what;
  at_step.step = link.step + 1;
  return setup_in(LectureLibrary(what.lectures).lecture(link.lecture), at_step);
}

Setup base_setup(const What& what) {
  require_one(what);
  if (names_link(what)) return setup_in_link(what);
  if (what.model) return setup_of_layer(model_of(what), what);
  if (what.setup_file) {
    return names_picture(*what.setup_file) ? *snapshot_in_picture(*what.setup_file).setup
                                           : read_setup(*what.setup_file);
  }
  return setup_in(LectureLibrary(what.lectures).lecture(what.lecture), what);
}

/// Waits until the session shows everything it was asked for. Throws InputError with the problems, if any.
void wait_for(Session& session, const Report& report) {
  constexpr double ticks = 0.05;
  while (session.state().computing) {
    session.wait(ticks);
    if (report) report(session.progress());
  }
  require_done(session.state().problems);
}

/// The index of the step that is named, or of the first step of the part that is named; else 0.
std::size_t step_of(const Lecture& lecture, const What& what) {
  if (what.step) return *what.step - 1;
  if (what.part.empty()) return 0;
  const auto found = std::find_if(lecture.steps.begin(), lecture.steps.end(),
                                  [&](const Step& step) { return lecture.parts[step.part].id == what.part; });
  return found == lecture.steps.end() ? 0 : static_cast<std::size_t>(found - lecture.steps.begin());
}

/// A session that computes in the background, with the lectures at hand.
Session begun_session(const What& what, const LectureLibrary& library) {
  std::vector<std::shared_ptr<const Lecture>> lectures;
  for (Lecture& lecture : library.lectures()) lectures.push_back(std::make_shared<const Lecture>(std::move(lecture)));
  Session session(Setup{}, what.memory_limit, what.threads);
  require_done(Lesson(session).set_lectures(std::move(lectures)));
  session.compute_in_background(0);
  return session;
}

/// Waits for what the session was asked for. From then on every edit is computed at once, on this thread.
void settle(Session& session, const Report& report) {
  wait_for(session, report);
  session.compute_in_background(std::numeric_limits<double>::infinity());
  session.forget_history();
}

}  // namespace

Setup setup_of(const What& what) {
  Setup setup = with_overrides(base_setup(what), what.overrides);
  const std::string source = what.setup_file ? what.setup_file->string() : what.model ? what.model->string() : "";
  require_fits(setup, what.memory_limit, source.empty() ? what.lecture : source);
  return setup;
}

std::optional<Practice> practice_of(const What& what) {
  if (what.lecture.empty() || !what.step || !what.part.empty()) return std::nullopt;
  return LectureLibrary(what.lectures).lecture(what.lecture).steps.at(*what.step - 1).practice;
}

ModelTrace model_trace_of(const What& what, const Report& report) {
  Engine engine(what.memory_limit, what.threads);
  engine.compute(setup_of(what), {{}, report});
  return engine.model();
}

std::shared_ptr<const Trace> trace_of(const What& what, const Report& report) {
  const Setup setup = setup_of(what);
  return Engine(what.memory_limit, what.threads).compute(setup, {{}, report});
}

Session session_of(const What& what, const Report& report) {
  const Setup setup = setup_of(what);
  const LectureLibrary library(what.lectures);
  Session session = begun_session(what, library);
  if (!what.lecture.empty()) {
    require_done(Lesson(session).open(what.lecture, step_of(library.lecture(what.lecture), what)));
    wait_for(session, report);  // first with the lecture's own setup, because the step selects a cell of it
    require_done(session.edit(setup));
  } else if (names_link(what)) {
    require_done(go_to(session, read_link(what.setup_file->string())));
    if (what.model) session.set_model(std::make_shared<const OpenModel>(model_of(what)));
    wait_for(session, report);
    if (!what.overrides.empty()) require_done(session.edit(setup));
  } else if (what.model) {
    session.set_model(std::make_shared<const OpenModel>(model_of(what)));
    require_done(session.edit(setup));
  } else if (names_picture(*what.setup_file)) {
    Snapshot snapshot = snapshot_in_picture(*what.setup_file);
    snapshot.setup = setup;
    require_done(go_to(session, snapshot));
  } else {
    require_done(session.edit(setup));
  }
  settle(session, report);
  return session;
}

Session session_of(const Snapshot& snapshot, const What& what, const Report& report) {
  Session session = begun_session(what, LectureLibrary(what.lectures));
  require_done(go_to(session, snapshot));
  settle(session, report);
  session.set_timed(false);
  session.set_display(snapshot.display);
  const auto said = snapshot.answers.find(snapshot.step);
  if (said != snapshot.answers.end() && said->second.shown) Lesson(session).show_answer();
  return session;
}

Session compared_session_of(const What& what, const std::vector<std::string>& was, const Report& report) {
  What plain = what;
  plain.overrides.clear();
  Session session = session_of(plain, report);
  const Setup b = setup_of(what);
  if (!was.empty()) require_done(session.edit(with_overrides(b, was, "--was")));
  if (!was.empty() || session.state().checking.reference.empty()) Checking(session).set_reference();
  require_done(session.edit(b));
  session.forget_history();
  return session;
}

}  // namespace headlight
