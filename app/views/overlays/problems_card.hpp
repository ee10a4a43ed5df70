// The card that says why a file was refused. It stays until it is closed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/views/base/view_context.hpp"
#include "core/model/names.hpp"
#include "core/model/problem.hpp"
#include "core/model/setup.hpp"

namespace headlight {

/// A setup that is offered by a button.
struct OfferedEdit {
  std::string words;  ///< on the button
  std::string done;   ///< the notice after it was accepted
  Setup setup;
  TensorId tensor = TensorId::X;  ///< selected then
};

struct ProblemsCard {
  std::string title;
  std::vector<Problem> problems;     ///< shown until closed; empty if there are none
  std::optional<OfferedEdit> offer;  ///< a setup that would solve the problem, as a button
};

void draw_problems_card(ViewContext& context);

}  // namespace headlight
