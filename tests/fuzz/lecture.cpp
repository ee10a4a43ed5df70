// Lecture files: in every lecture that is accepted, all steps and facts fit their part's setup.
#include "core/formats/lecture/lecture_file.hpp"

#include "core/formats/setup/setup_file.hpp"
#include "core/model/shapes.hpp"
#include "core/setup/validity.hpp"
#include "tests/fuzz/target.hpp"

namespace headlight::fuzz {
namespace {

void judge_step(const Lecture& lecture, const Step& step) {
  require(!step.title.empty(), "a step has a title");
  require(step.part < lecture.parts.size(), "a step's part is there");
  const Setup& setup = lecture.setup_of(step);
  require(problems(setup).empty(), "a step's setup is valid");
  require(exists(step.look_at.tensor, setup), "a step's tensor is there");
  require(parse_cell(to_string(step.look_at), setup) == step.look_at, "a step's cell lies inside its tensor");
  const Lecture begun = parse_lecture(write_lecture_start(setup, step.look_at, step.view), "written", "begun");
  require(write_setup(begun.parts.front().setup) == write_setup(setup), "a lecture begun from a setup holds it");
  require(begun.steps.front().look_at == step.look_at, "a lecture begun from a cell looks at it");
}

void judge_fact(const Fact& fact, const Setup& setup) {
  if (fact.values.empty()) return;
  require(fact.values_shape.elements() == static_cast<Index>(fact.values.size()), "values fill their printed shape");
  Index block = 1;
  const Shape whole = shape(fact.tensor, setup);
  for (int axis = fact.at.rank(); axis < whole.rank(); ++axis) block *= whole[axis];
  require(block == static_cast<Index>(fact.values.size()), "values fill their block of the tensor");
}

}  // namespace

void judge(std::string_view bytes) {
  Lecture lecture;
  try {
    lecture = parse_lecture(bytes, "input", "id");
  } catch (const InputError& error) {
    require_told(error, "input");
    return;
  }
  require(!lecture.parts.empty() && !lecture.steps.empty(), "a lecture has a part and a step");
  for (const Part& part : lecture.parts) {
    require(problems(part.setup).empty(), "a part's setup is valid");
    for (const Fact& fact : part.facts) judge_fact(fact, part.setup);
  }
  for (const Step& step : lecture.steps) judge_step(lecture, step);
}

}  // namespace headlight::fuzz
