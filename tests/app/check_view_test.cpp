// Check my work, by a scripted person: files that are dropped, opened and changed, printouts that are pasted, names
// said by hand, the fix that is tried, and what cannot be read.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "app/session/checking.hpp"
#include "app/session/lesson.hpp"
#include "app/session/selecting.hpp"
#include "app/view_table.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/compare/check_study.hpp"
#include "app/views/overlays/path_card.hpp"
#include "core/engine/engine.hpp"
#include "core/formats/arrays/npy.hpp"
#include "core/formats/arrays/npz.hpp"
#include "core/formats/files.hpp"
#include "core/formats/lecture/lecture_file.hpp"
#include "core/setup/edits.hpp"
#include "legibility.hpp"
#include "probe.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

struct CheckDesk : Scripted {
  TemporaryFolder folder{"check"};
  std::filesystem::path file = folder.path() / "my_attention.npz";

  CheckDesk() : Scripted(lecture_session(), 1440, 900) {}

  /// The lecture's setup as someone computes it who forgot to scale.
  std::shared_ptr<const Trace> unscaled() const {
    Setup wrong = app.session().setup();
    wrong.attention.scale = NoScale{};
    return compute_trace(wrong);
  }
  void write(const Trace& trace) const {
    using enum TensorId;
    const std::vector<NamedTensor> arrays{{"Q", trace[Q]},
                                          {"attn_scores", trace[scores]},
                                          {"attn_weights", trace[weights]},
                                          {"foo", trace[context]},
                                          {"out", trace[output]}};
    write_npz(file, arrays);
  }
  void drop(const std::filesystem::path& path) {
    surface.drop({path});
    surface.settle();
  }
  const CheckFindings& findings() {
    const CheckFindings* const found = app.memory().get<CheckMemory>().study.findings(session());
    REQUIRE(found);
    return *found;
  }
  void paste(const std::string& text) {
    session().request(CopyText{text});
    surface.settle();
    press({.key = Key::v, .ctrl = true});
  }
};

}  // namespace

TEST_CASE("a share that somebody gives to a key that the mask hides shows its number") {
  CheckDesk person;
  person.write(*compute_trace(person.session().setup()));  // without a mask
  Setup causal = person.session().setup();
  causal.mask.kinds = {MaskKind::causal};
  REQUIRE(person.session().edit(causal, "a mask").empty());
  person.session().wait();
  person.surface.settle();
  person.drop(person.file);
  const CheckFindings& findings = person.findings();
  const CheckedMatrix* const matrix =
      person.app.memory().get<CheckMemory>().study.matrix(person.session(), findings, TensorId::weights);
  REQUIRE(matrix);
  CHECK(matrix->ours.kind(0, 1) == CellKind::masked);
  CHECK(matrix->theirs.kind(0, 1) == CellKind::number);
  CHECK(matrix->difference.kind(0, 1) == CellKind::number);
  CHECK(matrix->theirs.value(0, 1) > 0);
}

TEST_CASE("a dropped file is compared tensor by tensor, and its mistake is named") {
  CheckDesk person;
  person.write(*person.unscaled());
  person.drop(person.file);
  REQUIRE(person.session().display().view == View::compare);
  REQUIRE(person.session().state().checking.work().shown);
  const CheckReport& report = person.findings().report;
  CHECK(report.first_difference == TensorId::scores);
  CHECK(report.diagnoses.front().mistake == "scale_missing");
  for (const char* row : {"Q/row", "scores/row", "weights/row", "output/row"}) CHECK(person.has_item(row));
  CHECK(person.has_item("yours/cells"));
  CHECK(person.has_item("ours/cells"));
  CHECK(person.has_item("difference/cells"));
  CHECK(person.findings().ratio.constant());
  CHECK(person.findings().ratio.most == doctest::Approx(2));
}

TEST_CASE("in the two panels of a check no words are cut, and Tab leads down the left one") {
  CheckDesk person;
  person.write(*person.unscaled());
  person.surface.lengthen_words();
  person.drop(person.file);
  std::set<std::string> seen;
  for (const std::string_view panel : {"check scroll", "diagnosis"}) {
    const auto inside = person.surface.item(panel == "diagnosis" ? "copy fix" : "check.paste");
    REQUIRE(inside);
    person.surface.move_mouse(inside->center());
    for (int turn = 0; turn < 8; ++turn) {
      for (const PlacedWords& each : person.surface.words()) {
        CAPTURE(each.text);
        CHECK_FALSE(each.cut);
        seen.insert(each.text);
      }
      person.surface.wheel(-6);
      person.surface.settle();
    }
    person.surface.wheel(60);
    person.surface.settle();
  }
  CHECK(seen.size() > 30);
  float top = 0;
  for (const PlacedItem& item : person.surface.items()) {
    if (item.path.find("check scroll/") == std::string::npos || !item.tab_stops) continue;
    CAPTURE(item.path);
    CHECK(item.rect.bottom() > top);
    top = item.rect.y;
  }
  CHECK(top > 0);
}

