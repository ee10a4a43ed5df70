#include "app/lectures/library.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/view_table.hpp"
#include "core/formats/lecture/lecture_file.hpp"
#include "core/trained/encoder_numbers.hpp"
#include "core/trained/sentence_encoder.hpp"

// Declares the bytes of an embedded lecture. The linker makes the symbols' names from the file's name; CMakeLists.txt
// writes the table.
#define HEADLIGHT_LECTURE(symbol, id)                  \
  extern "C" const char _binary_##symbol##_md_start[]; \
  extern "C" const char _binary_##symbol##_md_end[];
#include "app/lectures/lecture_table.inc"
#undef HEADLIGHT_LECTURE

namespace headlight {
namespace {

struct BuiltIn {
  std::string_view id;
  const char* begin;
  const char* end;
};

/// The built-in lectures, by name.
std::span<const BuiltIn> built_in() {
  static const std::array lectures{
#define HEADLIGHT_LECTURE(symbol, id) BuiltIn{id, _binary_##symbol##_md_start, _binary_##symbol##_md_end},
#include "app/lectures/lecture_table.inc"
#undef HEADLIGHT_LECTURE
  };
  return lectures;
}

std::string_view text_of(const BuiltIn& lecture) {
  return {lecture.begin, static_cast<std::size_t>(lecture.end - lecture.begin)};
}

/// Null if none has this id.
const BuiltIn* built_in_as(std::string_view id) {
  const auto found = std::ranges::find(built_in(), id, &BuiltIn::id);
  return found == built_in().end() ? nullptr : &*found;
}

}  // namespace

LectureLibrary::LectureLibrary(std::optional<std::filesystem::path> folder) {
  if (folder) files_ = lecture_files(*folder);
  std::vector<std::pair<ListPosition, std::string>> found;
  for (const BuiltIn& lecture : built_in())
    if (!file(std::string(lecture.id)))
      found.emplace_back(read_outline(text_of(lecture), {}).list_position, lecture.id);
  for (const auto& path : files_) found.emplace_back(list_position_of(path), id_in_name(path));
  std::ranges::stable_sort(found, {}, [](const auto& one) { return one.first; });
  for (auto& [position, id] : found) ids_.push_back(std::move(id));
}

std::optional<std::filesystem::path> LectureLibrary::file(const std::string& id) const {
  const auto found =
      std::find_if(files_.begin(), files_.end(), [&](const auto& path) { return id_in_name(path) == id; });
  if (found == files_.end()) return std::nullopt;
  return *found;
}

Lecture LectureLibrary::lecture(const std::string& id) const {
  if (const auto path = file(id)) return read_lecture(*path, lecture_views());
  const BuiltIn* found = built_in_as(id);
  if (found == nullptr)
    throw InputError({"", "lecture", fmt::format("\"{}\"", id), fmt::format("one of {}", fmt::join(ids_, ", "))});
  return parse_lecture(text_of(*found), id + ".md", id, lecture_views());
}

Lecture LectureLibrary::listed(const std::string& id) const {
  if (sentence_encoder::arrival() == sentence_encoder::Arrival::here || file(id)) return lecture(id);
  const BuiltIn* found = built_in_as(id);
  const bool waits = found != nullptr && text_of(*found).find(sentence_encoder::name) != std::string_view::npos;
  return waits ? read_outline(text_of(*found), id) : lecture(id);
}

std::vector<Lecture> LectureLibrary::lectures() const {
  std::vector<Lecture> all;
  std::vector<Problem> problems;
  for (const std::string& id : ids_) {
    try {
      Lecture read = listed(id);
      if (!read.is_outline()) all.push_back(std::move(read));
    } catch (const InputError& error) {
      problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    }
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  return all;
}

}  // namespace headlight
