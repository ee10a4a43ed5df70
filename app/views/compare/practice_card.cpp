#include "app/views/compare/practice_card.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/session/actions/actions.hpp"
#include "app/session/lesson.hpp"
#include "app/session/practice.hpp"
#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/frame_memory.hpp"
#include "app/views/base/perform.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/compare/check_study.hpp"
#include "app/views/compare/check_view.hpp"
#include "app/views/compare/check_words.hpp"
#include "core/text/wording.hpp"

namespace headlight {
namespace {

constexpr std::size_t verdict_lines = 3, most_verdict_lines = 6;

PracticeVerdict verdict_in(const CheckFindings& findings, TensorId asked) {
  using Kind = PracticeVerdict::Kind;
  const auto problem = [](const Problem& found) {
    return PracticeVerdict{Kind::unreadable,
                           fmt::format("This can't be compared: {}.{}", found.found,
                                       found.allowed.empty() ? "" : fmt::format(" Wanted: {}.", found.allowed))};
  };
  if (!findings.problems.empty()) return problem(findings.problems.front());
  const TensorVerdict* const verdict = findings.on(asked);
  if (verdict == nullptr)
    return {Kind::unreadable,
            fmt::format("There is no {} in it yet. It has {}.", name(asked),
                        findings.report.tensors.empty() ? "nothing that is known here" : "what the template computes")};
  if (verdict->agrees) return {Kind::passed, {}};
  return {Kind::wrong, words_of_difference(findings.report, *verdict)};
}

/// The card's parts below each other.
class TaskCard {
 public:
  TaskCard(const Canvas& canvas, ViewContext* context, const Rect& area, const PracticeVerdict& verdict,
           const MarkdownType& type)
      : canvas_(canvas), context_(context), area_(area), verdict_(verdict), type_(type) {}

  float lay_out() {
    y_ = area_.y + padding();
    paragraph(
        fmt::format("Copy the template into Python, add your lines and run it. Then drop mine.npz here, or paste {} "
                    "as it is printed.",
                    verdict_.tensor),
        canvas_.theme().text2);
    y_ += 8;
    buttons();
    y_ += 10;
    told();
    return y_ + padding() - area_.y;
  }

 private:
  float padding() const { return std::round(0.6f * type_.line_height); }
  Rect inner(float height) const { return {area_.x + padding(), y_, area_.w - 2 * padding(), height}; }

  void paragraph(const std::string& words, Color ink, float indent = 0, std::size_t most = 9) {
    const auto lines = canvas_.wrapped(words, type_.plain, inner(0).w - indent);
    for (std::size_t i = 0; i < std::min(lines.size(), most); ++i) {
      const bool cut = i + 1 == most && i + 1 < lines.size();
      const std::string line = cut ? fmt::format("{} …", lines[i]) : std::string(lines[i]);
      if (context_ != nullptr) canvas_.text({inner(0).x + indent, y_ + type_.line_height - 6}, line, type_.plain, ink);
      y_ += type_.line_height;
    }
  }

  void buttons() {
    const float height = context_ != nullptr ? context_->ui.reach(30) : 30;
    struct Press {
      const char* action;
      std::string_view words;
      ButtonKind kind;
    };
    const bool passed = verdict_.kind == PracticeVerdict::Kind::passed;
    const std::array<Press, 3> all{
        Press{"check.copy_template", "Copy the template", passed ? ButtonKind::normal : ButtonKind::primary},
        Press{"check.template", "Save", ButtonKind::normal}, Press{"paste", "Paste", ButtonKind::normal}};
    Rect row = inner(height);
    for (const Press& press : all) {
      const float width = canvas_.width(press.words, TextStyle::control_strong) + 24;
      if (width > row.w) {
        y_ += height + 6;
        row = inner(height);
      }
      const Rect box = row.cut_left(std::min(width, row.w));
      row.cut_left(8);
      if (context_ == nullptr) continue;
      const Action& action = *action_named(press.action);
      if (button(context_->ui, press.action, box, press.words, {.kind = press.kind, .keys = action.keys()}))
        perform(*context_, action);
    }
    y_ += height;
  }

