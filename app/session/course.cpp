#include "app/session/course.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "app/session/session.hpp"
#include "app/session/state/marks.hpp"

namespace headlight {
namespace {

constexpr std::array<std::string_view, 13> small_numbers{"no",    "one",   "two",  "three", "four",   "five",  "six",
                                                         "seven", "eight", "nine", "ten",   "eleven", "twelve"};

std::string count_in_words(Index count) {
  return count < std::ssize(small_numbers) ? std::string(small_numbers[static_cast<std::size_t>(count)])
                                           : fmt::format("{}", count);
}

/// "about seven hours", "about half an hour", "about 20 minutes".
std::string about_minutes(double minutes) {
  if (minutes < 25) return fmt::format("about {:.0f} minutes", std::max(5.0, 5 * std::round(minutes / 5)));
  if (minutes < 45) return "about half an hour";
  const auto hours = static_cast<Index>(std::lround(minutes / 60));
  return hours == 1 ? "about an hour" : fmt::format("about {} hours", count_in_words(hours));
}

bool is_of_course(const Lecture& lecture) { return lecture.list_position.group == LectureGroup::course; }

}  // namespace

NextLesson next_lesson(const Session& session) {
  using Kind = NextLesson::Kind;
  const auto& lectures = session.lectures();
  const LectureMarks& marks = *session.state().marks;
  const auto progress = [&](const auto& lecture) { return progress_in(*lecture, marks); };
  const auto goes_on = [&](const auto& lecture) { return progress(lecture).begun() && !progress(lecture).done(); };
  const auto going_on_with = [&](const auto& lecture) {
    const LectureProgress done = progress(lecture);
    return NextLesson{lecture, step_to_go_on_at(*lecture, marks), Kind::going, done.seen == done.steps};
  };
  const Lecture* const open = session.lesson().lecture();
  const auto here = std::ranges::find_if(lectures, [&](const auto& each) { return open && each->id == open->id; });
  if (here != lectures.end() && goes_on(*here)) return going_on_with(*here);
  bool any_done = false;
  std::shared_ptr<const Lecture> next;
  for (const auto& lecture : lectures) {
    if (!is_of_course(*lecture)) continue;
    if (goes_on(lecture)) return going_on_with(lecture);
    const bool done = progress(lecture).done();
    any_done |= done;
    if (!done && !next) next = lecture;
  }
  if (next) return {next, 0, any_done ? Kind::next : Kind::first};
  if (lectures.empty()) return {};
  return {lectures.front(), 0, any_done ? Kind::again : Kind::first};
}

std::string words_of_step(const NextLesson& next) {
  if (next.kind != NextLesson::Kind::going || next.step >= next.lecture->steps.size()) return {};
  const std::string& title = next.lecture->steps[next.step].title;
  const bool ends = !title.empty() && std::string_view(".?!").find(title.back()) != std::string_view::npos;
  return fmt::format("{} {} of {}: {}{}", next.only_question ? "Question left in step" : "Step", next.step + 1,
                     next.lecture->steps.size(), title, ends ? "" : ".");
}

std::string words_of(const NextLesson& next) {
  if (!next.lecture) return {};
  switch (next.kind) {
    case NextLesson::Kind::going:
      if (next.only_question) return "Answer the question";
      return next.step == 0 ? "Continue" : fmt::format("Continue at step {}", next.step + 1);
    case NextLesson::Kind::again: return "Again: " + next.lecture->title;
    default: return "Start: " + next.lecture->title;
  }
}

std::string words_of_course(const Session& session) {
  Index count = 0, done = 0;
  double minutes = 0;
  for (const auto& lecture : session.lectures()) {
    if (!is_of_course(*lecture)) continue;
    const LectureProgress progress = progress_in(*lecture, *session.state().marks);
    ++count;
    done += progress.done();
    const double left = !progress.begun() ? 1
                                          : 1 - static_cast<double>(progress.seen) /
                                                    static_cast<double>(std::max<std::size_t>(progress.steps, 1));
    if (!progress.done()) minutes += left * static_cast<double>(lecture->minutes);
  }
  if (count == 0) return {};
  if (done == 0)
    return count == 1
               ? fmt::format("one lesson, {}, one question at a time", about_minutes(minutes))
               : fmt::format("{} lessons, {}, one question at a time", count_in_words(count), about_minutes(minutes));
  if (done == count) return "all done";
  return fmt::format("{} of {} done, {} to go", done, count, about_minutes(minutes));
}

std::string line_about(const Lecture& lecture) { return lecture.in_short.empty() ? lecture.source : lecture.in_short; }

}  // namespace headlight
