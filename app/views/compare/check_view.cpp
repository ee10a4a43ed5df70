#include "app/views/compare/check_view.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/session/actions/actions.hpp"
#include "app/session/checking.hpp"
#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/views/base/frame_memory.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/compare/check_study.hpp"
#include "app/views/compare/check_words.hpp"
#include "app/views/story/arrangement.hpp"
#include "core/model/cell.hpp"
#include "core/text/characters.hpp"

namespace headlight {
namespace {

constexpr float check_margin = 24;
constexpr float least_pictures = 250;

void draw_headline(ViewContext& context, Rect& rest, const CheckFindings& findings) {
  const Canvas canvas = context.ui.canvas();
  const Theme& theme = canvas.theme();
  const bool tried = context.memory.get<CheckMemory>().tries;
  Rect title = rest.cut_top(46).inset(0, 8);
  const float choice = 200;
  draw_compare_choice(context, title.cut_right(std::min(choice, title.w)));
  title.cut_right(12);
  std::string words_of_title = headline(findings, context.session.setup(), tried);
  if (findings.first_difference() && canvas.width(words_of_title, TextStyle::title) > title.w)
    words_of_title = "First difference: " + name_in_layer(*findings.first_difference(), context.session.setup());
  canvas.text_in(title, words_of_title, TextStyle::title, theme.text);
  const std::string words = words_below_headline(findings);
  const auto lines = canvas.wrapped(words, TextStyle::body, rest.w);
  const std::size_t shown = std::min<std::size_t>(lines.size(), 2);
  for (std::size_t i = 0; i < shown; ++i)
    canvas.text_in(rest.cut_top(20),
                   i + 1 < shown || shown == lines.size() ? std::string(lines[i]) : fmt::format("{} …", lines[i]),
                   TextStyle::body, theme.text2);
  rest.cut_top(8);
}

/// A chip for each layer: whether it agrees, and a click shows it.
void draw_layers(ViewContext& context, Rect& rest, const CheckFindings& findings) {
  Ui& ui = context.ui;
  const Canvas canvas = ui.canvas();
  const Theme& theme = canvas.theme();
  const float height = ui.reach(26);
  Rect row = rest.cut_top(height);
  rest.cut_top(8);
  ui.push_id("layers");
  for (Index layer = 0; layer < context.session.setup().sizes.layers; ++layer) {
    const LayerReport* const report = findings.of_layer(layer);
    const std::string words = fmt::format("layer {}", layer);
    const float wide = chip_width(canvas, words) + (report != nullptr ? 20.0f : 0.0f);
    if (wide > row.w) {  // the next line
      row = rest.cut_top(height);
      rest.cut_top(8);
    }
    Rect r = row.cut_left(wide);
    row.cut_left(8);
    ui.push_id(static_cast<int>(layer));
    const Item item = chip(ui, "chip", r, "", layer == findings.layer);
    const bool is_first = findings.first_difference() && findings.first_difference()->layer == layer;
    if (is_first) canvas.stroke(r, theme.error, 1.5f, r.h / 2);
    r.cut_left(10);
    if (report != nullptr) {
      canvas.icon(report->report.agrees ? Icon::check : Icon::cross, {r.x, r.center().y - 8},
                  report->report.agrees ? theme.ok : theme.error, 2);
      r.cut_left(20);
    }
    canvas.text_in(r, words, TextStyle::control, report != nullptr ? theme.text : theme.text3);
    ui.tooltip(item,
               report == nullptr       ? "Nothing of it was handed in"
               : report->report.agrees ? fmt::format("All {} tensors of it agree", report->report.tensors.size())
                                       : fmt::format("It differs first in {}", name(*report->report.first_difference)),
               "Shift+[ ]");
    if (item.clicked)
      context.memory.get<FrameMemory>().after_frame = [layer](Session& session) { session.look_at_layer(layer); };
    ui.pop_id();
  }
  ui.pop_id();
}

/// Asks which tensor an array is that may be several.
void draw_doubt(ViewContext& context, Rect& rest, const Doubt& doubt) {
  Ui& ui = context.ui;
  const Canvas canvas = ui.canvas();
  const std::string words = words_of(doubt);
  Rect row = rest.cut_top(28);
  canvas.icon(Icon::help, {row.x, row.y + 6}, canvas.theme().text2);
  row.cut_left(24);
  const float wide = canvas.width(words, TextStyle::body) + 12;
  if (wide > row.w * 0.6f) {
    canvas.text_in(row, words, TextStyle::body, canvas.theme().text);
    row = rest.cut_top(28);
  } else {
    canvas.text_in(row.cut_left(wide), words, TextStyle::body, canvas.theme().text);
  }
  ui.push_id("doubt");
  for (const TensorId id : doubt.candidates) {
    const float chip_room = chip_width(canvas, name(id));
    if (chip_room > row.w) break;  // the panel lists them all
    const Rect r = row.cut_left(chip_room);
    row.cut_left(6);
    const Item item = chip(ui, name(id), {r.x, r.y + 2, r.w, 24}, name(id), id == doubt.taken_for);
    ui.tooltip(item, fmt::format("{} is my {}", doubt.yours, name(id)));
    if (item.clicked)
      Checking(context.session)
          .set_work(with_name(context.session.state().checking.work(), doubt.yours,
                              name_in_model(id, context.session.setup())));
  }
  ui.pop_id();
  rest.cut_top(8);
}

/// The tensor of the pictures: the selected one if it was handed in, else the first that differs, else the last.
TensorId pictured(const Session& session, const CheckFindings& findings) {
  if (findings.on(session.selection().tensor)) return session.selection().tensor;
  return findings.report.first_difference.value_or(findings.report.tensors.back().tensor);
}

/// The tensor `steps` further in the table.
TensorId neighbour(const CheckReport& report, TensorId tensor, int steps) {
  const auto& all = report.tensors;
  const auto here = std::ranges::find(all, tensor, &TensorVerdict::tensor) - all.begin();
  const auto last = static_cast<std::ptrdiff_t>(all.size()) - 1;
  return all[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(here + steps, 0, last))].tensor;
}

/// The next tensor that differs after this one; after the last, the first.
TensorId next_difference(const CheckReport& report, TensorId tensor) {
  const auto& all = report.tensors;
  const auto here = static_cast<std::size_t>(std::ranges::find(all, tensor, &TensorVerdict::tensor) - all.begin());
  for (std::size_t i = 1; i <= all.size(); ++i) {
    const TensorVerdict& verdict = all[(here + i) % all.size()];
    if (!verdict.agrees) return verdict.tensor;
  }
  return tensor;
}

void take_keys(ViewContext& context, const CheckFindings& findings, TensorId shown) {
  Ui& ui = context.ui;
  if (ui.typing()) return;
  TensorId next = shown;
  if (!context.session.state().pinned) {
    if (ui.take_key(Key::down)) next = neighbour(findings.report, shown, 1);
    if (ui.take_key(Key::up)) next = neighbour(findings.report, shown, -1);
  }
  if (ui.take_key(Key::n)) next = next_difference(findings.report, shown);
  if (next == shown) return;
  select_checked(context, findings, next);
  ui.request_frame();
}

// --- Nothing to check ------------------------------------------------------------------------------------------------

void draw_problems(ViewContext& context, Rect& rest, const std::vector<Problem>& problems, std::string_view title) {
  const Canvas canvas = context.ui.canvas();
  const Theme& theme = canvas.theme();
  struct Line {
    std::string words;
    Color ink;
  };
  std::vector<Line> lines;
  const auto add = [&](const std::string& words, Color ink) {
    for (std::string_view line : canvas.wrapped(words, TextStyle::body, rest.w - 60))
      lines.push_back({std::string(line), ink});
  };
  for (const Problem& problem : problems) {
    const std::string where = problem.key.empty() ? problem.source : problem.key;
    add(where.empty() ? fmt::format("found {}", problem.found) : fmt::format("{}: found {}", where, problem.found),
        theme.text);
    if (!problem.allowed.empty()) add("allowed: " + problem.allowed, theme.text2);
  }
  Rect card = rest.cut_top(48 + 21 * static_cast<float>(lines.size()));
  canvas.fill(card, theme.raised, 8);
  canvas.stroke(card, theme.error, 1.5f, 8);
  canvas.icon(Icon::cross, {card.x + 16, card.y + 14}, theme.error, 2);
  canvas.text_in({card.x + 42, card.y + 8, card.w - 56, 28}, title, TextStyle::heading, theme.text);
  float y = card.y + 38;
  for (const Line& line : lines) {
    canvas.text_in({card.x + 42, y, card.w - 56, 21}, line.words, TextStyle::body, line.ink);
    y += 21;
  }
  rest.cut_top(12);
}

void draw_without_findings(ViewContext& context, Rect rest, const std::vector<Problem>& problems) {
  draw_compare_choice(context, rest.cut_top(46).inset(0, 8));
  rest.cut_top(8);
  if (!problems.empty())
    draw_problems(context, rest, problems,
                  context.session.state().checking.work().given ? "This cannot be compared" : "This cannot be read");
  if (context.session.state().checking.work().given) return;
  const float width = std::min(rest.w, 520.0f);
  const float y = problems.empty() ? std::max(rest.y, rest.center().y - check_offer_height / 2 - 24) : rest.y;
  draw_check_offer(context, {rest.center().x - width / 2, y, width, check_offer_height});
}

}  // namespace

