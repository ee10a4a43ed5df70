// Somebody's arrays that are checked against the trace, and how they are to be read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnose/report.hpp"
#include "core/lecture/lecture.hpp"
#include "core/model/problem.hpp"
#include "core/model/trace.hpp"

namespace headlight {

/// Arrays as they were handed over, never changed: what is pasted or read anew makes another one.
struct HandedOver {
  std::string title;           ///< "my_attention.npz", "2 pasted arrays"
  std::filesystem::path file;  ///< empty where everything was pasted
  std::vector<GivenArray> arrays;
};

/// Whether and how the compare view checks somebody's work.
struct CheckedWork {
  bool shown = false;                       ///< the compare view shows it, rather than two states
  std::shared_ptr<const HandedOver> given;  ///< null before anything was handed over
  Naming names;                             ///< said by hand: their name and ours, which is empty for "none"
  Tolerance tolerance;
  bool follows = true;            ///< a file is read again when it changes
  std::vector<Problem> problems;  ///< why the last file or printout was refused

  friend bool operator==(const CheckedWork&, const CheckedWork&) = default;
};

/// The arrays that take part, which are all but those that were said to be none of ours, and the names said by hand.
struct CheckTask {
  std::vector<GivenArray> arrays;
  Naming names;
};
CheckTask task_of(const CheckedWork& work);

/// With these arrays in place of all others. Names that were said by hand are kept where they still stand for one.
CheckedWork with_arrays(CheckedWork work, HandedOver given);
/// With arrays that were pasted added to those that are there, in place of those of the same name. Arrays without a
/// name get one: "pasted 1".
CheckedWork with_pasted(CheckedWork work, std::vector<GivenArray> arrays);
/// With this one being the tensor `ours`, or none if that is empty. Whichever was the same tensor by hand is so no
/// longer.
CheckedWork with_name(CheckedWork work, std::string_view theirs, std::string_view ours);
/// Without what was said about this array by hand.
CheckedWork without_name(CheckedWork work, std::string_view theirs);

/// The arrays of a file. Throws InputError; see read_given_arrays.
HandedOver handed_over(const std::filesystem::path& file);

/// What can be kept of it for later: where the arrays lie, and what was said of them. What was pasted lies nowhere.
struct KeptWork {
  bool shown = false;
  std::string file;  ///< empty: none
  Naming names;
  Tolerance tolerance;
  bool follows = true;

  friend bool operator==(const KeptWork&, const KeptWork&) = default;
};
KeptWork kept_of(const CheckedWork& work);
/// Reads the file again. Where it cannot be read any more, its `problems` say why.
CheckedWork read_again(const KeptWork& kept);

/// What was said about an array by hand: the name of our tensor, or an empty one for "none"; null if nothing was.
const std::string* named_by_hand(const CheckedWork& work, std::string_view theirs);

/// "8 arrays, float32, 2.9 KiB".
std::string words_of(const HandedOver& given);

/// The arguments with which the command line checks the same, after those of `what` ("--lecture", "shapes"). Empty
/// where the arrays lie in no file.
std::vector<std::string> diagnose_arguments(const CheckedWork& work, std::span<const std::string> what);

/// The work that a step of a lecture checks: what somebody hands in who makes a known mistake.
struct WorkWithMistake {
  std::string mistake;  ///< its name: "scale_missing"
  Trace trace;          ///< every tensor as it comes out with the mistake
  CheckedWork work;     ///< the computed ones, handed in
};

/// Null without a step, if it has no mistake, and if that changes nothing under the trace's setup.
std::shared_ptr<const WorkWithMistake> work_with_mistake(const Step* step, const Trace& right);

/// What the compare view shows beside the trace: another state, or somebody's work.
struct CheckingState {
  std::shared_ptr<const Trace> reference;          ///< state A; null if there is none
  CheckedWork own;                                 ///< the work that a person has opened or pasted
  std::shared_ptr<const WorkWithMistake> of_step;  ///< the work of the lecture's step; null if it has none

  /// The work that is checked: that of the lecture's step, unless the person has set another one since.
  const CheckedWork& work() const { return of_step ? of_step->work : own; }

  friend bool operator==(const CheckingState&, const CheckingState&) = default;
};

}  // namespace headlight
