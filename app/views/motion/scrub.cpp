#include "app/views/motion/scrub.hpp"

#include <algorithm>
#include <cmath>

#include "app/session/lesson.hpp"
#include "app/session/session.hpp"
#include "app/ui/ui.hpp"
#include "app/views/frame/view_memory.hpp"
#include "app/views/motion/motion.hpp"

namespace headlight {

void scrub_steps(ViewContext& context, const Item& item, float left, float width) {
  Session& session = context.session;
  if (!item.held || !item.dragged || session.lesson().step_count() == 0) return;
  const auto last = static_cast<float>(session.lesson().step_count() - 1);
  const float at = std::clamp((context.ui.mouse().x - left) / width, 0.0f, last + 1);
  const float step = std::min(std::floor(at), last);
  if (session.lesson().at.index != static_cast<std::size_t>(step))
    Lesson(session).go_to(static_cast<std::size_t>(step));
  context.memory.get<Motion>().hold(static_cast<double>(at - step));
  context.ui.request_frame();
}

}  // namespace headlight
