// What lies over the views: command palette, list of keys, cards, notices.
#pragma once

#include "app/views/frame/view_context.hpp"

namespace headlight {

/// After everything else, so that it lies on top.
void draw_overlays(ViewContext& context);

/// Ctrl+K: find anything by its name and do it.
void draw_palette(ViewContext& context);
/// F1: every action with its keys.
void draw_shortcuts(ViewContext& context);
/// Why a file was refused, until closed.
void draw_problems_card(ViewContext& context);
/// Asks for the path of a file to open or to save, and offers the recent ones and what stands in the folder.
void draw_path_card(ViewContext& context);
/// What just happened, for a few seconds.
void draw_notice(ViewContext& context);
/// What to do first, until it was done once.
void draw_first_hint(ViewContext& context);

}  // namespace headlight
