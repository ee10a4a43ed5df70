// The sheet of controls before a scripted person.
#pragma once

#include <vector>

#include "app/platform/surfaces/offscreen.hpp"
#include "tests/app/controls_sheet.hpp"
#include "tests/app/sheet_app.hpp"

namespace headlight {

/// The sheet of controls and a scripted person. The positions below are the ones in ControlsSheet::draw.
struct Desk {
  ControlsSheet sheet;
  std::vector<KeyPress> left_over;  ///< keys that no control took
  SheetApp app{[this](FrameContext& frame) {
    sheet.draw(frame);
    left_over.insert(left_over.end(), frame.ui.keys().begin(), frame.ui.keys().end());
  }};
  Offscreen surface{app, 1020, 910};

  Desk() { surface.frames(2); }
  void tab(int times) {
    for (int i = 0; i < times; ++i) surface.key(Key::tab);
  }
};

constexpr Point default_button{82, 414};
constexpr Point disabled_button{530, 414};
constexpr Point third_heads_segment{240, 556};
constexpr Point seed_field{200, 590};
constexpr Point temperature_track{204, 624};
constexpr Point biases_toggle{168, 659};
constexpr Point lecture_select{540, 542};
constexpr Point stepper_plus{561, 618};
constexpr Point stepper_value{514, 618};
constexpr Point heads_tab{400, 457};

}  // namespace headlight
