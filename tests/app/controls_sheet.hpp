// Draws every control, colour, style and icon on one sheet.
#pragma once

#include <string>
#include <vector>

#include "app/platform/surfaces/app.hpp"

namespace headlight {

struct ControlsSheet {
  int heads = 2;
  int generator = 0;
  int lecture = 0;
  int view = 0;
  long long d_model = 8;
  double temperature = 1.8;
  double dropout = 0.06;
  bool biases = false;
  bool scaled = true;
  std::string seed = "0";
  std::string wrong = "abc";
  int presses = 0;
  int resets = 0;

  void draw(FrameContext& frame);
};

}  // namespace headlight
