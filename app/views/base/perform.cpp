#include "app/views/base/perform.hpp"

#include "app/session/actions/actions.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/panels.hpp"
#include "app/views/base/view_memory.hpp"

namespace headlight {
namespace {

/// Adapts the window after the session has run the action.
void follow(ViewContext& context, const Action& action) {
  // The inspector explains the number, and it may be folded.
  const bool explained = action.id == "cell.explain" && context.session.state().pinned && !context.presenting;
  if (explained && is_folded(context, SidePanel::inspector)) open_panel(context, SidePanel::inspector);
  context.ui.request_frame();
}

/// The workbench has its panels beside the view, as far as there is room for them.
void leave_sheets(ViewContext& context) {
  context.memory.get<PanelsMemory>().sheet.reset();
  if (is_small_window(context)) context.session.notify("The workbench shows in a larger window");
}

}  // namespace

bool perform(ViewContext& context, const Action& action) {
  if (action.id == "panel.setup") toggle_panel(context, SidePanel::setup);
  else if (action.id == "panel.inspector") toggle_panel(context, SidePanel::inspector);
  else if (!run(action, context.session)) return false;
  if (action.id == "workbench") leave_sheets(context);
  follow(context, action);
  return true;
}

bool perform(ViewContext& context, const Action& action, const Target& target) {
  if (!run(action, context.session, target)) return false;
  follow(context, action);
  return true;
}

}  // namespace headlight
