// Check my work. The centre has every tensor that was handed in, where it first differs, and the numbers of one. The
// left panel has the file, the tensor of each array, and the tolerance. The right panel has the diagnosis: the mistake,
// its evidence, the line that fixes it, and what else was tried.
#pragma once

#include <string_view>

#include "app/ui/controls/controls.hpp"
#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"
#include "app/views/compare/check_study.hpp"
#include "app/views/tensors/picture_fit.hpp"

namespace headlight {

void draw_check_view(ViewContext& context, Rect area);

/// Draws the choice between two states and a check, at the left of `area`.
void draw_compare_choice(ViewContext& context, const Rect& area);

/// A button for an action, with the action's title as its tip unless there is another.
void draw_action(ViewContext& context, const char* id, const Rect& r, std::string_view label, std::string_view tip = {},
                 ButtonKind kind = ButtonKind::normal);

inline constexpr float check_offer_height = 148;
/// A card that says what a check is, with buttons that begin one.
void draw_check_offer(ViewContext& context, const Rect& card);

/// The present findings, with the chosen fix if it is being tried. Null while they are being computed.
const CheckFindings* shown_findings(ViewContext& context);

void draw_check_panel(ViewContext& context, Rect area);

float check_table_height(const CheckFindings& findings);
/// Draws the table, which scrolls if it is higher than `area`. Its text keeps `margin` from the sides.
void draw_check_table(ViewContext& context, const Rect& area, float margin, const CheckFindings& findings,
                      TensorId shown);

/// Selects a tensor, and its cell with the largest difference.
void select_checked(ViewContext& context, const CheckFindings& findings, TensorId tensor);

/// Heights of a tensor's pictures at this width: with readable rows, and with square cells if that is more.
struct CheckPicturesHeight {
  float enough = 0;
  float full = 0;
};
CheckPicturesHeight check_pictures_height(const ViewContext& context, TensorId tensor, float width);
/// How well the pictures can be read in an area.
PictureFit fit_of_check_pictures(const ViewContext& context, TensorId tensor, const Rect& area, bool one_row);
void draw_check_pictures(ViewContext& context, Rect area, const CheckFindings& findings, TensorId tensor);

void draw_diagnosis_panel(ViewContext& context, Rect area);

}  // namespace headlight
