// Every lecture can be read, and walked from its first step to its last.
#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "core/formats/files.hpp"
#include "core/formats/lecture/lecture_file.hpp"
#include "tests/core/lectures.hpp"

namespace headlight {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::size_t columns(const std::string& line) {
  const auto begins_character = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
  return static_cast<std::size_t>(std::count_if(line.begin(), line.end(), begins_character));
}

TEST_CASE("the course comes first, then the lectures that follow a document, each list with an order of its own") {
  std::vector<ListPosition> places;
  for (const Lecture& each : all_lectures()) {
    CAPTURE(each.id);
    CHECK(each.list_position.group != LectureGroup::own);
    places.push_back(each.list_position);
  }
  CHECK(std::ranges::is_sorted(places));
  CHECK(std::ranges::adjacent_find(places) == places.end());
}

TEST_CASE("an outline says what a list of lectures says about the lecture, and has no setups") {
  for (const std::filesystem::path& file : lecture_files(HEADLIGHT_LECTURES)) {
    CAPTURE(file.string());
    const Lecture whole = read_lecture(file);
    const Lecture outline = read_outline(read_text(file), whole.id);
    CHECK(outline.is_outline());
    CHECK_FALSE(whole.is_outline());
    CHECK(outline.id == whole.id);
    CHECK(outline.title == whole.title);
    CHECK(outline.source == whole.source);
    CHECK(outline.in_short == whole.in_short);
    CHECK(outline.minutes == whole.minutes);
    CHECK(outline.list_position == whole.list_position);
    REQUIRE(outline.steps.size() == whole.steps.size());
    for (std::size_t step = 0; step < whole.steps.size(); ++step) {
      CHECK(outline.steps[step].title == whole.steps[step].title);
      CHECK(outline.steps[step].question.has_value() == whole.steps[step].question.has_value());
    }
  }
}

TEST_CASE("every step of every lecture can be walked") {
  for (const Lecture& each : all_lectures()) {
    CAPTURE(each.id);
    CHECK_FALSE(each.title.empty());
    CHECK_FALSE(each.source.empty());
    CHECK(each.steps.size() >= 7);
    for (const Step& step : each.steps) {
      CAPTURE(step.title);
      CHECK_FALSE(step.narration.empty());
      REQUIRE(step.part < each.parts.size());
      CHECK(contains(each.setup_of(step), step.look_at));
    }
  }
}

TEST_CASE("the speaker has a note for every step, or more to say about it") {
  for (const Lecture& each : all_lectures()) {
    CAPTURE(each.id);
    for (const Step& step : each.steps) {
      CAPTURE(step.title);
      CHECK_FALSE((step.notes.empty() && step.more.empty()));
    }
  }
}

TEST_CASE("every part of a lecture has a step that shows it and facts to compare") {
  for (const Lecture& each : all_lectures()) {
    CAPTURE(each.id);
    for (std::size_t part = 0; part < each.parts.size(); ++part) {
      CAPTURE(each.parts[part].id);
      CHECK(std::any_of(each.steps.begin(), each.steps.end(), [&](const Step& step) { return step.part == part; }));
      const auto& facts = each.parts[part].facts;
      CHECK(std::any_of(facts.begin(), facts.end(), can_be_compared));
    }
  }
}

TEST_CASE("code stays within four lines of sixty columns") {
  for (const Lecture& each : all_lectures()) {
    CAPTURE(each.id);
    for (const Step& step : each.steps) {
      const auto lines = lines_of(step.code);
      CAPTURE(step.title);
      CHECK(lines.size() <= 4);
      for (const std::string& line : lines) {
        CAPTURE(line);
        CHECK(columns(line) <= 60);
      }
    }
  }
}

TEST_CASE("only digits printed without a seed are left uncompared") {
  for (const Lecture& each : all_lectures()) {
    CAPTURE(each.id);
    std::ptrdiff_t uncompared = 0;
    for (const Part& part : each.parts) {
      uncompared +=
          std::count_if(part.facts.begin(), part.facts.end(), [](const Fact& fact) { return !can_be_compared(fact); });
    }
    const bool unseeded_digits = each.id == "valid-lengths";
    CHECK(uncompared == (unseeded_digits ? 1 : 0));
  }
}

}  // namespace
}  // namespace headlight
