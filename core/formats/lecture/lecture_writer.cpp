#include "core/formats/lecture/lecture_writer.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/formats/setup/setup_difference.hpp"
#include "core/formats/setup/setup_writer.hpp"
#include "core/formats/toml/toml_text.hpp"

namespace headlight {
namespace {

constexpr std::string_view first_words = "Say here what there is to see.\n";

std::string view_line(std::string_view view) {
  return view.empty() ? std::string() : fmt::format("view = {}\n", toml_text(view));
}

}  // namespace

std::string write_lecture_start(const Setup& setup, const Cell& look_at, std::string_view view,
                                const std::filesystem::path& folder) {
  const std::string title = setup.title.empty() ? "A new lecture" : setup.title;
  const std::string front_matter = toml_line("title", toml_text(title)) +
                                   toml_line("source", "\"\"", "the document that it follows, in words") +
                                   "\n[setup]\n" + written_keys(setup, "setup", folder);
  return fmt::format("+++\n{}+++\n\n## {}\n\n```step\ncell = {}\n{}```\n\n{}", front_matter, name(look_at.tensor),
                     toml_text(to_string(look_at)), view_line(view), first_words);
}

std::string with_step_added(std::string text, const Lecture& lecture, const AddedStep& added) {
  const auto same = std::ranges::find(lecture.parts, added.part, &Part::id);
  const std::size_t part = same == lecture.parts.end() ? 0 : static_cast<std::size_t>(same - lecture.parts.begin());
  std::string block;
  // A step that names no part belongs to that of the step before it.
  if (!lecture.steps.empty() && lecture.steps.back().part != part)
    block += fmt::format("part = {}\n", toml_text(lecture.parts[part].id));
  block += fmt::format("cell = {}\n{}", toml_text(to_string(added.look_at)), view_line(added.view));
  std::vector<std::string> set;
  for (const std::string& assignment : overrides_between(lecture.parts[part].setup, added.setup))
    set.push_back(toml_text(assignment));
  if (!set.empty()) block += fmt::format("set = [{}]\n", fmt::join(set, ", "));
  if (!set.empty() && added.compare) block += "compare = true\n";
  if (!text.ends_with('\n')) text += '\n';
  return text + fmt::format("\n## {}\n\n```step\n{}```\n\n{}", name(added.look_at.tensor), block, first_words);
}

}  // namespace headlight
