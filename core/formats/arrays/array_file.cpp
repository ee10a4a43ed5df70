#include "core/formats/arrays/array_file.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/formats/arrays/csv.hpp"
#include "core/formats/arrays/npz.hpp"
#include "core/formats/arrays/safetensors.hpp"
#include "core/model/problem.hpp"
#include "core/text/numbers.hpp"

namespace headlight {

namespace fs = std::filesystem;

const std::string_view array_endings = ".npz, .npy, .csv or .safetensors";

namespace {

/// Most names that a message lists.
constexpr std::size_t most_names = 12;

std::string names_of(const std::vector<ArrayInfo>& arrays) {
  std::vector<std::string_view> names;
  for (const ArrayInfo& array : arrays) names.push_back(array.name);
  const bool all = names.size() <= most_names;
  if (!all) names.resize(most_names);
  return fmt::format("{}{}", fmt::join(names, ", "),
                     all ? "" : fmt::format(" and {} more", arrays.size() - most_names));
}

[[noreturn]] void refuse_ending(const fs::path& path) {
  refuse_pickle(path);
  const std::string ending = path.extension().string();
  throw InputError(
      {path.string(), "", ending.empty() ? "a name without an ending" : ending, std::string(array_endings)});
}

void require_no_name(const fs::path& path, std::string_view name) {
  if (!name.empty())
    throw InputError({path.string(), std::string(name), "a name", "none: the file has one array, without a name"});
}

std::vector<Index> extents_of(const Shape& shape) { return {shape.begin(), shape.end()}; }

}  // namespace

void refuse_pickle(const fs::path& path) {
  constexpr std::array<std::string_view, 6> pickles{".pt", ".pth", ".bin", ".pkl", ".pickle", ".ckpt"};
  const std::string ending = path.extension().string();
  if (std::ranges::find(pickles, ending) == pickles.end()) return;
  throw InputError(
      {path.string(), "", fmt::format("{}, a pickle: loading it may run any program, so Headlight never does", ending),
       fmt::format("an .npz or .safetensors file; in Python: state = torch.load(\"{}\", map_location=\"cpu\", "
                   "weights_only=True); np.savez(\"{}.npz\", **{{name: array.float().numpy() "
                   "for name, array in state.items()}})",
                   path.filename().string(), path.stem().string())});
}

std::vector<ArrayInfo> list_arrays(const fs::path& path) {
  const fs::path ending = path.extension();
  if (ending == ".npz") return list_npz(path);
  if (ending == ".safetensors") return list_safetensors(path);
  if (ending == ".npy") return {list_npy(path)};
  if (ending == ".csv") return {{"", extents_of(read_csv(path).shape()), "text"}};
  refuse_ending(path);
}

Tensor read_array(const fs::path& path, std::string_view name, std::int64_t limit) {
  const fs::path ending = path.extension();
  if (ending == ".npz") return read_npz_array(path, name, limit);
  if (ending == ".safetensors") return read_safetensors(path, name, limit);
  if (ending != ".npy" && ending != ".csv") refuse_ending(path);
  require_no_name(path, name);
  return ending == ".npy" ? read_npy(path, limit) : read_csv(path);
}

Tensor read_entry(const fs::path& path, std::string_view name, Index entry, std::int64_t limit) {
  const fs::path ending = path.extension();
  if (ending == ".npz") return read_npz_array(path, name, limit, entry);
  if (ending == ".safetensors") return read_safetensors(path, name, limit, entry);
  if (ending != ".npy" && ending != ".csv") refuse_ending(path);
  require_no_name(path, name);
  if (ending == ".npy") return read_npy(path, limit, entry);
  const Tensor whole = read_csv(path);
  entry_of({"", extents_of(whole.shape()), {}}, entry, path.string());
  return whole.selected(0, entry);
}

std::vector<std::string> read_texts(const fs::path& path, std::string_view name) {
  if (path.extension() == ".npz") return read_npz_texts(path, name);
  throw InputError({path.string(), std::string(name), path.extension().string(), "an .npz file, which can hold texts"});
}

ArrayInfo entry_of(const ArrayInfo& array, Index& entry, const std::string& source) {
  const Index count = array.extents.empty() ? 0 : array.extents.front();
  if (entry < -count || entry >= count)
    throw InputError({source, array.name,
                      fmt::format("the part [{}] of shape ({})", entry, fmt::join(array.extents, ", ")),
                      "a part inside the array"});
  if (entry < 0) entry += count;
  ArrayInfo rest = array;
  rest.extents.erase(rest.extents.begin());
  return rest;
}

std::uint64_t open_for_reading(const fs::path& path, std::ifstream& file) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) throw InputError({path.string(), "", "no such file", "the path of a file that exists"});
  if (!fs::is_regular_file(status))
    throw InputError({path.string(), "", fs::is_directory(status) ? "a folder" : "a device or a pipe", "a file"});
  file.open(path, std::ios::binary | std::ios::ate);
  if (!file) throw InputError({path.string(), "", "a file that cannot be opened", "a file that can be read"});
  const auto bytes = static_cast<std::uint64_t>(file.tellg());
  file.seekg(0);
  return bytes;
}

std::size_t place_of(const std::vector<ArrayInfo>& arrays, std::string_view name, const std::string& source) {
  if (arrays.empty()) throw InputError({source, "", "no arrays", "a file with an array"});
  if (name.empty() && arrays.size() == 1) return 0;
  const auto found = std::ranges::find(arrays, name, &ArrayInfo::name);
  if (found != arrays.end()) return static_cast<std::size_t>(found - arrays.begin());
  throw InputError({source, std::string(name), name.empty() ? "no array name" : "no such array",
                    fmt::format("{}{}", arrays.size() > 1 ? "one of " : "", names_of(arrays))});
}

Shape shape_within(const ArrayInfo& array, Precision held, const std::string& source, std::int64_t limit) {
  if (array.extents.size() > static_cast<std::size_t>(Shape::max_rank)) {
    throw InputError({source, array.name, fmt::format("shape ({})", fmt::join(array.extents, ", ")),
                      fmt::format("up to {} axes", Shape::max_rank)});
  }
  const Shape shape(array.extents);
  // An axis of length 0 leaves nothing to hold, but the others must still be lengths that can be multiplied.
  Shape counted = shape;
  for (int axis = 0; axis < counted.rank(); ++axis) counted[axis] = std::max<Index>(counted[axis], 1);
  if (counted.elements() > limit / static_cast<std::int64_t>(bytes_per_element(held))) {
    throw InputError({source, array.name, fmt::format("shape {}", shape.to_string()),
                      fmt::format("up to {} of numbers", format_bytes(limit))});
  }
  return shape;
}

}  // namespace headlight
