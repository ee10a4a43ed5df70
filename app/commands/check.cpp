#include "app/commands/commands.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/commands/streams.hpp"
#include "app/commands/table.hpp"
#include "app/lectures/library.hpp"
#include "core/lecture/check.hpp"
#include "core/lecture/live_text.hpp"
#include "core/text/characters.hpp"

namespace headlight {
namespace {

using Verdict = FactResult::Verdict;

std::string verdict_word(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds: return "✓ holds";
    case Verdict::differs: return "✗ differs";
    case Verdict::not_reproducible: return "– cannot be compared";
  }
  return {};
}

std::vector<std::string> row(const std::string& lecture, const FactResult& result) {
  const std::string difference = result.largest_difference ? fmt::format("{:.1e}", *result.largest_difference) : "";
  const bool explained = result.verdict != Verdict::holds && !result.detail.empty();
  return {lecture,     result.part, result.origin == FactOrigin::notebook ? "notebook" : "library",
          result.what, difference,  verdict_word(result.verdict) + (explained ? ": " + result.detail : "")};
}

/// How much of the words and questions is as they claim.
struct LessonCount {
  std::size_t questions = 0, live_numbers = 0, links = 0;
  std::vector<Problem> problems;
};

std::string location_in_file(const LectureLibrary& library, const std::string& id, int line) {
  const auto file = library.file(id);
  return fmt::format("{}:{}", file ? file->string() : id + ".md", line);
}

/// Reading the lecture has checked its links, but for those to other lectures.
void check_links(const LectureLibrary& library, const Lecture& lecture, const Step& step, LessonCount& count) {
  for (const LiveText* text : texts_of(step)) {
    for (const MarkdownLink& markdown : text->links) {
      const auto link = parse_link(markdown.target);
      const std::string id = link ? link->target.substr(0, link->target.find('#')) : "";
      const auto& ids = library.ids();
      if (link && (link->kind != Link::Kind::lecture || std::find(ids.begin(), ids.end(), id) != ids.end()))
        ++count.links;
      else
        count.problems.push_back({location_in_file(library, lecture.id, step.line),
                                  fmt::format("link [{}]", markdown.words), fmt::format("\"{}\"", markdown.target),
                                  fmt::format("one of {}", fmt::join(ids, ", "))});
    }
  }
}

std::string what_is_wrong(const LessonResult& result) {
  switch (result.kind) {
    case LessonResult::Kind::question: return fmt::format("question \"{}\"", result.what);
    case LessonResult::Kind::live_number: return fmt::format("{{{}}}", shortened(result.what));
    case LessonResult::Kind::step: return fmt::format("step \"{}\"", result.what);
  }
  return {};
}

void check_lesson(const LectureLibrary& library, const std::string& id, const std::shared_ptr<Threads>& threads,
                  LessonCount& count) {
  const Lecture lecture = library.lecture(id);
  for (const LessonResult& result : check_lessons(lecture, {}, threads)) {
    const bool question = result.kind == LessonResult::Kind::question;
    if (result.holds()) ++(question ? count.questions : count.live_numbers);
    else
      count.problems.push_back(
          {location_in_file(library, id, result.line), what_is_wrong(result), result.found, result.allowed});
  }
  for (const Step& step : lecture.steps) check_links(library, lecture, step, count);
}

}  // namespace

int check_lectures(const std::vector<std::string>& ids, const std::optional<std::filesystem::path>& folder,
                   const std::shared_ptr<Threads>& threads) {
  const LectureLibrary library(folder);
  std::vector<std::vector<std::string>> rows;
  std::size_t held = 0, failed = 0, open = 0;
  for (const std::string& id : ids.empty() ? library.ids() : ids) {
    for (const FactResult& result : check(library.lecture(id), {}, threads)) {
      rows.push_back(row(id, result));
      (result.verdict == Verdict::holds ? held : result.verdict == Verdict::differs ? failed : open) += 1;
    }
  }
  print_words(table({"lecture", "part", "printed by", "what", "max |Δ|", "result"}, rows));
  print(fmt::format("\n{} facts hold, {} differ, {} cannot be compared\n", held, failed, open));
  LessonCount count;
  for (const std::string& id : ids.empty() ? library.ids() : ids) check_lesson(library, id, threads, count);
  for (const std::string& line : lines_of(count.problems)) print_words(fmt::format("✗ {}\n", line));
  print(fmt::format("{} questions have one answer, {} live numbers a value, {} links a target; {} do not\n",
                    count.questions, count.live_numbers, count.links, count.problems.size()));
  return failed == 0 && count.problems.empty() ? done : check_failed;
}

}  // namespace headlight
