// The commands for a class: an exercise to hand out, and what came back checked.
#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "app/commands/commands.hpp"
#include "app/commands/grade_report.hpp"
#include "app/commands/streams.hpp"
#include "app/lectures/library.hpp"
#include "app/shell/user_folders.hpp"
#include "core/formats/diagnose/grades.hpp"
#include "core/formats/diagnose/report_text.hpp"
#include "core/formats/files.hpp"
#include "core/formats/script/script.hpp"
#include "core/model/problem.hpp"
#include "core/text/characters.hpp"
#include "core/text/wording.hpp"

namespace headlight {
namespace {

namespace fs = std::filesystem;

/// Every submission, on all threads. They differ in how long they take, so each is a task of its own.
std::vector<Grade> graded_all(const std::vector<Submission>& submissions, const Solution& solution, Threads& threads,
                              const Report& report) {
  std::vector<Grade> grades(submissions.size());
  std::mutex mutex;
  std::size_t finished = 0;
  threads.run(std::ssize(submissions), [&](Index i) {
    const auto at = static_cast<std::size_t>(i);
    grades[at] = graded(submissions[at], solution);
    const std::scoped_lock lock(mutex);
    report(static_cast<double>(++finished) / static_cast<double>(submissions.size()));
  });
  return grades;
}

double total_of(const Exercise& exercise) {
  double points = 0;
  if (exercise.has_points)
    for (const ExerciseTensor& each : exercise.hand_in) points += each.points;
  return points;
}

std::string title_of(const What& what, const Setup& setup) {
  return printable(what.lecture.empty() ? setup.title : LectureLibrary(what.lectures).lecture(what.lecture).title);
}

/// What the course has to say about each of these mistakes: the step that makes it, else the lesson about its kind.
std::map<std::string, LessonToTeach> lessons_about(const std::vector<MistakeCount>& mistakes) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kinds{
      {{"scale_", "scale"}, {"mask_", "masks"}, {"position_", "where"}, {"rotary_", "where"}, {"alibi_", "where"}}};
  const std::vector<Lecture> lectures = LectureLibrary().lectures();
  std::map<std::string, LessonToTeach> lessons;
  for (const MistakeCount& mistake : mistakes) {
    const auto of_kind =
        std::ranges::find_if(kinds, [&](const auto& kind) { return mistake.name.starts_with(kind.first); });
    for (const Lecture& lecture : lectures) {
      if (lecture.list_position.group != LectureGroup::course) continue;
      const auto step = std::ranges::find(lecture.steps, mistake.name, &Step::mistake);
      const bool makes_it = !mistake.name.empty() && step != lecture.steps.end();
      if (makes_it)
        lessons[mistake.name] = {lecture.id, lecture.title, static_cast<std::size_t>(step - lecture.steps.begin()) + 1};
      else if (of_kind != kinds.end() && of_kind->second == lecture.id)
        lessons.try_emplace(mistake.name, lecture.id, lecture.title);
      if (makes_it) break;
    }
  }
  return lessons;
}

std::string summary_of(const std::vector<Grade>& grades) {
  const auto count = [&](auto of) { return std::ranges::count_if(grades, of); };
  const auto right = count([](const Grade& grade) { return grade.agrees; });
  const auto read = count([](const Grade& grade) { return grade.was_read; });
  std::string text =
      fmt::format("{}: {} right, {} not right, {} can't be read\n", counted(grades.size(), "submission", "submissions"),
                  right, read - right, std::ssize(grades) - read);
  for (const MistakeCount& mistake : counted_mistakes(grades))
    text += fmt::format(
        "{:4}  {}\n", mistake.count,
        mistake.name.empty() ? "no known mistake explains it" : fmt::format("{} ({})", mistake.words, mistake.name));
  return text;
}

/// A file that can be written without loss: it isn't there yet, or is the same already. What somebody has changed since
/// stays.
void require_new(const fs::path& path, const std::string& text) {
  replaced_file(path);
  if (is_file(path) && read_bytes(path, largest_text_file) != text)
    throw InputError(
        {path.string(), "", "a file that says something else already", "another folder, or none of that name"});
}

bool is_same_file(const fs::path& a, const fs::path& b) {
  std::error_code error;
  return from_root(a) == from_root(b) || fs::equivalent(a, b, error);
}

/// Whether the file is a page, or begins as a table of grades does: an earlier run may have written it.
bool may_be_written_again(const fs::path& path) {
  if (path.extension() == ".html") return true;
  constexpr std::string_view beginning = "name,agrees,";
  std::array<char, beginning.size()> found{};
  const std::size_t count = FileReader(path).read(found.data(), found.size());
  return std::string_view(found.data(), count) == beginning;
}

bool is_below(const fs::path& path, const fs::path& folder) {
  std::error_code error;
  const fs::path way = fs::relative(path, folder, error);
  return !error && !way.empty() && *way.begin() != "..";
}

/// What is written takes the place of nothing that is read or written beside it: no exercise, no work that was handed
/// in.
void require_place(const fs::path& output, const fs::path& submissions, const std::vector<fs::path>& taken) {
  const auto refuse = [&](const char* found) {
    throw InputError({output.string(), "", found, "another file to write"});
  };
  for (const fs::path& other : taken)
    if (is_same_file(output, other) && !is_passing(output)) refuse("a file that is read or written already");
  constexpr std::array work{".npz", ".npy", ".ipynb"};
  if (is_file(output) && std::ranges::find(work, output.extension()) != work.end()) refuse("somebody's arrays");
  if (is_file(output) && is_below(output, submissions) && !may_be_written_again(output)) refuse("what was handed in");
}

std::vector<std::string> listed_names(const std::string& text) {
  std::vector<std::string> names;
  for (const std::string_view part : split_at(text, ',')) names.emplace_back(trimmed(part, " "));
  return names;
}

}  // namespace