  /// The verdict, in room that is there from the beginning and that only several mistakes exceed, and the way to see
  /// more.
  void told() {
    using Kind = PracticeVerdict::Kind;
    const Theme& theme = canvas_.theme();
    const float top = y_;
    constexpr float indent = 24;
    const auto said = [&](Icon icon, Color color, const std::string& words) {
      if (context_ != nullptr) canvas_.icon(icon, {inner(0).x, y_ + type_.line_height - 20}, color, 2);
      paragraph(words, theme.text, indent, most_verdict_lines);
    };
    switch (verdict_.kind) {
      case Kind::open: break;
      case Kind::checking: paragraph("Checking…", theme.text3); break;
      case Kind::unreadable: said(Icon::help, theme.text3, verdict_.words); break;
      case Kind::wrong: said(Icon::cross, theme.error, verdict_.words); break;
      case Kind::passed:
        said(Icon::check, theme.ok,
             is_plural(verdict_.tensor) ? fmt::format("Passed: your {} agree with ours.", verdict_.tensor)
                                        : fmt::format("Passed: your {} agrees with ours.", verdict_.tensor));
        break;
    }
    y_ = std::max(y_, top + static_cast<float>(verdict_lines) * type_.line_height);
    const Rect row = inner(type_.line_height + 4);
    y_ = row.bottom();
    constexpr std::string_view more = "See the difference";
    if (context_ == nullptr || verdict_.kind != Kind::wrong) return;
    const float width = canvas_.width(more, type_.plain) + 20;
    if (button(context_->ui, "difference", {row.x + indent - 10, row.y, width, row.h}, more,
               {.kind = ButtonKind::quiet}))
      context_->memory.get<FrameMemory>().after_frame = [](Session& session) { session.show(View::compare); };
  }

  const Canvas& canvas_;
  ViewContext* context_;
  Rect area_;
  const PracticeVerdict& verdict_;
  const MarkdownType& type_;
  float y_ = 0;
};

}  // namespace

std::optional<PracticeVerdict> verdict_on_practice(ViewContext& context) {
  const Practice* const practice = practice_of(context.session);
  if (practice == nullptr) return std::nullopt;
  PracticeVerdict verdict;
  const CheckedWork& work = context.session.state().checking.own;
  const bool handed_in = context.session.state().checking.instead_of_step;
  if (handed_in && !work.problems.empty()) {
    verdict = {
        PracticeVerdict::Kind::unreadable, fmt::format("This can't be read: {}.", work.problems.front().found), {}};
  } else if (handed_in && work.given && !context.session.changes().empty()) {
    verdict = {PracticeVerdict::Kind::unreadable,
               "The layer isn't the task's any more. Go back to the lesson's numbers to have this checked.",
               {}};
  } else if (takes_practice(context.session)) {
    const CheckFindings* const findings = context.memory.get<CheckMemory>().study.findings(context.session);
    verdict = findings ? verdict_in(*findings, practice->to) : PracticeVerdict{PracticeVerdict::Kind::checking, {}, {}};
  } else if (has_passed(context.session)) {
    verdict.kind = PracticeVerdict::Kind::passed;
  }
  verdict.tensor = name(practice->to);
  return verdict;
}

void judge_practice(ViewContext& context) {
  if (!takes_practice(context.session) || has_passed(context.session)) return;
  const auto verdict = verdict_on_practice(context);
  if (verdict && verdict->kind == PracticeVerdict::Kind::passed) Lesson(context.session).pass_practice();
}

float practice_card(const Canvas& canvas, ViewContext* context, const Rect& area, const PracticeVerdict& verdict,
                    const MarkdownType& type) {
  const float height = TaskCard(canvas, nullptr, area, verdict, type).lay_out();
  if (context == nullptr) return height;
  const Rect card{area.x, area.y, area.w, height};
  canvas.fill(card, canvas.theme().raised, 11);
  canvas.stroke(card, canvas.theme().outline, 1, 11);
  context->ui.push_id("practice");
  TaskCard(canvas, context, area, verdict, type).lay_out();
  context->ui.pop_id();
  return height;
}

}  // namespace headlight
