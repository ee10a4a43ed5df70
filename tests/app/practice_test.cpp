// A lecture's task: the template, what is handed in, the verdict, and what is kept of it.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/session/practice.hpp"
#include "app/session/settings/settings.hpp"
#include "app/session/state/marks.hpp"
#include "core/diagnose/wrong_work.hpp"
#include "core/engine/engine.hpp"
#include "core/formats/arrays/npz.hpp"
#include "core/formats/files.hpp"
#include "legibility.hpp"
#include "scripted.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

std::size_t place_of_task(const Lecture& lecture) {
  const auto found = std::ranges::find_if(lecture.steps, [](const Step& step) { return step.practice.has_value(); });
  REQUIRE(found != lecture.steps.end());
  return static_cast<std::size_t>(found - lecture.steps.begin());
}

/// A reader at a lecture's task.
struct Coder : Scripted {
  explicit Coder(std::string_view lecture = "bank", int wide = 1280, int high = 720)
      : Scripted(
            [&] {
              Session session = in_lesson(lecture_session(lecture));
              Lesson(session).go_to(place_of_task(*session.lesson().lecture()));
              session.wait();
              return session;
            }(),
            wide, high) {}

  std::string words() {
    std::string all;
    for (const Drawn& drawn : surface.settled_drawing().drawn)
      if (const auto* const text = std::get_if<TextShape>(&drawn.shape)) all += text->text + " ";
    return all;
  }
  bool shows(const std::string& some) { return words().find(some) != std::string::npos; }
  void paste(const std::string& text) {
    session().request(CopyText{text});
    surface.settle();
    press({.key = Key::v, .ctrl = true});
    surface.settle();
  }
  StepMark mark() {
    const auto& marks = session().state().marks->at(session().lesson().lecture()->id);
    return marks.at(session().lesson().at.index);
  }
};

/// As NumPy prints it, without its axes of one element.
std::string as_printed(const Tensor& tensor) {
  const Index rows = tensor.shape()[tensor.shape().rank() - 2], columns = tensor.shape()[tensor.shape().rank() - 1];
  std::string text = "[";
  for (Index row = 0; row < rows; ++row) {
    text += "[";
    for (Index column = 0; column < columns; ++column) {
      std::vector<Index> index(static_cast<std::size_t>(tensor.shape().rank()));
      index[index.size() - 2] = row;
      index.back() = column;
      text += fmt::format(" {:.8f}", tensor.at(index));
    }
    text += "]\n";
  }
  return text + "]";
}

/// The output of somebody who forgets the scale.
Tensor unscaled_output(const Setup& setup) {
  Setup wrong = setup;
  wrong.attention.scale = NoScale{};
  return (*compute_trace(wrong))[TensorId::output];
}

}  // namespace

TEST_CASE("a task gives its template, and the clipboard has it") {
  Coder reader;
  reader.click_item("practice/check.copy_template");
  const std::string text = reader.surface.clipboard();
  CHECK(text == template_of(reader.session()));
  CHECK(text.find("# output = ...") != std::string::npos);
  CHECK(text.find("\noutput = ") == std::string::npos);
  CHECK(text.find("\nweights = ") == std::string::npos);
}

TEST_CASE("a task names the mistake in what is pasted, and not the line that mends it") {
  Coder reader;
  reader.paste(as_printed(unscaled_output(reader.session().setup())));
  CHECK(reader.shows("Not yet"));
  CHECK(reader.shows("the dot products are not scaled"));
  CHECK_FALSE(reader.shows("d_head**0.5"));
  CHECK(reader.mark() == StepMark::seen);
  CHECK(reader.session().display().view == View::picture);  // the lesson stays
  reader.click_item("practice/difference");
  CHECK(reader.session().display().view == View::compare);
  reader.click_item("lesson/picture");
  CHECK(reader.session().display().view == View::picture);
}