TEST_CASE("rows, arrow keys and N choose the tensor whose cells are shown") {
  CheckDesk person;
  person.write(*person.unscaled());
  person.drop(person.file);
  person.click_item("output/row");
  CHECK(person.session().selection().tensor == TensorId::output);
  // A click also selects the cell that is furthest off.
  const Tensor& off = person.findings().differences[index_of(TensorId::output)];
  const Selection& at = person.session().selection();
  for (Index row = 0; row < off.shape()[1]; ++row)
    for (Index column = 0; column < off.shape()[2]; ++column)
      CHECK(std::abs(off.at({0, row, column})) <= std::abs(off.at({0, at.row, at.column})));
  person.press(Key::n);
  CHECK(person.session().selection().tensor == TensorId::scores);
  person.press(Key::up);
  CHECK(person.session().selection().tensor == TensorId::Q);
  person.press(Key::down);
  CHECK(person.session().selection().tensor == TensorId::scores);
  // The pictures answer to the mouse as one.
  const Rect yours = person.item("yours/cells");
  const auto cell = cell_at(person, yours.min() + Point{yours.w * 0.4f, yours.h * 0.9f});
  REQUIRE(cell);
  CHECK(*cell == Cell{TensorId::scores, {0, person.session().selection().head, 3, 1}});
}

TEST_CASE("an array that its name does not give away is said to be a tensor by hand, and back") {
  CheckDesk person;
  person.write(*person.unscaled());
  person.drop(person.file);
  REQUIRE(person.findings().report.unrecognised == std::vector<std::string>{"foo"});
  person.click_item("foo/ours");
  person.click_item("1/row");  // X, which has another shape
  CHECK(named_by_hand(person.session().state().checking.work(), "foo") != nullptr);
  CHECK_FALSE(person.findings().problems.empty());
  CHECK_FALSE(person.has_item("Q/row"));
  person.click_item("foo/by name");
  CHECK(person.findings().problems.empty());
  CHECK(person.findings().report.unrecognised.size() == 1);
  person.click_item("out/ours");
  person.click_item("0/row");  // none
  CHECK(person.findings().on(TensorId::output) == nullptr);
  CHECK(person.findings().on(TensorId::Q) != nullptr);
}

TEST_CASE("the fix can be tried, and then everything agrees") {
  CheckDesk person;
  person.write(*person.unscaled());
  person.drop(person.file);
  const Rect scores = person.item("scores/row");
  person.surface.move_mouse({20, 880});
  const Image wrong = person.surface.settled_picture();
  person.click_item("try");
  person.surface.move_mouse({20, 880});
  CHECK(pixels_off(wrong, person.surface.settled_picture(), scores) > 200);
  const CheckFindings* const with =
      person.app.memory().get<CheckMemory>().study.mended(person.session(), person.findings(), 0);
  REQUIRE(with);
  CHECK(with->report.agrees);
  person.click_item("try");
  person.surface.move_mouse({20, 880});
  CHECK(pixels_off(wrong, person.surface.settled_picture(), scores) == 0);
  person.click_item("copy fix");
  CHECK(person.surface.clipboard() == "scores = dot_products / d_head**0.5");
}

TEST_CASE("a file that changes is checked again, unless that is turned off") {
  CheckDesk person;
  person.write(*person.unscaled());
  person.drop(person.file);
  REQUIRE_FALSE(person.findings().report.agrees);
  const auto rewrite = [&](const Trace& trace) {
    person.write(trace);
    std::filesystem::last_write_time(person.file,
                                     std::filesystem::last_write_time(person.file) + std::chrono::seconds(2));
    person.app.changed_outside();
    person.surface.settle();
  };
  rewrite(person.session().trace());
  CHECK(person.findings().report.agrees);
  person.click_item("follows");
  rewrite(*person.unscaled());
  CHECK(person.findings().report.agrees);
  person.click_item("follows");  // and on again: it is read at once
  CHECK_FALSE(person.findings().report.agrees);
  // A version that is cut short is refused; what was there stays.
  std::ofstream(person.file, std::ios::binary | std::ios::trunc) << "PK";
  std::filesystem::last_write_time(person.file,
                                   std::filesystem::last_write_time(person.file) + std::chrono::seconds(4));
  person.app.changed_outside();
  person.surface.settle();
  CHECK_FALSE(person.session().state().checking.work().problems.empty());
  CHECK(person.findings().report.first_difference == TensorId::scores);
}

