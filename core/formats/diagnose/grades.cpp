#include "core/formats/diagnose/grades.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <new>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/diagnose/model_check.hpp"
#include "core/formats/arrays/csv.hpp"
#include "core/formats/diagnose/report_text.hpp"
#include "core/model/cell.hpp"
#include "core/model/problem.hpp"
#include "core/text/characters.hpp"

namespace headlight {
namespace {

/// Of one layer, which `setup` is asked about.
GradedTensor graded_tensor(const TensorVerdict& verdict, const Setup& setup) {
  return {.at = {setup.layer, verdict.tensor},
          .name = name_in_model(verdict.tensor, setup),
          .by = verdict.by,
          .agrees = verdict.agrees,
          .step_agrees = verdict.step_agrees,
          .max_abs = verdict.max_abs,
          .cells_off = verdict.cells_off,
          .cells = verdict.shape.elements()};
}

GradedMistake graded_mistake(const Diagnosis& diagnosis, const std::vector<std::string>& places, const Setup& setup) {
  return {.name = std::string(diagnosis.mistake),
          .words = diagnosis.words,
          .at = places.empty() ? "draws" : fmt::format("{}", fmt::join(places, ", ")),
          .fix = fix_of(diagnosis, setup, framework_of(setup))};
}

void add(Grade& grade, const CheckReport& report, const Setup& setup) {
  for (const TensorVerdict& verdict : report.tensors) grade.tensors.push_back(graded_tensor(verdict, setup));
  for (const Diagnosis& diagnosis : report.diagnoses) {
    std::vector<std::string> places;
    for (const TensorId id : diagnosis.at) places.push_back(name_in_model(id, setup));
    if (diagnosis.explains) grade.mistakes.push_back(graded_mistake(diagnosis, places, setup));
  }
}

void add(Grade& grade, const ModelReport& report, const Setup& setup) {
  for (const LayerReport& layer : report.layers)
    for (const TensorVerdict& verdict : layer.report.tensors)
      grade.tensors.push_back(graded_tensor(verdict, seen_at(setup, layer.layer)));
  for (const ModelDiagnosis& diagnosis : report.diagnoses) {
    std::vector<std::string> places;
    for (const LayerTensor& place : diagnosis.at)
      places.push_back(name_in_model(place.tensor, seen_at(setup, place.layer)));
    if (diagnosis.what.explains)
      grade.mistakes.push_back(graded_mistake(diagnosis.what, places, seen_at(setup, diagnosis.layer)));
  }
}

void check(Grade& grade, const std::vector<GivenArray>& arrays, const Naming& names, const Solution& solution) {
  grade.tensors.clear();
  grade.mistakes.clear();
  const auto alone = std::make_shared<Threads>(1);  // the submissions share the threads
  const std::string no_source;                      // the row says whose it is
  const Setup& setup = solution.ours.first().setup;
  if (setup.block.residual) {
    add(grade, diagnose_model(solution.ours, arrays, {}, no_source, alone), setup);
  } else {
    const DiagnoseOptions options{.names = names, .tolerance = {}, .mistakes_too = true};
    add(grade, diagnose(solution.ours.first(), arrays, options, no_source, alone, solution.seeds), setup);
  }
}

/// The tensor that was handed in under this name. Scores that are masked already are scores too.
const GradedTensor* handed_in(const Grade& grade, std::string_view tensor) {
  const auto named = [&](std::string_view name) -> const GradedTensor* {
    const auto found = std::ranges::find(grade.tensors, name, &GradedTensor::name);
    return found == grade.tensors.end() ? nullptr : &*found;
  };
  constexpr std::string_view scores = "scores";
  const GradedTensor* found = named(tensor);
  if (found == nullptr && tensor.ends_with(scores) && !tensor.ends_with("_scores"))
    found = named(std::string(tensor.substr(0, tensor.size() - scores.size())) + "masked_scores");
  return found;
}

/// Of an exercise of one layer: what would count as not handed in, although there is an array of that very name,
/// because its numbers are those of another tensor. Who was asked for the scores has handed in wrong ones then.
Naming taken_for_others(const Grade& grade, const std::vector<GivenArray>& arrays, const Solution& solution) {
  Naming names;
  const Trace& ours = solution.ours.first();
  for (const ExerciseTensor& wanted : solution.hand_in) {
    const auto id = ours.setup.block.residual ? std::nullopt : tensor_named(wanted.tensor);
    if (!id || handed_in(grade, wanted.tensor) != nullptr) continue;
    const auto fits = [&](const GivenArray& array) {
      return array.name == wanted.tensor && array.values.shape() == ours[*id].shape();
    };
    if (std::ranges::any_of(arrays, fits)) names.emplace_back(wanted.tensor, wanted.tensor);
  }
  return names;
}

/// What counts: every tensor that is there, or those of the exercise.
void judge(Grade& grade, const std::vector<ExerciseTensor>& hand_in) {
  grade.agrees = true;
  const auto count = [&](const GradedTensor& tensor) {
    if (!tensor.agrees && grade.first_difference.empty()) grade.first_difference = tensor.name;
    grade.agrees = grade.agrees && tensor.agrees;
  };
  std::vector<std::string_view> missing;
  for (const ExerciseTensor& wanted : hand_in) {
    const GradedTensor* const tensor = handed_in(grade, wanted.tensor);
    if (tensor == nullptr) {
      missing.push_back(wanted.tensor);
      continue;
    }
    count(*tensor);
    if (tensor->agrees || tensor->step_agrees) grade.points += wanted.points;
  }
  if (hand_in.empty()) std::ranges::for_each(grade.tensors, count);
  if (grade.agrees) grade.mistakes.clear();
  if (missing.empty()) return;
  grade.agrees = false;
  grade.error = fmt::format("not handed in: {}", fmt::join(missing, ", "));
}

/// The reason, without the name of the submission's own file, which the row says already.
std::string reason(const InputError& error, const std::filesystem::path& path) {
  std::vector<Problem> problems = error.problems();
  for (Problem& problem : problems) {
    if (!problem.source.starts_with(path.string())) continue;
    problem.source.erase(0, path.string().size());
    if (problem.source.starts_with(": ")) problem.source.erase(0, 2);  // a member of an archive
    if (problem.source.starts_with('/')) problem.source.erase(0, 1);   // a file in a folder
  }
  return fmt::format("{}", fmt::join(lines_of(problems), "; "));
}

/// What is allowed, without the list of all tensors, and without an example that has a name of the submission.
std::string wanted_by(const InputError& error) {
  std::string allowed = error.problems().front().allowed;
  for (const std::string_view rest : {", at least one of", " (--name"})
    allowed.resize(std::min(allowed.size(), allowed.find(rest)));
  return allowed.starts_with('(') ? "the shape " + allowed : allowed;
}

std::string_view known_by_word(KnownBy by) {
  switch (by) {
    case KnownBy::hand:
    case KnownBy::name: return "name";
    case KnownBy::value: return "numbers";
    case KnownBy::shape: return "shape";
  }
  return {};
}

/// Each once, in their order.
template <class Items, class Of>
std::vector<std::string> each_once(const Items& items, Of of) {
  std::vector<std::string> once;
  for (const auto& item : items)
    if (std::string text(of(item)); std::ranges::find(once, text) == once.end()) once.push_back(std::move(text));
  return once;
}

/// The words without what they say about one case behind a colon or in brackets: "there is another number of heads".
std::string general(const std::string& words) { return words.substr(0, std::min(words.find(": "), words.find(" ("))); }

/// The words of two submissions with this mistake, as far as both are true of both.
std::string common_words(const std::string& a, const std::string& b, const std::string& mistake) {
  if (a == b) return a;
  return general(a) == general(b) ? general(a) : mistake;
}

std::vector<std::string> csv_row(const Grade& grade) {
  if (!grade.was_read) return {printable(grade.name), "", "", "", "", "", "", "", grade.error};
  std::vector<std::string> tensors, known;
  for (const GradedTensor& tensor : grade.tensors) {
    tensors.push_back(tensor.name);
    known.emplace_back(known_by_word(tensor.by));
  }
  return {printable(grade.name),
          grade.agrees ? "true" : "false",
          grade.first_difference,
          fmt::format("{}", fmt::join(each_once(grade.mistakes, [](const auto& m) { return m.name; }), " ")),
          fmt::format("{}", fmt::join(each_once(grade.mistakes, [](const auto& m) { return m.fix; }), "\n")),
          fmt::format("{}", fmt::join(tensors, " ")),
          fmt::format("{}", fmt::join(known, " ")),
          fmt::format("{:.4f}", grade.seconds),
          grade.error};
}

}  // namespace

Grade graded(const Submission& submission, const Solution& solution) {
  const auto begun = std::chrono::steady_clock::now();
  Grade grade{
      .name = submission.name, .first_difference = {}, .tensors = {}, .mistakes = {}, .error = {}, .wanted = {}};
  try {
    const std::vector<GivenArray> arrays = arrays_of(submission, solution.limit);
    check(grade, arrays, {}, solution);
    if (const Naming names = taken_for_others(grade, arrays, solution); !names.empty())
      check(grade, arrays, names, solution);
    grade.was_read = true;
    judge(grade, solution.hand_in);
  } catch (const InputError& error) {
    grade.error = reason(error, submission.path);
    grade.wanted = wanted_by(error);
  } catch (const std::bad_alloc&) {
    grade.error = "more than this machine has memory for";
  } catch (const std::exception& error) {
    grade.error = error.what();
  }
  grade.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  return grade;
}

std::string grades_csv(const std::vector<Grade>& grades, bool has_points) {
  std::string text = "name,agrees,first_difference,mistake,fix,tensors,known_by,seconds,error";
  text += has_points ? ",points\n" : "\n";
  for (const Grade& grade : grades) {
    std::vector<std::string> row;
    for (const std::string& field : csv_row(grade)) row.push_back(csv_field(field));
    if (has_points) row.push_back(grade.was_read ? fmt::format("{:g}", grade.points) : "");
    text += fmt::format("{}\n", fmt::join(row, ","));
  }
  return text;
}

std::vector<MistakeCount> counted_mistakes(const std::vector<Grade>& grades) {
  std::vector<MistakeCount> counts;
  for (const Grade& grade : grades) {
    if (!grade.was_read || grade.agrees || grade.first_difference.empty()) continue;
    const GradedMistake first = grade.mistakes.empty() ? GradedMistake{} : grade.mistakes.front();
    const auto found = std::ranges::find(counts, first.name, &MistakeCount::name);
    if (found == counts.end()) {
      counts.push_back({first.name, first.words, 1});
      continue;
    }
    ++found->count;
    found->words = common_words(found->words, first.words, first.name);
  }
  std::ranges::stable_sort(counts, [](const MistakeCount& a, const MistakeCount& b) {
    if (a.count != b.count) return a.count > b.count;
    return !a.name.empty() && (b.name.empty() || a.name < b.name);
  });
  return counts;
}

}  // namespace headlight