TEST_CASE("a task is passed with the array that it asks for, pasted or in a file, and that is kept") {
  TemporaryFolder folder("practice");
  SUBCASE("pasted") {
    Coder reader;
    reader.paste(as_printed(reader.session().trace()[TensorId::output]));
    CHECK(reader.shows("Passed"));
    CHECK(reader.mark() == StepMark::passed);
    // Another try doesn't take it back, and another step begins with nothing handed in.
    reader.paste(as_printed(unscaled_output(reader.session().setup())));
    CHECK(reader.shows("Not yet"));
    CHECK(reader.mark() == StepMark::passed);
    Lesson(reader.session()).step_by(-1);
    Lesson(reader.session()).step_by(1);
    reader.surface.settle();
    CHECK(reader.shows("Passed"));
    const LectureProgress progress = progress_in(*reader.session().lesson().lecture(), *reader.session().state().marks);
    CHECK(progress.tasks == 1);
    CHECK(progress.passed == 1);
    Settings settings;
    settings.marks = *reader.session().state().marks;
    save_changes({}, settings, folder.path() / "settings.toml");
    CHECK(load_settings(folder.path() / "settings.toml").value.marks == settings.marks);
  }
  SUBCASE("dropped") {
    Coder reader("masks", 1366, 768);
    const Trace& trace = reader.session().trace();
    const std::filesystem::path file = folder.path() / "mine.npz";
    const std::vector<NamedTensor> too_little{{"scores", trace[TensorId::scores]}};
    write_npz(file, too_little);
    reader.surface.drop({file});
    reader.surface.settle();
    CHECK(reader.shows("There is no weights in it yet"));
    CHECK(reader.mark() == StepMark::seen);
    const std::vector<NamedTensor> all{{"scores", trace[TensorId::scores]}, {"weights", trace[TensorId::weights]}};
    write_npz(file, all);
    reader.surface.drop({file});
    reader.surface.settle();
    CHECK(reader.shows("Passed"));
    CHECK(reader.mark() == StepMark::passed);
    CHECK(reader.session().display().view != View::compare);
  }
}

TEST_CASE("what was handed in for one task is nothing for the next, and other numbers are no answer") {
  Coder reader;
  reader.paste("no numbers");
  CHECK(reader.shows("This can't be read"));
  reader.paste("[[1, 2], [3, 4]]");
  CHECK(reader.shows("This can't be compared"));
  CHECK(reader.mark() == StepMark::seen);
  Lesson(reader.session()).open("masks", place_of_task(*reader.session().lectures()[4]));
  reader.session().wait();
  reader.surface.settle();
  CHECK_FALSE(reader.shows("This can't be compared"));
  CHECK_FALSE(takes_practice(reader.session()));
}

TEST_CASE("a task is about its own numbers, whatever was changed before it, and each paste has an answer") {
  Coder reader;
  const std::size_t task = reader.session().lesson().at.index;
  Lesson(reader.session()).go_to(task - 1);
  for (const MarkdownLink& written : reader.session().lesson().step()->narration.links)
    if (const auto link = parse_link(written.target); link && link->changes_settings())
      REQUIRE(Lesson(reader.session()).follow(*link).empty());
  REQUIRE(reader.session().setup().sizes.query_length == 5);
  Lesson(reader.session()).go_to(task);
  reader.surface.settle();
  CHECK(reader.session().changes().empty());
  reader.paste(as_printed(unscaled_output(reader.session().setup())));
  CHECK(reader.shows("Not yet"));
  const std::string right = as_printed(reader.session().trace()[TensorId::output]);
  Setup warmer = reader.session().setup();
  warmer.attention.temperature = 2;
  REQUIRE(reader.session().edit(warmer).empty());
  reader.paste(right);
  CHECK(reader.shows("Go back to"));
  CHECK(reader.mark() == StepMark::seen);
  reader.press({.key = Key::r, .ctrl = true, .shift = true});
  CHECK(reader.shows("Passed"));
}

TEST_CASE("a task says each mistake that explains what was handed in, as diagnose does") {
  Coder reader;
  const Trace wrong = with_mistake(reader.session().trace(), "softmax_over_queries", "a test", "mistake");
  reader.paste(as_printed(wrong[TensorId::output]));
  const std::string words = reader.words();
  CAPTURE(words);
  CHECK(reader.shows("Not yet"));
  CHECK(reader.shows(", or "));
  CHECK(words.find(" …") == std::string::npos);
}

TEST_CASE("each lecture of the course has a task, with room for its verdict") {
  const Session all = lecture_session();
  for (const auto& lecture : all.lectures()) {
    if (lecture->list_position.group != LectureGroup::course || lecture->id == "two-layers") continue;
    CAPTURE(lecture->id);
    for (const auto& [wide, high] : {std::pair{1280, 720}, std::pair{1366, 768}}) {
      CAPTURE(wide);
      Coder coder(lecture->id, wide, high);
      const auto complains = [&] {
        const DisplayList drawing = coder.surface.settled_drawing();
        for (const std::string& complaint : text_complaints(drawing, {0, 0, drawing.width, drawing.height}, 14.9f))
          FAIL_CHECK(complaint);
      };
      complains();
      // A long verdict moves nothing.
      const Rect before = coder.item("practice/check.copy_template");
      coder.paste("[[1, 2], [3, 4]]");
      CHECK(coder.shows("This can't be compared"));
      CHECK(coder.item("practice/check.copy_template").y == before.y);
    }
  }
}

TEST_CASE("a small window has the task in its column") {
  for (const auto& [wide, high] : {std::pair{390, 844}, std::pair{640, 360}}) {
    CAPTURE(wide);
    Coder coder("bank", wide, high);
    CHECK(coder.scroll_to("practice/check.copy_template", {0, 60, 300, static_cast<float>(high) - 160}));
  }
}
