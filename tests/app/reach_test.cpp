// Every screen, worked with the keyboard alone: Tab reaches its controls in the order in which they are read, and F6
// goes from part to part. What Tab doesn't reach has keys of its own, or says nothing but a hint.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/checking.hpp"
#include "app/session/lesson.hpp"
#include "app/session/selecting.hpp"
#include "app/views/base/panels.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/overlays/problems_card.hpp"
#include "app/views/window/start_page.hpp"
#include "captured.hpp"
#include "core/engine/engine.hpp"
#include "core/formats/arrays/npz.hpp"
#include "core/setup/edits.hpp"
#include "pictured_step.hpp"
#include "scripted.hpp"
#include "whole_desk.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

/// What Tab passes by: the end of its path, and how the keyboard does the same.
struct OtherWay {
  std::string_view end;
  std::string_view keys;
};
constexpr OtherWay other_ways[] = {
    {"/cells", "the arrow keys go from number to number"},
    {"]", "as in cells"},
    {"/box", "as in cells"},
    {"/curve", "as in cells"},
    {"/brick", "as in cells"},
    {"/part", "a hint; the terms below it are the same numbers"},
    {"/pair", "as in cells"},
    {"/cell", "[ and ] choose the head, Shift with them the layer"},
    {"/head", "[ and ] choose the head"},
    {"/beside", "[ and ] choose the head"},
    {"/below", "[ and ] choose the head"},
    {"/layer", "Shift+[ and Shift+] choose the layer; ↑ and ↓ in the list of a card"},
    {"/lines/keys", "↑ and ↓ choose the token"},
    {"/lines/queries", "↑ and ↓ choose the token"},
    {"/letter", "Backspace and Space in the text that is written"},
    {"centre/next", "Space writes it"},
    {"/share", "the list beside it has the same symbols"},
    {"/die", "as Roll again"},
    {"/look", "Shift+[ and Shift+] choose the layer"},
    {"/minus", "↑ and ↓ in the field between them"},
    {"/plus", "↑ and ↓ in the field between them"},
    {"/edge", "Ctrl+B and Ctrl+I fold the panel"},
    {"##scrollbar", "what has the focus is scrolled to"},
    {"/stage", "the tensors below it are a list"},
    {"/dash", "← and → go from step to step"},
    {"/steps", "← and → go from step to step"},
    {"/step", "← and → go from step to step"},
    {"slide", "the keys of a talk"},
    {"rows/row", "↑ and ↓ in the field"},
    {"/border", "a width that the mouse drags; ← and → change the share"},
    {"/link", "goes on from the line above, where Tab reaches it"},
    {"/label", "a hint; F1 and the palette have it, too"},
    {"/word", "a hint; the words below say the same"},
    {"/price", "a hint"},
    {"/how", "the setup's panel"},
    {"/code", "the line is copied by the button beside it"},
};

/// A path without its numbers: "start/page/word".
std::string kind_of(const std::string& path) {
  std::string kind;
  std::size_t begin = 0;
  while (begin <= path.size()) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    std::string name = path.substr(begin, end - begin);
    if (name.starts_with("word ")) name = "cells";  // the words of a picture are its numbers' names
    if (name.starts_with("part ")) name = "part";
    if (name.find_first_not_of("0123456789") != std::string::npos) kind += (kind.empty() ? "" : "/") + name;
    begin = end + 1;
  }
  return kind;
}

bool has_other_way(const std::string& path) {
  const std::string kind = kind_of(path);
  return kind.find("status/hints/") != std::string::npos || kind.find("shortcuts/keys/") != std::string::npos ||
         std::ranges::any_of(other_ways, [&](const OtherWay& way) { return kind.ends_with(way.end); });
}

const PlacedItem* focused_among(const std::vector<PlacedItem>& items) {
  const auto found = std::ranges::find_if(items, &PlacedItem::focused);
  return found == items.end() ? nullptr : &*found;
}

/// Whether `b` is read before `a`: above it in its column, or at its left in its row.
bool is_read_before(const Rect& b, const Rect& a) {
  const bool in_column = a.x < b.right() && b.x < a.right();
  const bool in_row = 2 * (std::min(a.bottom(), b.bottom()) - std::max(a.y, b.y)) > std::min(a.h, b.h);
  return (in_column && b.bottom() <= a.y + 1) || (in_row && b.right() <= a.x + 1);
}

/// The first name of a path: the part of the window.
std::string_view part_of(std::string_view path) { return path.substr(0, path.find('/')); }

/// Goes once round with Tab. `within`: the beginning of the paths on a card that covers the rest.
void check_tab(Offscreen& surface, std::string_view within) {
  std::set<std::string> reached;
  std::vector<PlacedItem> seen;
  std::string before;
  const std::size_t stops = surface.tab_stops();
  int back = 0;
  for (std::size_t i = 0; i < stops; ++i) {
    surface.key(Key::tab);
    surface.settle();
    const std::vector<PlacedItem> items = surface.items();
    const PlacedItem* const now = focused_among(items);
    REQUIRE(now != nullptr);
    CAPTURE(now->path);
    CHECK(now->path.starts_with(within));
    const auto last = std::ranges::find(items, before, &PlacedItem::path);
    if (last != items.end() && part_of(last->path) == part_of(now->path) && is_read_before(now->rect, last->rect)) {
      ++back;
      CAPTURE(before);
      CHECK(back <= 1);  // once round
    }
    before = now->path;
    reached.insert(now->path);
    seen.insert(seen.end(), items.begin(), items.end());
  }
  for (const PlacedItem& item : seen) {
    if (!item.path.starts_with(within) || item.tab_stops || reached.contains(item.path)) continue;
    CAPTURE(item.path);
    CHECK(has_other_way(item.path));
  }
  CHECK(reached.size() == stops);
}

