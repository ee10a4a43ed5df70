// Check my work, in the centre: every tensor that was handed over, where they first differ, and the numbers of one.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/views/check/check_study.hpp"
#include "app/views/frame/view_context.hpp"

namespace headlight {

void draw_check_view(ViewContext& context, Rect area);

/// Two states, or somebody's work: what the compare view shows. At the left of `area`.
void draw_compare_choice(ViewContext& context, const Rect& area);

inline constexpr float check_offer_height = 148;
/// A card that says what a check is, with the ways to begin one.
void draw_check_offer(ViewContext& context, const Rect& card);

/// What is found now: with the chosen fix where it is tried. Null while it is being worked out.
const CheckFindings* shown_findings(ViewContext& context);

/// "2.0e-7", "15.24", "0".
std::string magnitude_text(double value);

}  // namespace headlight
