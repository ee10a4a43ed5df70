#include "app/commands/what.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/lectures/library.hpp"
#include "app/shell/keep.hpp"
#include "core/engine/engine.hpp"
#include "core/formats/setup/setup_file.hpp"
#include "core/formats/setup/setup_overrides.hpp"

namespace headlight {
namespace {

const Setup& setup_in(const Lecture& lecture, const What& what) {
  if (what.step) {
    if (*what.step < 1 || *what.step > lecture.steps.size()) {
      throw InputError(
          {"--step", "", fmt::format("{}", *what.step), fmt::format("a step from 1 to {}", lecture.steps.size())});
    }
    if (what.part.empty()) return lecture.setup_of(lecture.steps[*what.step - 1]);
  }
  if (what.part.empty()) return lecture.parts.front().setup;
  const auto found =
      std::find_if(lecture.parts.begin(), lecture.parts.end(), [&](const Part& p) { return p.id == what.part; });
  if (found != lecture.parts.end()) return found->setup;
  std::vector<std::string> ids;
  for (const Part& part : lecture.parts) ids.push_back(part.id);
  throw InputError({"--part", "", what.part, fmt::format("one of {}", fmt::join(ids, ", "))});
}

Setup base_setup(const What& what) {
  if (what.setup_file && !what.lecture.empty()) {
    throw InputError({"", "", "--lecture and --setup", "one of the two"});
  }
  if (what.setup_file) {
    if (what.step || !what.part.empty()) {
      throw InputError({what.step ? "--step" : "--part", "", "it beside --setup",
                        "with --lecture only: a setup file has neither steps nor parts"});
    }
    return names_picture(*what.setup_file) ? *place_in_picture(*what.setup_file).setup : read_setup(*what.setup_file);
  }
  if (what.lecture.empty()) throw InputError({"", "", "neither --lecture nor --setup", "one of the two"});
  return setup_in(LectureLibrary(what.lectures).lecture(what.lecture), what);
}

}  // namespace

Setup setup_of(const What& what) {
  Setup setup = with_overrides(base_setup(what), what.overrides);
  require_fits(setup, what.memory_limit, what.setup_file ? what.setup_file->string() : what.lecture);
  return setup;
}

std::shared_ptr<const Trace> trace_of(const What& what, const Report& report) {
  const Setup setup = setup_of(what);
  return Engine(what.memory_limit, what.threads).compute(setup, {{}, report});
}

}  // namespace headlight