void draw_action(ViewContext& context, const char* id, const Rect& r, std::string_view label, std::string_view tip,
                 ButtonKind kind) {
  const Action& action = *action_named(id);
  if (button(context.ui, id, r, label,
             {.kind = kind, .tooltip = tip.empty() ? action.title : tip, .keys = action.keys()}))
    run(action, context.session);
}

void draw_compare_choice(ViewContext& context, const Rect& area) {
  constexpr std::array<std::string_view, 2> labels{"two states", "my work"};
  int index = context.session.state().checking.work().shown ? 1 : 0;
  const Rect r{area.x, area.center().y - 14, std::min(area.w, 200.0f), 28};
  if (!segmented(context.ui, "compare what", r, labels, index)) return;
  CheckedWork work = context.session.state().checking.work();
  work.shown = index == 1;
  Checking(context.session).set_work(std::move(work));
}

void draw_check_offer(ViewContext& context, const Rect& card) {
  const Canvas canvas = context.ui.canvas();
  const Theme& theme = canvas.theme();
  canvas.fill(card, theme.raised, 8);
  canvas.stroke(card, theme.line_strong, 1, 8);
  Rect rest = card.inset(28, 18);
  canvas.text_in(rest.cut_top(30), "Check my work", TextStyle::title, theme.text);
  rest.cut_top(4);
  const std::string_view words =
      "Drop an npz, npy or text file here, or paste an array as it is printed; your output alone is enough.";
  for (std::string_view line : canvas.wrapped(words, TextStyle::body, rest.w))
    canvas.text_in(rest.cut_top(20), line, TextStyle::body, theme.text2);
  const float y = card.bottom() - 44;
  const float width = std::min(130.0f, (rest.w - 16) / 3);
  Rect at{rest.x, y, width, 30};
  draw_action(context, "check.open", at, "Open…", "A file with your arrays, or a printout of them",
              ButtonKind::primary);
  draw_action(context, "check.paste", at.moved(width + 8, 0), "Paste",
              "Numbers as NumPy, PyTorch, Python or a spreadsheet write them");
  draw_action(context, "check.template", at.moved(2 * width + 16, 0), "Get template",
              "A program with this setup's draws and room for your code, which writes the file");
}

