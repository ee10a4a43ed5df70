// Arrays that are checked against the trace, and how to match them with its tensors.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnose/arrays/report.hpp"
#include "core/lecture/lecture.hpp"
#include "core/model/problem.hpp"
#include "core/model/trace.hpp"

namespace headlight {

/// Arrays as they were handed in. Immutable: pasting or reading again makes a new value.
struct HandedIn {
  std::string title;           ///< "my_attention.npz", "2 pasted arrays"
  std::filesystem::path file;  ///< empty if everything was pasted
  std::vector<GivenArray> arrays;
  std::vector<std::string> pasted = {};  ///< the names of those that were pasted, and are in no file
};

/// Whether and how the compare view checks arrays.
struct CheckedWork {
  bool shown = false;                     ///< the compare view shows the check, rather than two states
  std::shared_ptr<const HandedIn> given;  ///< null before anything was handed in
  Naming names;                           ///< chosen by hand: their name and ours, which is empty for "none"
  Tolerance tolerance;
  std::filesystem::path file;     ///< the last one that was opened, even if it was refused; empty: none
  bool follows = true;            ///< it is read again when it changes
  std::vector<Problem> problems;  ///< why the last file or printout was refused

  friend bool operator==(const CheckedWork&, const CheckedWork&) = default;
};

/// The arrays to check (all but those set to "none"), and the names chosen by hand.
struct CheckTask {
  std::vector<GivenArray> arrays;
  Naming names;
};
CheckTask task_of(const CheckedWork& work);

/// Replaces all arrays by these. Names chosen by hand are kept if their array still exists.
CheckedWork with_arrays(CheckedWork work, HandedIn given);
/// Adds pasted arrays, which replace those of the same name. Arrays without a name get one, "pasted 1", or replace what
/// had none and the same shape.
CheckedWork with_pasted(CheckedWork work, std::vector<GivenArray> arrays);
/// Matches this array with the tensor `ours`, or with none if that is empty. An array that was matched with this tensor
/// by hand loses it.
CheckedWork with_name(CheckedWork work, std::string_view theirs, std::string_view ours);
/// Removes the choice that was made for this array by hand.
CheckedWork without_name(CheckedWork work, std::string_view theirs);

/// The arrays of a file. Throws InputError; see read_given_arrays.
HandedIn handed_in(const std::filesystem::path& file);

/// The part that is saved: the arrays' file, those that were pasted, and the choices made by hand.
struct KeptWork {
  bool shown = false;
  std::string file;  ///< empty: none
  Naming names;
  Tolerance tolerance;
  bool follows = true;
  bool instead_of_step = false;
  std::shared_ptr<const HandedIn> pasted = nullptr;  ///< the arrays that are in no file; null: none

  friend bool operator==(const KeptWork&, const KeptWork&) = default;
};
KeptWork kept_of(const CheckedWork& work);
/// Reads the file again, and adds what was pasted. If the file can no longer be read, `problems` say why.
CheckedWork read_again(const KeptWork& kept);

/// The choice made for an array by hand: the name of our tensor, or an empty one for "none"; null without a choice.
const std::string* named_by_hand(const CheckedWork& work, std::string_view theirs);

/// "8 arrays, float32, 2.9 KiB".
std::string words_of(const HandedIn& given);

/// The arguments with which the command line makes the same check, after those of `what` ("--lecture", "shapes"). Empty
/// if the arrays are in no file.
std::vector<std::string> diagnose_arguments(const CheckedWork& work, std::span<const std::string> what);

/// The work that a step of a lecture checks: the arrays of a student who makes a known mistake.
struct WorkWithMistake {
  std::string mistake;  ///< its name: "scale_missing"
  Trace trace;          ///< every tensor with the mistake
  CheckedWork work;     ///< the computed ones, handed in
};

/// Null without a step, if it has no mistake, or if the mistake changes nothing under the trace's setup. Throws Stopped
/// after a stop.
std::shared_ptr<const WorkWithMistake> work_with_mistake(const Step* step, const Trace& right,
                                                         const std::stop_token& stop);

/// The other side of the compare view: another state, or arrays to check.
struct CheckingState {
  ModelTrace reference;                            ///< state A; empty if there is none
  CheckedWork own;                                 ///< opened or pasted by the user
  std::shared_ptr<const WorkWithMistake> of_step;  ///< the work of the lecture's step; null if it has none
  /// Since the step was opened, the user has opened or pasted other work, or has forgotten the step's.
  bool instead_of_step = false;

  bool is_of_step() const { return of_step && !instead_of_step; }
  /// State A in a layer, or in its last one where it has fewer; null if there is none.
  std::shared_ptr<const Trace> reference_at(Index layer) const {
    if (reference.empty()) return nullptr;
    return reference.layers[std::min(static_cast<std::size_t>(layer), reference.layers.size() - 1)];
  }
  const CheckedWork& work() const { return is_of_step() ? of_step->work : own; }

  friend bool operator==(const CheckingState&, const CheckingState&) = default;
};

}  // namespace headlight