TEST_CASE("arrays that were forgotten stay away, also when their file changes, until somebody opens it again") {
  CheckDesk person;
  person.write(*person.unscaled());
  person.drop(person.file);
  REQUIRE(person.session().state().checking.work().given);
  const auto change = [&](int seconds) {
    person.write(person.session().trace());
    std::filesystem::last_write_time(person.file,
                                     std::filesystem::last_write_time(person.file) + std::chrono::seconds(seconds));
    person.app.changed_outside();
    person.surface.settle();
  };
  person.run("check.forget");
  change(2);
  CHECK_FALSE(person.session().state().checking.work().given);
  person.paste("output = [[[1., 2.]]]");  // the file must not replace what came later, either
  change(4);
  REQUIRE(person.session().state().checking.work().given);
  CHECK(person.session().state().checking.work().given->file.empty());
  person.drop(person.file);
  change(6);
  CHECK(person.findings().report.agrees);
}

TEST_CASE("an array that could be several tensors is asked about, and a click says which one it is") {
  CheckDesk person;
  person.press(Key::k);
  std::string text = "[";
  for (Index row = 0; row < 4; ++row) text += std::string(row ? ", " : "") + "[1, 2, 3, 4, 5, 6, 7, 8]";
  person.paste(text + "]");
  REQUIRE(person.findings().report.doubts.size() == 1);
  CHECK(person.findings().report.first_difference == TensorId::output);
  person.click_item("doubt/K");
  CHECK(person.findings().report.doubts.empty());
  CHECK(person.findings().report.first_difference == TensorId::K);
  CHECK_FALSE(person.has_item("doubt/K"));
}

TEST_CASE("where the compare view offers a check, an array can be pasted at once") {
  CheckDesk person;
  person.session().show(View::compare);
  REQUIRE_FALSE(person.session().state().checking.work().shown);
  person.paste("[[1.5, 2.5], [3.5, 4.5]]");
  CHECK(person.session().state().checking.work().shown);
  CHECK(person.session().state().checking.work().given);
}

TEST_CASE("where the compare view compares two states, a pasted array becomes numbers of the setup") {
  CheckDesk person;
  Selecting(person.session()).select_tensor(TensorId::X);
  Checking(person.session()).set_reference();
  person.session().show(View::compare);
  REQUIRE(person.session().selection().tensor == TensorId::X);
  REQUIRE_FALSE(person.session().state().checking.work().shown);
  std::string rows;
  for (int row = 0; row < 4; ++row) rows += (row ? ", [" : "[") + std::to_string(row) + ".5, 0, 0, 0, 0, 0, 0, 0]";
  person.paste("[" + rows + "]");
  CHECK_FALSE(person.session().state().checking.work().given);
  CHECK(person.session().trace()[TensorId::X].at({0, 3, 0}) == 3.5);
}

TEST_CASE("a printed output alone can be pasted, and the setup answers to it") {
  CheckDesk person;
  person.press(Key::k);
  REQUIRE(person.session().state().checking.work().shown);
  const Tensor output = person.session().trace()[TensorId::output];
  std::string text = "tensor([[[";
  for (Index row = 0; row < 4; ++row) {
    for (Index column = 0; column < 8; ++column)
      text += (column ? ", " : row ? "], [" : "") + std::to_string(output.at({0, row, column})).substr(0, 6);
  }
  person.paste(text + "]]])");
  CHECK(person.session().state().checking.work().given->arrays.front().name == "pasted 1");
  CHECK(person.findings().report.tensors.front().tensor == TensorId::output);
  // Another seed, and it is a different output.
  person.session().edit(with_seed(person.session().setup(), 3));
  person.surface.settle();
  CHECK_FALSE(person.findings().report.agrees);
  person.paste("this is no array");
  CHECK_FALSE(person.session().state().checking.work().problems.empty());
  CHECK(person.session().state().checking.work().given);
}