/// Goes round with F6, and returns how many parts there are.
int parts_by_f6(Offscreen& surface) {
  std::set<std::string> firsts;
  for (int i = 0; i < 8; ++i) {
    surface.key(Key::f6);
    surface.settle();
    const std::vector<PlacedItem> items = surface.items();
    if (const PlacedItem* const now = focused_among(items)) firsts.insert(now->path);
  }
  return static_cast<int>(firsts.size());
}

void check_reach(Offscreen& surface, int parts, std::string_view within = {}) {
  surface.settle();
  check_tab(surface, within);
  CHECK(parts_by_f6(surface) == parts);
}

void check_reach(Session session, int parts, int width = 1280, int height = 720) {
  Scripted person(std::move(session), width, height);
  check_reach(person.surface, parts);
}

Session shown_in(View view, Session session) {
  session.show(view);
  return session;
}

Session model_that_writes(View view) {
  Setup setup = offered_setup(TaskName::text);
  setup.sizes.batch = 2;
  setup.training.steps = 20;
  Session session(setup);
  session.set_timed(false);
  return shown_in(view, std::move(session));
}

}  // namespace

TEST_CASE("the first page by keyboard") {
  for (const bool first : {true, false}) {
    CAPTURE(first);
    Scripted person(lecture_session("meaning"), 1280, 720);
    person.app.memory().opened<StartPage>() = StartPage{.first = first};
    check_reach(person.surface, 3);
  }
}

TEST_CASE("a lesson by keyboard: on its page, on a phone, and on a slide") {
  check_reach(in_lesson(lecture_session("bank")), 3);
  check_reach(in_lesson(lecture_session("numpy-from-scratch", 5)), 3);
  check_reach(in_lesson(lecture_session("two-layers", 3)), 3);
  Session why = in_lesson(lecture_session("bank", 4));
  Lesson(why).show_answer();
  Selecting(why).pin({TensorId::context, {0, 0, 2, 0}});
  check_reach(std::move(why), 4);
  check_reach(lecture_session("bank", 1), 3, 390, 844);
  check_reach(lecture_session("numpy-from-scratch", 5), 3, 390, 844);
  check_reach(shown_lecture("bank", true), 1);
}

TEST_CASE("the presenter's window by keyboard") {
  Scripted person(lecture_session("bank", 1), 1280, 720);
  person.run("presenter");
  Offscreen presenter(*person.app.second(), 1440, 900);
  check_reach(presenter, 1);
}

TEST_CASE("the workbench by keyboard, in every view") {
  check_reach(lecture_session("numpy-from-scratch", 3), 5);
  check_reach(shown_in(View::heads, lecture_session("behind-the-scenes", 3)), 5);
  check_reach(shown_in(View::tokens, lecture_session("behind-the-scenes", 3)), 4);
  check_reach(shown_in(View::compare, lecture_session()), 5);
  Session compared = lecture_session();
  Checking(compared).set_reference();
  compared.edit(with_mask_kind(compared.setup(), MaskKind::causal, true));
  check_reach(shown_in(View::compare, std::move(compared)), 5);
  check_reach(model_that_writes(View::learn), 5);
  check_reach(model_that_writes(View::layers), 4);
  check_reach(model_that_writes(View::write), 4);
  check_reach(in_workbench(pictured_step(0)), 5);
}

TEST_CASE("the setup's panel and that of a check by keyboard") {
  {
    Scripted person(lecture_session(), 1280, 720);
    person.app.memory().get<PanelsMemory>().asked_for = SidePanel::setup;
    check_reach(person.surface, 5);
  }
  const TemporaryFolder folder("check");
  Scripted person(lecture_session(), 1440, 900);
  Setup wrong = person.session().setup();
  wrong.attention.scale = NoScale{};
  const auto trace = compute_trace(wrong);
  write_npz(folder.path() / "mine.npz", std::vector<NamedTensor>{{"Q", (*trace)[TensorId::Q]},
                                                                 {"attn_scores", (*trace)[TensorId::scores]},
                                                                 {"out", (*trace)[TensorId::output]}});
  person.surface.drop({folder.path() / "mine.npz"});
  check_reach(person.surface, 5);
}

TEST_CASE("cards by keyboard") {
  struct Card {
    std::string_view action, within;
  };
  for (const auto& [action, within] : {Card{"export", "export/"}, Card{"palette", "palette/"},
                                       Card{"shortcuts", "shortcuts/"}, Card{"appearance", "appearance/"}}) {
    CAPTURE(action);
    Scripted person(lecture_session(), 1280, 720);
    person.run(action);
    check_reach(person.surface, 1, within);
  }
  Scripted refused(lecture_session(), 1280, 720);
  refused.app.show_problems("It can't be read", {Problem{"a.toml", "sizes.heads", "3", "a divisor of 8"}});
  check_reach(refused.surface, 1, "problems/");
  WholeDesk person;
  person.drop(gpt2());
  check_reach(person.surface, 1, "layers/");
}
