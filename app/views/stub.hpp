// A view that is still to come: its name in its place.
#pragma once

#include <string_view>

#include "app/ui/geometry.hpp"
#include "app/views/view_context.hpp"

namespace headlight {

void draw_stub(ViewContext& context, Rect area, std::string_view name);

}  // namespace headlight
