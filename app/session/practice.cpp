#include "app/session/practice.hpp"

#include "app/session/session.hpp"
#include "app/session/state/marks.hpp"
#include "core/formats/diagnose/report_text.hpp"
#include "core/formats/script/script.hpp"

namespace headlight {

const Practice* practice_of(const Session& session) {
  const Step* const step = session.lesson().step();
  return step != nullptr && step->practice ? &*step->practice : nullptr;
}

bool takes_practice(const Session& session) {
  return practice_of(session) != nullptr && session.state().checking.instead_of_step &&
         session.state().checking.own.given != nullptr && session.changes().empty();
}

bool has_passed(const Session& session) {
  if (practice_of(session) == nullptr) return false;
  const LectureStep& at = session.lesson().at;
  const auto found = session.state().marks->find(session.lesson().lecture()->id);
  return found != session.state().marks->end() && at.index < found->second.size() &&
         found->second[at.index] == StepMark::passed;
}

std::string template_of(const Session& session) {
  const Practice* const practice = practice_of(session);
  const Framework framework = framework_of(session.setup());
  if (practice == nullptr) return check_script(session.setup(), framework);
  return practice_script(session.lesson().traces.own.first(), *practice, framework);
}

}  // namespace headlight
