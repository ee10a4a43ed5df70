#include "core/formats/values/array_reference.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/diagnose/arrays/layout.hpp"
#include "core/formats/arrays/array_file.hpp"
#include "core/formats/files.hpp"
#include "core/model/problem.hpp"
#include "core/text/characters.hpp"
#include "core/text/numbers.hpp"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view transposition = ".T";
constexpr std::string_view reshaping = ".reshape(";
constexpr std::size_t digest_digits = 16;

/// The extents in ".reshape(12, 3, 64, -1)", at most one of which is -1; nullopt where they are none.
std::optional<std::vector<Index>> parse_extents(std::string_view step) {
  std::vector<Index> extents;
  for (const std::string_view item : split_at(step.substr(reshaping.size(), step.size() - reshaping.size() - 1), ',')) {
    const auto extent = number_from<Index>(trimmed(item, " "));
    const bool is_free = extent == -1 && std::ranges::count(extents, -1) == 0;
    if (!extent || (*extent < 0 && !is_free)) return std::nullopt;
    extents.push_back(*extent);
  }
  if (extents.size() > static_cast<std::size_t>(Shape::max_rank)) return std::nullopt;
  return extents;
}

/// Takes one step off the end of the text; empty where there is none.
std::string_view taken_step(std::string_view& text) {
  std::size_t length = 0;
  if (text.ends_with(transposition)) length = transposition.size();
  else if (const auto open = text.rfind('['); text.ends_with(']') && open != std::string_view::npos)
    length = parse_array_part(text.substr(open)) ? text.size() - open : 0;
  else if (const auto call = text.rfind(reshaping); text.ends_with(')') && call != std::string_view::npos)
    length = parse_extents(text.substr(call)) ? text.size() - call : 0;
  const std::string_view step = text.substr(text.size() - length);
  text.remove_suffix(length);
  return step;
}

/// The end of the file's name: after the first ending that can be read, if the text ends there or ':' follows. npos if
/// there is none.
std::size_t end_of_file_name(std::string_view text) {
  constexpr std::array<std::string_view, 4> endings{".npz", ".npy", ".csv", ".safetensors"};
  std::size_t end = std::string_view::npos;
  for (const std::string_view ending : endings) {
    for (auto at = text.find(ending); at != std::string_view::npos; at = text.find(ending, at + 1)) {
      const std::size_t behind = at + ending.size();
      if (at > 0 && (behind == text.size() || text[behind] == ':')) end = std::min(end, behind);
    }
  }
  return end;
}

std::vector<std::string_view> single_steps(std::string_view steps) {
  std::vector<std::string_view> result;
  while (!steps.empty()) result.insert(result.begin(), taken_step(steps));
  return result;
}

Tensor turned(const Tensor& tensor) {
  const int rank = tensor.shape().rank();
  return rank < 2 ? tensor : tensor.transposed(rank - 2, rank - 1);
}

/// The shape that holds as many numbers, with the -1 among the extents found out; nullopt where there is none.
std::optional<Shape> shape_with(std::vector<Index> extents, Index elements) {
  const auto free = std::ranges::find(extents, -1);
  if (free != extents.end()) {
    *free = 1;
    const Index others = Shape(extents).elements();
    if (others == 0 || elements % others != 0) return std::nullopt;
    *free = elements / others;
  }
  const Shape shape(extents);
  if (shape.elements() != elements) return std::nullopt;
  return shape;
}

Tensor reshaped_by(const Tensor& tensor, std::string_view step) {
  const auto shape = shape_with(*parse_extents(step), tensor.elements());
  if (shape && tensor.empty()) return Tensor::on_block(nullptr, tensor.precision(), *shape);  // of a shape alone
  if (shape) return reshaped(tensor, *shape);
  throw InputError({"", "", fmt::format("{} of shape {}", step, tensor.shape().to_string()),
                    fmt::format("extents whose product is {}", tensor.elements())});
}

Tensor with_steps(Tensor tensor, const std::string& steps) {
  for (const std::string_view step : single_steps(steps)) {
    if (step == transposition) {
      tensor = turned(tensor);
      continue;
    }
    if (step.starts_with(reshaping)) {
      tensor = reshaped_by(tensor, step);
      continue;
    }
    const Shape& shape = tensor.shape();
    const auto ranges = ranges_of(*parse_array_part(step), shape);
    if (!ranges) {
      throw InputError(
          {"", "", fmt::format("the part {} of shape {}", step, shape.to_string()), "a part inside the array"});
    }
    tensor = window_on(tensor, *ranges);
  }
  return tensor;
}

