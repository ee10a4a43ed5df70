#include "app/commands/session_of.hpp"

#include <algorithm>
#include <memory>

#include "app/lectures/library.hpp"
#include "app/session/settings.hpp"
#include "app/shell/keep.hpp"

namespace headlight {
namespace {

void require_done(std::vector<Problem> problems) {
  if (!problems.empty()) throw InputError(std::move(problems));
}

/// The step that is named, or the first one of the part that is.
std::size_t step_of(const Lecture& lecture, const What& what) {
  if (what.step) return *what.step - 1;
  if (what.part.empty()) return 0;
  const auto found = std::find_if(lecture.steps.begin(), lecture.steps.end(),
                                  [&](const Step& step) { return lecture.parts[step.part].id == what.part; });
  return found == lecture.steps.end() ? 0 : static_cast<std::size_t>(found - lecture.steps.begin());
}

}  // namespace

Session session_of(const What& what) {
  const Setup setup = setup_of(what);
  const LectureLibrary library(what.lectures);
  std::vector<std::shared_ptr<const Lecture>> lectures;
  for (Lecture& lecture : library.lectures()) lectures.push_back(std::make_shared<const Lecture>(std::move(lecture)));
  Session session(what.lecture.empty() ? setup : Setup{}, what.memory_limit);
  require_done(session.set_lectures(std::move(lectures)));
  if (!what.lecture.empty()) {
    require_done(session.open_lecture(what.lecture, step_of(library.lecture(what.lecture), what)));
    require_done(session.edit(setup));
  } else if (names_picture(*what.setup_file)) {
    RememberedSession place = place_in_picture(*what.setup_file);
    place.setup = setup;
    require_done(go_to(session, place));
  }
  return session;
}

Session compared_session_of(const What& what) {
  What plain = what;
  plain.overrides.clear();
  Session session = session_of(plain);
  session.set_reference();
  require_done(session.edit(setup_of(what)));
  return session;
}

}  // namespace headlight
