#include "app/views/base/view_context.hpp"

#include "app/session/selecting.hpp"
#include "app/session/session.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/frame_memory.hpp"
#include "app/views/base/view_memory.hpp"

namespace headlight {

void hover_cell(ViewContext& context, const Cell& cell) {
  if (context.memory.get<FrameMemory>().resting.resting) return;
  context.memory.get<FrameMemory>().hover_claimed = true;
  if (context.session.state().hovered == cell) return;
  Selecting(context.session).hover(cell);
  context.ui.request_frame();  // pictures drawn earlier in this frame light the cell in the next one
}

}  // namespace headlight
