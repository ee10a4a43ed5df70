#include "core/formats/values/values_toml.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/formats/toml/toml_value.hpp"
#include "core/formats/values/array_reference.hpp"
#include "core/model/cell.hpp"
#include "core/model/problem.hpp"
#include "core/setup/value_checks.hpp"
#include "core/text/numbers.hpp"

namespace headlight {

const std::string_view wanted_values = "a table of tensors and parts of them, such as X = [[1, 0], [0, 1]]";

namespace {

constexpr std::string_view wanted_value = "a number, lists of numbers such as [[1, 0], [0, 1]], or an array of a file";

// --- From TOML -------------------------------------------------------------------------------------------------------

std::optional<double> number_in(const TomlValue& value) {
  if (const auto* number = value.as<double>()) return *number;
  if (const auto* whole = value.as<std::int64_t>()) return static_cast<double>(*whole);
  return std::nullopt;
}

/// What is wrong with nested lists, and where: "[1][0]".
struct ListProblem {
  std::string where;
  std::string found;
  std::string allowed;
};

/// Reads nested lists; the first entry of each depth sets the length that its siblings must have.
class ListReader {
 public:
  std::optional<Tensor> read(const TomlList& list) {
    read_list(list, 0, "");
    if (problem_) return std::nullopt;
    return tensor_of(Shape(lengths_), numbers_);
  }
  const std::optional<ListProblem>& problem() const { return problem_; }

 private:
  void fail(const std::string& where, std::string found, std::string allowed) {
    if (!problem_) problem_ = {where, std::move(found), std::move(allowed)};
  }

  void read_list(const TomlList& list, std::size_t depth, const std::string& where) {
    const auto length = static_cast<Index>(list.size());
    if (depth == static_cast<std::size_t>(Shape::max_rank)) return fail(where, "lists five deep", "up to four");
    if (depth == lengths_.size()) lengths_.push_back(length);
    if (lengths_[depth] != length)
      return fail(where, fmt::format("{} entries", length), fmt::format("{}, as in the lists before", lengths_[depth]));
    if (list.empty()) return fail(where, "an empty list", std::string(wanted_value));
    for (std::size_t i = 0; i < list.size() && !problem_; ++i)
      read_entry(list[i], depth, fmt::format("{}[{}]", where, i));
  }

  void read_entry(const TomlValue& entry, std::size_t depth, const std::string& where) {
    if (const auto* list = entry.as<TomlList>()) {
      if (numbers_depth_ && *numbers_depth_ <= depth)
        return fail(where, "a list", "a number, like the entry before it");
      return read_list(*list, depth + 1, where);
    }
    const auto number = number_in(entry);
    if (!number) return fail(where, describe(entry), "a number");
    if (numbers_depth_.value_or(depth) != depth || lengths_.size() != depth + 1)
      return fail(where, "a number", "a list, like the entry before it");
    numbers_depth_ = depth;
    numbers_.push_back(*number);
  }

  std::vector<Index> lengths_;
  std::optional<std::size_t> numbers_depth_;
  std::vector<double> numbers_;
  std::optional<ListProblem> problem_;
};

/// The known numbers of a source. Without a digest a file is read again, because it may have changed, unless no file is
/// read.
const GivenNumbers* known_from(const ValueFiles& files, const ArraySource& source, const std::string& digest) {
  const bool any = digest.empty() && files.access == ValueFiles::Access::known;
  if (files.known == nullptr || (digest.empty() && !any)) return nullptr;
  for (const GivenValue& value : files.known->entries())
    if (value.numbers.source() == source && (any || value.numbers.digest() == digest)) return &value.numbers;
  return nullptr;
}

/// Whether the file is in the folder or below it, once all links are followed.
bool is_inside(const std::filesystem::path& file, const std::filesystem::path& folder) {
  std::error_code error;
  const auto from = std::filesystem::weakly_canonical(folder, error);
  if (folder.empty() || error) return false;
  const auto relative = std::filesystem::weakly_canonical(file, error).lexically_relative(from);
  return !error && !relative.empty() && *relative.begin() != "..";
}

using Target = ValuePlace;

class ValueReader {
 public:
  ValueReader(TomlReader& reader, const ValueFiles& files, const Setup& setup)
      : reader_(reader), files_(files), setup_(setup), knows_sizes_(reader.problems().empty()) {}

  std::optional<GivenNumbers> read(const std::string& key, const Target& target, const TomlValue& value) {
    if (const auto number = number_in(value)) return GivenNumbers::single(*number);
    if (const auto* list = value.as<TomlList>()) return read_list(key, *list);
    if (const auto* text = value.as<std::string>()) return read_file(key, target, *text);
    reader_.add(toml_key(key), describe(value), std::string(wanted_value));
    return std::nullopt;
  }

 private:
  std::optional<GivenNumbers> read_list(const std::string& key, const TomlList& list) const {
    ListReader lists;
    const auto tensor = lists.read(list);
    if (tensor) return GivenNumbers(*tensor);
    const ListProblem& problem = *lists.problem();
    reader_.add(toml_key(key) + problem.where, problem.found, problem.allowed);
    return std::nullopt;
  }

