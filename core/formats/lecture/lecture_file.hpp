// The lecture file: Markdown that a lecturer writes, with TOML front matter. `assets/lectures/README.md` describes the
// format. Here lectures are read, found in folders, begun, and continued by a step.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/lecture/lecture.hpp"

namespace headlight {

/// Reads a lecture. The setup of each part is valid, each step's cell exists in its part's setup, and value facts hold
/// as many numbers as their block has. Throws InputError with all the problems at once, each with `source` and its line
/// ("lesson.md:12"); any bytes whatever give a lecture or an InputError. `views` are the names of views that a step may
/// use; if empty, any name. `folder` is where the arrays of its setups' values are.
Lecture parse_lecture(std::string_view text, const std::string& source, std::string id,
                      const std::vector<std::string_view>& views = {}, const std::filesystem::path& folder = {});

/// The id of the lecture in a file: its name without ".md" or ".headlight.md".
std::string id_in_name(const std::filesystem::path& file);

/// Reads the lecture in a file. Its id is id_in_name().
Lecture read_lecture(const std::filesystem::path& path, const std::vector<std::string_view>& views = {});

/// What a list of lectures says about a lecture, read without its setups: see Lecture::is_outline(). What cannot be
/// read is left out.
Lecture read_outline(std::string_view text, std::string id);

/// The list position of the lecture in a file. A lecture that cannot be read is last.
ListPosition list_position_of(const std::filesystem::path& file);

/// The lectures of a folder: every .md file except README.md and hidden ones, sorted by list position and then by path.
/// Lectures without one, or that cannot be read, are last. A path to a file gives that file alone. Throws
/// InputError if the folder or the file cannot be read, as a named pipe.
std::vector<std::filesystem::path> lecture_files(const std::filesystem::path& folder);

/// The beginning of a lecture file, for a lecturer to continue: the setup, and a first step that looks at the cell in
/// the view ("heads"; if empty, the step names no view). parse_lecture reads the same setup from it. Arrays of files
/// are named from `folder` (see write_setup).
std::string write_lecture_start(const Setup& setup, const Cell& look_at, std::string_view view,
                                const std::filesystem::path& folder = {});

/// The contents of a step that is added to a lecture.
struct AddedStep {
  const Setup& setup;
  Cell look_at;
  std::string_view part;  ///< the id of the part that the setup started from; "main" if the lecture has no such part
  std::string_view view;  ///< empty: the step names no view
  bool compare = false;   ///< shows the setup beside its part's, if it differs
};

/// The text of a lecture file with a step at its end. The step's `set` is how its setup differs from its part's.
/// `lecture` is the text as parse_lecture reads it.
std::string with_step_added(std::string text, const Lecture& lecture, const AddedStep& added);

}  // namespace headlight
