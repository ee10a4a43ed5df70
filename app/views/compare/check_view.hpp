// Check my work. In the centre: every tensor that was handed over, where it first differs, and the numbers of one. At
// the left what is checked: the file, which array is which tensor, and how near is near enough. At the right what
// explains a difference: the mistake, its evidence, the line that mends it, and what else was tried.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"
#include "app/views/compare/check_study.hpp"
#include "app/views/tensors/picture_fit.hpp"

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

void draw_check_panel(ViewContext& context, Rect area);

float check_table_height(const CheckFindings& findings);
/// Draws the table, which scrolls where it is higher than `area`; its words keep `margin` from the sides.
void draw_check_table(ViewContext& context, const Rect& area, float margin, const CheckFindings& findings,
                      TensorId shown);

/// Selects a tensor, and its cell that is furthest from ours.
void select_checked(ViewContext& context, const CheckFindings& findings, TensorId tensor);

/// Heights of the pictures of a tensor in this width: with rows that are read well, and with cells as high as wide,
/// where that is more.
struct CheckPicturesHeight {
  float enough = 0;
  float full = 0;
};
CheckPicturesHeight check_pictures_height(const ViewContext& context, TensorId tensor, float width);
/// How well they can be read in an area.
PictureFit fit_of_check_pictures(const ViewContext& context, TensorId tensor, const Rect& area);
void draw_check_pictures(ViewContext& context, Rect area, const CheckFindings& findings, TensorId tensor);

void draw_diagnosis_panel(ViewContext& context, Rect area);

}  // namespace headlight