TEST_CASE("what is pasted once more replaces what was without a name, pasted or in a file") {
  CheckDesk person;
  const auto shifted = [&](float by) {
    const Tensor output = person.session().trace()[TensorId::output];
    std::string text;
    for (Index row = 0; row < 4; ++row) {
      for (Index column = 0; column < 8; ++column)
        text += fmt::format("{}{:.5f}", column ? " " : row ? "], [" : "[[", output.at({0, row, column}) + by);
    }
    return text + "]]";
  };
  const auto only = [&] {
    const HandedIn& given = *person.session().state().checking.work().given;
    REQUIRE(given.arrays.size() == 1);
    return given.arrays.front();
  };
  const auto single = person.folder.path() / "mine.npy";
  write_npy(single, person.unscaled()->operator[](TensorId::output));
  person.press(Key::k);
  person.drop(single);
  REQUIRE(only().called_by_file);
  REQUIRE_FALSE(person.findings().report.agrees);
  // The same layer, mended: pasted over the file, which is not read again later.
  person.paste(shifted(0));
  CHECK(only().name == "pasted 1");
  CHECK(person.findings().report.agrees);
  CHECK(person.session().state().checking.work().file.empty());
  CHECK(person.session().state().checking.work().given->title == "1 pasted array");
  // And broken again: the second printout takes the place of the first.
  person.paste(shifted(1));
  CHECK(only().name == "pasted 1");
  CHECK(person.findings().report.tensors.front().tensor == TensorId::output);
  CHECK_FALSE(person.findings().report.agrees);
  // Another shape is another array.
  person.paste("[[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]");
  CHECK(person.session().state().checking.work().given->arrays.size() == 2);
  // A file whose arrays have names stays beside what is pasted.
  person.write(*person.unscaled());
  person.drop(person.file);
  const std::size_t named = person.session().state().checking.work().given->arrays.size();
  person.paste(shifted(0));
  CHECK(person.session().state().checking.work().given->arrays.size() == named + 1);
  CHECK(person.session().state().checking.work().file == person.file);
}

TEST_CASE("an array of a shape that cannot be is refused where it would stand") {
  CheckDesk person;
  Checking(person.session()).set_work({});
  person.press(Key::k);
  person.paste("scores = [[1., 2.], [3., 4.]]");
  REQUIRE_FALSE(person.findings().problems.empty());
  CHECK(person.findings().problems.front().message().find("scores") != std::string::npos);
  CHECK_FALSE(person.has_item("yours/cells"));
  person.run("check.forget");
  CHECK(person.has_item("check.open"));
  CHECK(person.has_item("check.template"));
}

TEST_CASE("a file that is none says so in the view, and the next one is taken") {
  CheckDesk person;
  const auto broken = person.folder.path() / "broken.npz";
  std::ofstream(broken) << "PK, but no archive";
  person.press(Key::k);
  person.drop(broken);
  CHECK(person.session().display().view == View::compare);
  CHECK_FALSE(person.session().state().checking.work().problems.empty());
  CHECK_FALSE(person.session().state().checking.work().given);
  person.write(person.session().trace());
  person.drop(person.file);
  CHECK(person.session().state().checking.work().problems.empty());
  CHECK(person.findings().report.agrees);
}

TEST_CASE("the template is written where the card says, and the command names the file") {
  CheckDesk person;
  person.run("check.template");
  REQUIRE(person.app.memory().opened<PathPrompt>());
  person.retype((person.folder.path() / "mine.py").string());
  person.press(Key::enter);
  CHECK(read_text(person.folder.path() / "mine.py").find("mine.npz") != std::string::npos);
  person.write(*person.unscaled());
  person.drop(person.file);
  Checking(person.session()).set_work(with_name(person.session().state().checking.work(), "foo", "context"));
  person.surface.settle();
  CHECK(person.findings().on(TensorId::context) != nullptr);
  person.run("check.command");
  const std::string command = person.surface.clipboard();
  CHECK(command.starts_with("headlight diagnose --lecture numpy-from-scratch"));
  CHECK(command.find(person.file.string()) != std::string::npos);
  CHECK(command.find("--name foo=context") != std::string::npos);
}

TEST_CASE("the tolerance can be widened until everything agrees, and two states can be looked at meanwhile") {
  CheckDesk person;
  person.write(*person.unscaled());
  person.drop(person.file);
  CheckedWork work = person.session().state().checking.work();
  work.tolerance.absolute = 100;
  Checking(person.session()).set_work(work);
  person.surface.settle();
  CHECK(person.findings().report.agrees);
  person.choose("compare what", 0, 2);
  CHECK(person.has_item("keep"));
  CHECK(person.session().state().checking.work().given);
  person.press(Key::k);
  CHECK(person.has_item("yours/cells"));
}

