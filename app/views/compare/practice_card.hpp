// A lecture's task: the template for the reader's own Python, and the verdict on what it computes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/ui/drawing/canvas.hpp"
#include "app/ui/drawing/geometry.hpp"
#include "app/ui/text/markdown.hpp"
#include "app/views/base/view_context.hpp"

namespace headlight {

/// What was found about the arrays that were handed in for the step's task.
struct PracticeVerdict {
  enum class Kind : std::uint8_t {
    open,        ///< nothing was handed in
    checking,    ///< it is being compared
    unreadable,  ///< it can't be compared: `words` say why
    wrong,       ///< `words` say how, and name the mistake if it is a known one
    passed,
  };
  Kind kind = Kind::open;
  std::string words = {};
  std::string_view tensor = {};  ///< that the task asks for
};

/// None without a task.
std::optional<PracticeVerdict> verdict_on_practice(ViewContext& context);

/// Keeps that the task is passed once what was handed in is right, wherever it is shown.
void judge_practice(ViewContext& context);

/// Draws the task's card from the top of `area`; returns its height, which is the same for each verdict. Only measures
/// without a context.
float practice_card(const Canvas& canvas, ViewContext* context, const Rect& area, const PracticeVerdict& verdict,
                    const MarkdownType& type);

}  // namespace headlight
