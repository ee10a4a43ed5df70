// .npz archives: the arrays of every archive that is accepted are written again and read back the same, bit for bit.
#include "core/formats/arrays/npz.hpp"

#include "core/model/problem.hpp"
#include "tests/core/temporary_folder.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/fuzz/target.hpp"

namespace headlight::fuzz {
namespace {

constexpr std::int64_t limit = 1 << 20;

/// Whether all names differ. Archives in which two arrays have one name are only read, since only one can be written
/// again.
bool names_differ(const std::vector<NamedTensor>& tensors) {
  for (std::size_t i = 0; i < tensors.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (tensors[i].name == tensors[j].name) return false;
  return true;
}

}  // namespace

void judge(std::string_view bytes) {
  const MemoryFile file(bytes);
  std::vector<NamedTensor> tensors;
  try {
    tensors = read_npz(file.path(), limit);
  } catch (const InputError& error) {
    require_told(error, file.path().string());
    return;
  }
  require(!tensors.empty(), "an archive holds an array");
  if (!names_differ(tensors)) return;

  static const testing::TemporaryFolder folder;
  const std::filesystem::path path = folder / "written.npz";
  try {
    write_npz(path, tensors);
  } catch (const InputError& error) {
    require_told(error, path.string());
    return;
  }
  const std::vector<NamedTensor> again = read_npz(path, limit);
  require(again.size() == tensors.size(), "as many arrays are read as were written");
  for (std::size_t i = 0; i < tensors.size(); ++i)
    require(identical(again[i].tensor, tensors[i].tensor), "an array is read again as it was written");
}

}  // namespace headlight::fuzz
