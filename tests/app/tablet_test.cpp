// A window as large as a tablet's that is used with fingers: the first page, a lesson, and the workbench with its
// views.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "app/session/selecting.hpp"
#include "app/session/state/step_words.hpp"
#include "app/slices/slice.hpp"
#include "app/views/base/frame_memory.hpp"
#include "app/views/base/layout.hpp"
#include "app/views/tensors/picture_fit.hpp"
#include "scripted.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

constexpr int tablet_width = 1024, tablet_height = 768;

struct Tablet : Scripted {
  explicit Tablet(Session session, int wide = tablet_width, int high = tablet_height)
      : Scripted(std::move(session), wide, high) {
    surface.use_finger();
    surface.settle();
  }
  bool shows(std::string_view words) {
    for (const Drawn& drawn : surface.settled_drawing().drawn)
      if (const auto* const text = std::get_if<TextShape>(&drawn.shape);
          text && text->text.find(words) != std::string::npos)
        return true;
    return false;
  }
};

/// What a picture is made of is as large as the picture allows, links are in lines of words, and what has a button that
/// does the same: the label of a control, a step of the progress, the edge of a panel.
bool may_be_small(const std::string& path) {
  for (const std::string_view part : {"centre/", "map/", "progress/", "steps/"})
    if (path.find(part) != std::string::npos) return true;
  for (const std::string_view end :
       {"/link", "##scrollbar", "/edge", "/label", "/weight", "/pair", "/beside", "/below"})
    if (path.ends_with(end)) return true;
  return false;
}

/// Whether a finger can tap everything; returns how much that is.
std::size_t check_tapped(Tablet& tablet) {
  std::size_t count = 0;
  for (const PlacedItem& item : tablet.surface.items()) {
    if (may_be_small(item.path)) continue;
    CAPTURE(item.path);
    CHECK(item.rect.x >= -1);
    CHECK(item.rect.right() <= static_cast<float>(tablet.surface.picture().width) + 1);
    CHECK(item.rect.h >= 44);
    CHECK(item.rect.w >= 44);
    ++count;
  }
  return count;
}

}  // namespace

TEST_CASE("on a tablet everything on the first page can be tapped, and its words are for fingers") {
  Session session;
  Documents().load_lectures(session);
  Tablet tablet(std::move(session));
  tablet.run("file.start");
  CHECK(check_tapped(tablet) >= 6);
  CHECK_FALSE(tablet.shows("Click"));
}

TEST_CASE("on a tablet everything in a lesson can be tapped") {
  Tablet tablet(in_lesson(lecture_session("bank")));
  while (tablet.session().lesson().at.index + 1 < tablet.session().lesson().step_count()) {
    CAPTURE(tablet.session().lesson().at.index);
    CHECK(check_tapped(tablet) >= 4);
    CHECK_FALSE(tablet.shows("Click"));
    Lesson(tablet.session()).step_by(1);
    tablet.surface.settle();
  }
}

TEST_CASE("on a tablet everything of the workbench can be tapped, in each view, with either panel open") {
  for (const std::string_view lecture : {"numpy-from-scratch", "learning", "two-layers"}) {
    CAPTURE(lecture);
    Tablet tablet(lecture_session(lecture, 2));
    for (const ViewInfo& view : view_table) {
      if (view.of_task && !tablet.session().setup().has_task()) continue;
      if (view.of_text || view.of_step) continue;
      tablet.session().show(view.id);
      for (const std::string_view panel : {"panel.inspector", "panel.setup"}) {
        CAPTURE(view.title);
        CAPTURE(panel);
        tablet.run(panel);
        tablet.surface.settle();
        CHECK(check_tapped(tablet) >= 8);
      }
    }
  }
}

TEST_CASE("on a tablet, held either way, the numbers that a lesson reads have cells for a finger") {
  std::size_t seen = 0;
  Session all;
  Documents().load_lectures(all);
  for (const auto& lecture : all.lectures()) {
    if (lecture->list_position.group != LectureGroup::course || lecture->id == "trained") continue;
    for (const auto& [wide, high] :
         {std::pair{tablet_width, tablet_height}, std::pair{tablet_height, tablet_width}, std::pair{820, 1180}}) {
      CAPTURE(lecture->id);
      CAPTURE(wide);
      Tablet tablet(in_lesson(lecture_session(lecture->id)), wide, high);
      for (std::size_t step = 0; step < lecture->steps.size(); ++step) {
        CAPTURE(step + 1);
        if (step > 0) Lesson(tablet.session()).step_by(1);
        tablet.surface.settle();
        const Selection& shown = tablet.session().selection();
        const Slice slice = slice_of(tablet.session().trace(), shown.tensor, shown.batch, shown.head);
        const auto cell = tablet.app.memory().get<FrameMemory>().lit_cell;
        if (!cell || std::max(slice.rows(), slice.columns()) > most_read) continue;
        CHECK(cell->w >= 24);  // the least that WCAG 2.2 asks of what is tapped
        CHECK(cell->h >= 20);  // a row of ten has less; what is wide is hit all the same
        ++seen;
      }
    }
  }
  CHECK(seen > 150);
}
