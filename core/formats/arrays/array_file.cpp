#include "core/formats/arrays/array_file.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/formats/arrays/csv.hpp"
#include "core/formats/arrays/npy.hpp"
#include "core/formats/arrays/npz.hpp"
#include "core/formats/arrays/safetensors.hpp"
#include "core/formats/files.hpp"
#include "core/model/problem.hpp"

namespace headlight {

namespace fs = std::filesystem;

const std::string_view array_endings = ".npz, .npy, .csv or .safetensors";

namespace {

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
  const std::string ending = ending_of(path);
  if (ending == ".npz") return list_npz(path);
  if (ending == ".safetensors") return list_safetensors(path);
  if (ending == ".npy") return {list_npy(path)};
  if (ending == ".csv") return {{"", extents_of(read_csv(path).shape()), "text"}};
  refuse_ending(path);
}

Tensor read_array(const fs::path& path, std::string_view name, std::int64_t limit, std::optional<Index> entry) {
  const std::string ending = ending_of(path);
  if (ending == ".npz") return read_npz_array(path, name, limit, entry);
  if (ending == ".safetensors") return read_safetensors(path, name, limit, entry);
  if (ending != ".npy" && ending != ".csv") refuse_ending(path);
  require_no_name(path, name);
  if (ending == ".npy") return read_npy(path, limit, entry);
  Tensor whole = read_csv(path);
  if (!entry) return whole;
  entry_of({"", extents_of(whole.shape()), {}}, *entry, path.string());
  return whole.selected(0, *entry);
}

std::vector<std::string> read_texts(const fs::path& path, std::string_view name) {
  if (ending_of(path) == ".npz") return read_npz_texts(path, name);
  throw InputError({path.string(), std::string(name), path.extension().string(), "an .npz file, which can hold texts"});
}

}  // namespace headlight