TEST_CASE("in a frame of a notebook the words about the table stand apart from each other") {
  CheckDesk person;
  person.write(*person.unscaled());
  person.drop(person.file);
  const auto says = [&](std::string_view words) {
    const DisplayList& drawing = person.surface.settled_drawing();
    return shows_text(drawing, {0, 0, drawing.width, drawing.height}, words);
  };
  CHECK(says("tolerance"));
  person.surface.resize(830, 640);
  CHECK(says("step on its own: our step, run on your tensors"));
  CHECK_FALSE(says("tolerance"));
  CHECK(says("max |Δ|"));
}

TEST_CASE("on a slide yours and ours are both there, and no weight of yours is hatched that is not 0") {
  const Session all = lecture_session("mistakes");
  std::size_t checked = 0;
  std::size_t wrong_weights = 0;
  for (std::size_t step = 0; step < all.lesson().step_count(); ++step) {
    if (all.lesson().lecture()->steps[step].mistake.empty()) continue;
    for (const bool presenting : {false, true}) {
      CAPTURE(step + 1);
      CAPTURE(presenting);
      Session session = lecture_session("mistakes", step);
      session.set_timed(false);
      session.set_display(with_presenting(session.display(), presenting));
      Scripted person(std::move(session), 1280, 720);
      person.surface.settle();
      if (!presenting && !person.has_item("ours/cells")) continue;  // a narrow window shows the difference instead
      const Rect yours = person.item("yours/cells");
      const Rect ours = person.item("ours/cells");
      CHECK(yours.intersected(ours).empty());
      CHECK(std::abs(yours.w - ours.w) <= 1);  // edges are on whole pixels
      CHECK(std::abs(yours.h - ours.h) <= 1);
      ++checked;
      Lesson(person.session()).show_answer();  // what it asks about is covered until then
      const DisplayList drawing = person.surface.settled_drawing();
      if (!person.has_item("ours/cells")) continue;
      const auto hatched = [&](const Rect& cells) {
        std::size_t count = 0;
        for (const Drawn& drawn : drawing.drawn)
          if (const auto* const hatch = std::get_if<HatchShape>(&drawn.shape))
            count += static_cast<std::size_t>(
                std::ranges::count_if(hatch->rects, [&](const Rect& r) { return cells.contains(r.center()); }));
        return count;
      };
      const TensorId tensor = person.session().selection().tensor;
      if (info(tensor).is_attention() && hatched(person.item("yours/cells")) < hatched(person.item("ours/cells")))
        ++wrong_weights;
    }
  }
  CHECK(checked > 6);
  CHECK(wrong_weights > 1);  // a mask upside down leaves weights where ours are hidden, in the window and on the slide
}

TEST_CASE("a slide too low for all rows shows the selected one, whether tokens are rows or columns") {
  for (const bool turned : {false, true}) {
    CAPTURE(turned);
    const std::string text = fmt::format(R"lesson(+++
title = "A lesson"
[setup]
sizes = {{ query_length = 60, d_model = 4, heads = 1 }}
attention = {{ token_axis = "{}" }}
random = {{ draws = ["seed 5", "X normal", "W_q normal", "W_k normal"] }}
+++
## Wrong
```step
cell = "scores[0,0,40,7]"
mistake = "scale_missing"
```
Words.
)lesson",
                                         turned ? "columns" : "rows");
    Session session;
    REQUIRE(Lesson(session).open(parse_lecture(text, "a.md", "a", lecture_views())).empty());
    session.set_timed(false);
    session.set_display(with_presenting(session.display(), true));
    Scripted person(std::move(session), 1280, 720);
    person.surface.settle();
    const Rect yours = person.item("yours/cells");
    std::set<Index> across;
    for (const float x : {0.1f, 0.5f, 0.9f})
      for (const float y : {0.1f, 0.9f}) {
        const auto cell = cell_at(person, yours.min() + Point{yours.w * x, yours.h * y});
        REQUIRE(cell);
        CHECK(cell->index[turned ? 3 : 2] == (turned ? 7 : 40));
        across.insert(cell->index[turned ? 2 : 3]);
      }
    CHECK(across.size() == 3);
  }
}
