// The work of a class checked: a grade for each submission, and all of them as a table.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnose/arrays/report.hpp"
#include "core/diagnose/seed_memory.hpp"
#include "core/formats/diagnose/submissions.hpp"
#include "core/formats/setup/exercise_file.hpp"
#include "core/model/trace.hpp"

namespace headlight {

struct GradedTensor {
  LayerTensor at = {};
  std::string name;  ///< ours; "L1.scores" where there are several layers
  KnownBy by = KnownBy::name;
  bool agrees = true;
  bool step_agrees = true;  ///< our step, fed with theirs, gives it
  double max_abs = 0;
  Index cells_off = 0, cells = 0;
};

/// A known mistake that explains something.
struct GradedMistake {
  std::string name;   ///< "scale_missing"
  std::string words;  ///< "the division by √d_head is missing"
  std::string at;     ///< "scores": where it was made
  std::string fix;    ///< the line that mends it
};

struct Grade {
  std::string name;  ///< that of the file or folder
  bool agrees = false;
  std::string first_difference;       ///< empty where there is none
  std::vector<GradedTensor> tensors;  ///< in the order of the forward pass
  std::vector<GradedMistake> mistakes;
  double points = 0;  ///< of the exercise: those of each tensor that is right, or whose step is
  double seconds = 0;
  std::string error;   ///< why it could not be read; or what of the exercise was not handed in
  std::string wanted;  ///< what could have been read, if it could not; nothing of the submission is in it
  bool was_read = false;
};

/// What submissions are compared with. Several threads may read it at once.
struct Solution {
  const ModelTrace& ours;
  std::vector<ExerciseTensor>
      hand_in;  ///< of an exercise: these have to be there, and only these count; empty: all that is there
  SeedMemory& seeds;
  std::int64_t limit = 0;  ///< bytes that the arrays of a submission may have
};

/// Reads and checks a submission, on this thread alone. It never throws: what is wrong with it is the grade's error.
Grade graded(const Submission& submission, const Solution& solution);

/// name,agrees,first_difference,mistake,fix,tensors,known_by,seconds,error, and if an exercise has points, also those;
/// a row for each, in this order. `mistake`,
/// `tensors` and `known_by` are words between blanks. Of a submission that could not be read only the name and the
/// error are there. What a spreadsheet would take for a formula gets an apostrophe in front (arrays/csv.hpp).
std::string grades_csv(const std::vector<Grade>& grades, bool has_points = false);

/// A mistake and how many submissions have it.
struct MistakeCount {
  std::string name;   ///< "scale_missing"; empty: something differs that no known mistake explains
  std::string words;  ///< that are true of all of them: without the numbers in which they differ
  std::size_t count = 0;
};

/// The first mistake of each submission, counted; the most frequent first.
std::vector<MistakeCount> counted_mistakes(const std::vector<Grade>& grades);

}  // namespace headlight
