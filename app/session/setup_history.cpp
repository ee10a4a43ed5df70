#include "app/session/setup_history.hpp"

#include <utility>

namespace headlight {

bool SetupHistory::continues(std::string_view gesture) const {
  return !gesture.empty() && gesture == gesture_ && can_undo();
}

void SetupHistory::record(Moment moment, std::string_view gesture) {
  const bool more = continues(gesture);
  if (more && before().setup == moment.setup) {
    moments_.drop();
    gesture_.clear();
    return;
  }
  if (more) moments_.replace(std::move(moment));
  else moments_.visit(std::move(moment));
  gesture_ = gesture;
}

void SetupHistory::remember(Moment moment) {
  if (moments_.current().setup == moment.setup) moments_.replace(std::move(moment));
  else moments_.visit(std::move(moment));
}

void SetupHistory::replace_lecture(const std::shared_ptr<const OpenLecture>& old,
                                   const std::shared_ptr<const OpenLecture>& next) {
  moments_.for_each([&](Moment& moment) {
    if (moment.place.lecture == old) moment.place = moved_to(next, moment.place);
  });
}

}  // namespace headlight