const CheckFindings* shown_findings(ViewContext& context) {
  CheckMemory& memory = context.memory.get<CheckMemory>();
  const CheckKey now = check_key(context.session);
  if (!now.work.given) return nullptr;
  if (memory.chosen_of != now) {
    memory.chosen_of = now;
    memory.chosen = 0;
    memory.tries = false;
  }
  const CheckFindings* const findings = memory.study.findings(context.session);
  const bool from_step = context.session.state().checking.is_of_step();  // a lecture's step selects its own cell
  if (!from_step && findings && findings->first_difference() && memory.looked_at != now.work.given) {
    // New arrays are shown where they first differ.
    const LayerTensor first = *findings->first_difference();
    if (first.layer == findings->layer) {
      memory.looked_at = now.work.given;
      select_checked(context, *findings, first.tensor);
    } else {
      context.memory.get<FrameMemory>().after_frame = [layer = first.layer](Session& s) { s.look_at_layer(layer); };
    }
    context.ui.request_frame();
  }
  if (!findings || !memory.tries || memory.chosen >= findings->diagnoses.size()) return findings;
  return memory.study.mended(context.session, *findings, memory.chosen);
}

namespace {

/// A lecture's step explains the mistake in this work: draws its words, and theirs beside ours. The table is below if
/// there is room.
void draw_work_of_step(ViewContext& context, Rect rest, const CheckFindings& findings, TensorId shown) {
  cut_lecture_story(context, rest, 0.55f,
                    {.fit =
                         [&](const Arrangement& tried, const Story&) {
                           return fit_of_check_pictures(context, shown, tried.picture,
                                                        tried.rung.gives(Concession::one_row));
                         },
                     .has_rows = true,
                     .depends_on = {static_cast<Index>(shown)}});
  if (!context.bare()) rest.cut_top(10);
  const CheckPicturesHeight pictures = check_pictures_height(context, shown, rest.w);
  const float table = check_table_height(findings) + 16;
  const bool has_table = !context.bare() && rest.h - table >= pictures.enough;
  const float room = has_table ? rest.h - table : rest.h;
  draw_check_pictures(context, rest.cut_top(std::min(room, pictures.full)), findings, shown);
  rest.cut_top(16);
  if (has_table)
    draw_check_table(context, {rest.x - check_margin, rest.y, rest.w + 2 * check_margin, rest.h}, check_margin,
                     findings, shown);
}

}  // namespace

