#include "core/formats/arrays/array_file.hpp"

#include <algorithm>
#include <array>
#include <utility>

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

class NpyFile : public ArrayReader {
 public:
  explicit NpyFile(const fs::path& path)
      : path_(path), bytes_(path), array_(bytes_, path.string()), infos_{array_.info()} {}

  const std::vector<ArrayInfo>& arrays() override { return infos_; }
  ArrayInfo info(std::string_view name) override {
    require_no_name(path_, name);
    return infos_.front();
  }
  Tensor read(std::string_view name, std::int64_t limit, std::optional<Index> entry) override {
    require_no_name(path_, name);
    return array_.read(limit, entry);
  }

 private:
  fs::path path_;
  FileBytes bytes_;
  NpyArray array_;
  std::vector<ArrayInfo> infos_;
};

class CsvFile : public ArrayReader {
 public:
  explicit CsvFile(const fs::path& path)
      : path_(path), table_(read_csv(path)), infos_{{"", {table_.shape().begin(), table_.shape().end()}, "text"}} {}

  const std::vector<ArrayInfo>& arrays() override { return infos_; }
  ArrayInfo info(std::string_view name) override {
    require_no_name(path_, name);
    return infos_.front();
  }
  Tensor read(std::string_view name, std::int64_t limit, std::optional<Index> entry) override {
    const ArrayInfo taken = entry ? entry_of(info(name), *entry, path_.string()) : info(name);
    shape_within(taken, Precision::float64, path_.string(), limit);
    return entry ? table_.selected(0, *entry) : table_;
  }

 private:
  fs::path path_;
  Tensor table_;
  std::vector<ArrayInfo> infos_;
};

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

std::unique_ptr<ArrayReader> open_arrays(const fs::path& path) {
  const std::string ending = ending_of(path);
  if (ending == ".npz") return std::make_unique<NpzFile>(path);
  if (ending == ".safetensors") return std::make_unique<SafetensorsFile>(path);
  if (ending == ".npy") return std::make_unique<NpyFile>(path);
  if (ending == ".csv") return std::make_unique<CsvFile>(path);
  refuse_ending(path);
}

ArrayReader& ArrayFiles::at(const fs::path& path) {
  constexpr std::size_t most_open = 16;  // a setup may name hundreds, and a process may not open as many
  const auto known = open_.find(path);
  if (known != open_.end()) return *known->second;
  std::unique_ptr<ArrayReader> opened = open_arrays(path);
  if (open_.size() >= most_open) open_.clear();
  return *open_.emplace(path, std::move(opened)).first->second;
}

std::vector<ArrayInfo> list_arrays(const fs::path& path) { return open_arrays(path)->arrays(); }

Tensor read_array(const fs::path& path, std::string_view name, std::int64_t limit, std::optional<Index> entry) {
  return open_arrays(path)->read(name, limit, entry);
}

}  // namespace headlight
