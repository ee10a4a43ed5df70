// Conversions between this folder's values and Dear ImGui's. For .cpp files only.
#pragma once

#include <imgui.h>

#include "app/ui/drawing/color.hpp"
#include "app/ui/drawing/geometry.hpp"

namespace headlight {

inline ImU32 packed(Color c) { return IM_COL32(c.r, c.g, c.b, c.a); }
inline ImVec4 as_vec4(Color c) { return ImGui::ColorConvertU32ToFloat4(packed(c)); }
inline ImVec2 as_vec2(Point p) { return {p.x, p.y}; }

}  // namespace headlight