int grade(const What& what, const GradeArguments& arguments) {
  What own = what;
  Exercise exercise;
  if (arguments.exercise) {
    if (what.setup_file || what.model || !what.lecture.empty())
      throw InputError(
          {"--exercise", "", "it together with another setup", "one of --lecture, --setup and --exercise"});
    exercise = read_exercise(*arguments.exercise);
    own.setup_file = arguments.exercise;
  }
  std::vector<fs::path> apart;  // are no submissions
  if (own.setup_file) apart.push_back(*own.setup_file);
  for (const auto& output : {std::optional(arguments.output), arguments.report}) {
    if (!output) continue;
    replaced_file(*output);  // refuses what cannot be written before the time is spent
    require_place(*output, arguments.folder, apart);
    apart.push_back(*output);
  }
  const std::vector<Submission> submissions = submissions_in(arguments.folder, apart);

  ProgressLine progress(arguments.progress);
  const ModelTrace ours = model_trace_of(own, progress.part("computing", 0, 0.05));
  SeedMemory seeds;
  const Solution solution{ours, exercise.hand_in, seeds, what.memory_limit};
  const std::vector<Grade> grades =
      graded_all(submissions, solution, *what.threads, progress.part("checking", 0.05, 1));
  write_file(arguments.output, grades_csv(grades, exercise.has_points));
  if (arguments.report)
    write_file(*arguments.report, to_html(GradeReport{.title = title_of(own, ours.first().setup),
                                                      .grades = grades,
                                                      .points = total_of(exercise),
                                                      .anonymous = arguments.anonymous,
                                                      .lessons = lessons_about(counted_mistakes(grades))}));
  print_words(summary_of(grades));
  return done;
}

int make_exercise(const What& what, const std::string& hand_in, const fs::path& folder) {
  const Setup setup = setup_of(what);
  const Exercise exercise{.setup = setup, .hand_in = hand_in_of(listed_names(hand_in), setup, "--hand-in")};
  std::vector<std::string> names;
  for (const ExerciseTensor& each : exercise.hand_in) names.push_back(each.tensor);
  const std::string program = exercise_script(setup, framework_of(setup), names, what.memory_limit);
  make_folder(folder);
  const std::array files{std::pair(folder / "exercise.toml", write_exercise(exercise, from_root(folder))),
                         std::pair(folder / "template.py", program)};
  for (const auto& [path, text] : files) require_new(path, text);
  for (const auto& [path, text] : files) write_file(path, text);
  return done;
}

}  // namespace headlight