  std::optional<GivenNumbers> read_file(const std::string& key, const Target& target, const std::string& text) {
    const auto reference = parse_array_reference(text);
    if (!reference) {
      reader_.add(toml_key(key), describe({text, 0}), std::string(an_array_reference));
      return std::nullopt;
    }
    const ArraySource source = source_of(*reference, files_.folder);
    if (const auto* known = known_from(files_, source, reference->digest)) return *known;
    if (!may_read(reader_, toml_key(key), source.path, text, files_)) return std::nullopt;
    try {
      if (knows_sizes_ && !fits(key, target, *reference)) return std::nullopt;
      return read_given(*reference, files_.folder, open_);
    } catch (const InputError& error) {
      for (const Problem& problem : error.problems()) reader_.add(toml_key(key), problem.found, problem.allowed);
      return std::nullopt;
    }
  }

  /// Whether the array has a shape that fits, by its header alone.
  bool fits(const std::string& key, const Target& target, const ArrayReference& reference) {
    const auto shape = shape_in_file(reference, files_.folder, open_);
    const auto problem = shape ? misfit(seen_at(setup_, layer_with(target.tensor, target.layer, setup_)), target.tensor,
                                        target.part, *shape)
                               : std::nullopt;
    if (problem) reader_.add(toml_key(key), problem->found, problem->allowed);
    return !problem;
  }

  TomlReader& reader_;
  const ValueFiles& files_;
  const Setup& setup_;
  bool knows_sizes_;  ///< else a misfit may only be a consequence
  ArrayFiles open_;
};

std::string allowed_keys() {
  std::vector<std::string_view> names;
  for (const TensorId id : drawn_tensors()) names.push_back(name(id));
  return fmt::format("{}, or a part of one in NumPy's notation, such as \"W_v[2,5]\" or \"W_q[0:4]\"",
                     fmt::join(names, ", "));
}

// --- To TOML ---------------------------------------------------------------------------------------------------------

/// The numbers below an index, as nested lists.
TomlValue nested(const Tensor& tensor, std::vector<Index>& index) {
  const auto axis = index.size();
  if (static_cast<int>(axis) == tensor.shape().rank()) return {tensor.at(index), 0};
  TomlList list;
  index.push_back(0);
  for (; index.back() < tensor.shape()[static_cast<int>(axis)]; ++index.back()) list.push_back(nested(tensor, index));
  index.pop_back();
  return {std::move(list), 0};
}

std::string lines_of(const TomlValue& value, const std::string& indent) {
  const auto* list = value.as<TomlList>();
  const bool of_lists = list != nullptr && !list->empty() && list->front().as<TomlList>() != nullptr;
  if (!of_lists) return toml_text(value);
  std::string text = "[";
  for (const TomlValue& entry : *list) text += fmt::format("\n{}  {},", indent, lines_of(entry, indent + "  "));
  return fmt::format("{}\n{}]", text, indent);
}

}  // namespace

bool may_read(TomlReader& reader, std::string_view key, const std::filesystem::path& file, const std::string& text,
              const ValueFiles& files) {
  using Access = ValueFiles::Access;
  if (files.access == Access::all) return true;
  if (files.access == Access::known) {
    reader.add(key, describe({text, 0}), "a file that is known already");
    return false;
  }
  if (is_inside(file, files.folder)) return files.access == Access::in_folder;
  reader.add(key, fmt::format("{}, a file outside of the lecture's folder", describe({text, 0})),
             files.folder.empty() ? std::string("no file: this lecture has no folder")
                                  : fmt::format("a file in {}", files.folder.string()));
  return false;
}

Values values_from(TomlReader& reader, const ValueFiles& files, const Setup& setup) {
  ValueReader numbers_of(reader, files, setup);
  std::map<std::string, GivenValue> given;
  for (const std::string& key : reader.keys()) {
    const TomlValue& value = *reader.value(key);
    const auto target = parse_value_key(key);
    if (!target) {
      reader.add(toml_key(key), "an unknown key", allowed_keys());
      continue;
    }
    if (target->layer >= largest_model) {  // before room is made for the layers below
      reader.add(toml_key(key), fmt::format("layer {}", target->layer),
                 fmt::format("a layer from L0 to L{}", largest_model - 1));
      continue;
    }
    std::string part = to_string(target->tensor, target->part, target->layer);
    if (given.contains(part)) {
      reader.add(toml_key(key), "the same part twice", "each part once");
      continue;
    }
    if (auto numbers = numbers_of.read(key, *target, value))
      given.emplace(std::move(part), GivenValue{target->tensor, target->part, std::move(*numbers), target->layer});
  }
  Values values;  // filled in their order, each at the end
  for (const auto& [part, value] : given) values.set(value);
  return values;
}

TomlValue toml_value(const GivenNumbers& numbers, const std::filesystem::path& folder) {
  if (numbers.source()) return {to_reference(numbers, folder), 0};
  std::vector<Index> index;
  return nested(numbers.tensor(), index);
}

TomlTable toml_of(const Values& values, const std::filesystem::path& folder) {
  TomlTable table;
  for (const GivenValue& value : values.entries()) table[key_of(value)] = toml_value(value.numbers, folder);
  return table;
}

std::string toml_text(const GivenNumbers& numbers, const std::filesystem::path& folder) {
  return lines_of(toml_value(numbers, folder), "");
}

}  // namespace headlight