/// The first of the steps if it takes an entry of the first axis, "[3]", and the rest. A file is read for such an entry
/// alone.
std::pair<std::optional<Index>, std::string> leading_entry(const std::string& steps) {
  if (!steps.starts_with('[')) return {std::nullopt, steps};
  const std::string_view first = single_steps(steps).front();
  const auto part = parse_array_part(first);
  if (!part || part->size() != 1 || !part->front().is_position) return {std::nullopt, steps};
  return {part->front().start, steps.substr(first.size())};
}

/// Whether the file is not at the path of the reference, but in the folder.
bool is_beside(const ArrayReference& reference, const fs::path& folder) {
  std::error_code error;
  return !fs::exists(folder / reference.file, error) && fs::exists(folder / reference.file.filename(), error);
}

std::string text_of(const fs::path& file, std::string_view name, std::string_view steps) {
  return file.string() + (name.empty() ? "" : ":") + std::string(name) + std::string(steps);
}

}  // namespace

const std::string_view an_array_reference =
    "an array of a file, such as \"layer.npz:W_q\", \"model.safetensors:k_proj.weight.T\" or \"table.csv\"";

std::string taken_digest(std::string_view& text) {
  if (text.size() <= digest_digits || text[text.size() - digest_digits - 1] != '#') return {};
  const std::string_view digits = text.substr(text.size() - digest_digits);
  if (digits.find_first_not_of("0123456789abcdef") != std::string_view::npos) return {};
  text.remove_suffix(digest_digits + 1);
  return std::string(digits);
}

fs::path path_from(const fs::path& file, const fs::path& folder) {
  if (folder.empty()) return file;
  const fs::path relative = file.lexically_relative(from_root(folder));
  return relative.empty() ? file : relative;
}

std::optional<ArrayReference> parse_array_reference(std::string_view text) {
  ArrayReference reference;
  reference.digest = taken_digest(text);
  for (auto step = taken_step(text); !step.empty(); step = taken_step(text)) reference.steps.insert(0, step);
  const std::size_t end = end_of_file_name(text);
  if (end == std::string_view::npos) return std::nullopt;
  reference.file = fs::path(text.substr(0, end));
  if (end < text.size()) reference.name = text.substr(end + 1);
  return reference;
}

ArraySource source_of(const ArrayReference& reference, const fs::path& folder) {
  const bool moved = !reference.digest.empty() && !folder.empty() && is_beside(reference, folder);
  const fs::path file = folder / (moved ? reference.file.filename() : reference.file);
  return {from_root(file).string(), reference.name, reference.steps};
}

std::string to_reference(const GivenNumbers& numbers, const fs::path& folder) {
  const ArraySource& source = *numbers.source();
  return text_of(path_from(source.path, folder), source.name, source.steps) + '#' + numbers.digest();
}

namespace {

/// Does something with the file, and lets what it throws begin with what it is about.
auto about(const ArrayReference& reference, const auto& action) {
  try {
    return action();
  } catch (const InputError& error) {
    std::vector<Problem> problems = error.problems();
    for (Problem& problem : problems) {
      const bool says_where = !problem.key.empty() && problem.key != reference.name;
      const std::string location = says_where ? problem.key + ": " : "";
      problem.found = fmt::format("\"{}\": {}{}", text_of(reference.file, reference.name, reference.steps), location,
                                  problem.found);
      problem.source.clear();
      problem.key.clear();
    }
    throw InputError(std::move(problems));
  }
}

}  // namespace

std::optional<Shape> shape_in_file(const ArrayReference& reference, const fs::path& folder, ArrayFiles& files) {
  if (reference.file.extension() == ".csv") return std::nullopt;
  return about(reference, [&]() -> std::optional<Shape> {
    const ArraySource source = source_of(reference, folder);
    ArrayInfo array = files.at(source.path).info(source.name);
    if (!array.has_numbers) return std::nullopt;
    auto [entry, steps] = leading_entry(source.steps);
    if (entry) array = entry_of(array, *entry, source.path);
    const Shape whole = shape_within(array, Precision::float32, source.path, default_memory_limit);
    return with_steps(Tensor::on_block(nullptr, Precision::float32, whole), steps).shape();
  });
}

GivenNumbers read_given(const ArrayReference& reference, const fs::path& folder, ArrayFiles& files) {
  return about(reference, [&] {
    const ArraySource source = source_of(reference, folder);
    const auto [entry, steps] = leading_entry(source.steps);
    const Tensor array = files.at(source.path).read(source.name, default_memory_limit, entry);
    // Numbers that came through a pipe are the setup's own: no file has them.
    GivenNumbers numbers(with_steps(array, steps), is_passing(source.path) ? std::nullopt : std::optional(source));
    if (reference.digest.empty() || reference.digest == numbers.digest()) return numbers;
    throw InputError(
        {"", "", fmt::format("the file has changed (now #{})", numbers.digest()),
         fmt::format("the numbers of #{}, or no # after the array to take the present ones", reference.digest)});
  });
}

}  // namespace headlight