void draw_check_view(ViewContext& context, Rect area) {
  Session& session = context.session;
  const bool from_step = session.state().checking.is_of_step();
  Rect rest = context.presenting ? area : area.inset(check_margin, 0);
  if (from_step) {
    const CheckFindings* const findings = shown_findings(context);
    if (findings && findings->problems.empty())
      return draw_work_of_step(context, rest, *findings, pictured(session, *findings));
  }
  rest.cut_top(area.h < 560 ? 4 : 12);
  if (!session.state().checking.work().given)
    return draw_without_findings(context, rest, session.state().checking.work().problems);
  const CheckFindings* const findings = shown_findings(context);
  if (!findings) {
    draw_compare_choice(context, rest.cut_top(46).inset(0, 8));
    context.ui.canvas().text_in(rest.cut_top(28), "Checking…", TextStyle::body, context.ui.theme().text2);
    context.ui.request_frame_in(look_again);
    return;
  }
  if (!findings->problems.empty()) return draw_without_findings(context, rest, findings->problems);
  draw_headline(context, rest, *findings);
  if (is_stack(*findings)) draw_layers(context, rest, *findings);
  if (findings->report.tensors.empty()) return;  // of another layer
  if (!findings->report.doubts.empty()) draw_doubt(context, rest, findings->report.doubts.front());
  if (!session.state().checking.work().problems.empty())
    draw_problems(context, rest, session.state().checking.work().problems,
                  "The last file or printout couldn't be used");
  const TensorId shown = pictured(session, *findings);
  const float wanted = check_table_height(*findings);
  const float table = std::min(wanted, std::max(rest.h * 0.4f, rest.h - least_pictures - 40));
  draw_check_table(context, {area.x, rest.y, area.w, table}, check_margin, *findings, shown);
  rest.cut_top(table + 4);
  context.ui.canvas().fill({area.x, rest.y, area.w, 1}, context.ui.theme().line);
  rest.cut_top(10);
  draw_check_pictures(context, rest, *findings, shown);
  take_keys(context, *findings, shown);
}

}  // namespace headlight
