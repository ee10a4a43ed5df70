// The two themes: every colour of the app, named by its purpose.
#pragma once

#include <cstdint>

#include "app/appearance.hpp"
#include "app/ui/drawing/color.hpp"
#include "core/model/names.hpp"

namespace headlight {

struct Theme {
  ThemeName name;

  Color canvas;       ///< the centre, behind matrices
  Color panel;        ///< bars and side panels
  Color raised;       ///< lit phase, selected card, buttons
  Color field;        ///< inputs
  Color hover;        ///< hovered control, selected segment
  Color line;         ///< section rules (decorative)
  Color line_strong;  ///< table heads, thumbnail frames, key caps (decorative)
  Color control;      ///< borders of controls, slider track
  Color outline;      ///< neutral wires, axes, selected segment
  Color text;         ///< primary
  Color text2;        ///< labels, body
  Color text3;        ///< captions, shapes, indices
  Color lamp;         ///< the only accent: focus ring, lit phase, primary button
  Color lamp_ink;     ///< text on lamp
  Color query;        ///< identities: frames, labels, wires and bands only, never cells
  Color key;
  Color value;
  Color output;
  Color ok;               ///< always with a tick
  Color error;            ///< always with a cross or the word
  Color changed;          ///< the dot for "differs from the lecture"
  Color mask_background;  ///< under the hatch of masked cells
  Color mask_ink;         ///< the hatch

  ColorMap weights;   ///< 0 to the maximum
  ColorMap positive;  ///< signed values: 0 to the largest magnitude
  ColorMap negative;

  double quiet_towards_canvas;  ///< how far a quiet cell moves towards the canvas after losing chroma

  bool dark() const { return name == ThemeName::dark; }
  /// The hue of a tensor's identity.
  Color identity(Role role, Color if_neutral) const;
  Color identity(Role role) const { return identity(role, outline); }
  /// A cell outside the bands: less chroma first, then closer to the canvas.
  Color quiet(Color cell) const;
  /// The number on a quiet cell, soft if the contrast allows it. `quiet_cell` is the result of quiet().
  Color number_on_quiet(Color quiet_cell) const;
};

const Theme& theme(ThemeName name);

/// Black or white, whichever contrasts more with the cell.
Color number_on(Color cell);

/// How far a quiet cell first moves from its colour towards the grey of equal luminance, in [0, 1].
constexpr double quiet_towards_grey = 0.55;

}  // namespace headlight
