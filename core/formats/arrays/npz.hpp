// Reads and writes .npz files, NumPy's archives of named arrays. np.load reads the archives written here, and archives
// of np.savez can be read here.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/arrays/array_info.hpp"
#include "core/formats/files.hpp"
#include "core/model/tensor.hpp"
#include "core/model/trace.hpp"

namespace headlight {

struct NamedTensor {
  std::string name;
  Tensor tensor;
};

/// Writes an archive of float32 and float64 arrays, not compressed. Equal tensors give equal bytes. Tensors are written
/// one after the other, and strided windows in pieces, so that it needs little memory. The file is replaced in one step
/// or not at all. Throws InputError with the path and the reason if it cannot be written.
void write_npz(const std::filesystem::path& path, std::span<const NamedTensor> tensors, const WriteReport& report = {});
/// The same with every tensor of every layer under name_in_model(), and after training `curve`, (steps,): the loss of
/// each step's batch before its update.
void write_npz(const std::filesystem::path& path, const ModelTrace& model, const WriteReport& report = {});

/// An archive that is open: its directory is read once, and its arrays as often as wanted.
class NpzFile : public ArrayReader {
 public:
  /// Throws InputError where the archive is missing or damaged, or holds no array.
  explicit NpzFile(const std::filesystem::path& path);
  ~NpzFile() override;

  const std::vector<ArrayInfo>& arrays() override;
  ArrayInfo info(std::string_view name) override;
  Tensor read(std::string_view name, std::int64_t limit, std::optional<Index> entry) override;
  std::vector<std::string> read_texts(std::string_view name) override;
  /// All arrays, in the order of the archive, of up to `limit` bytes together.
  std::vector<NamedTensor> read_all(std::int64_t limit);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The arrays of an archive, in its order. Throws InputError where it is missing or damaged, or holds arrays that are
/// not numeric (see NpyArray), of more than four axes, or of more than `limit` bytes together.
std::vector<NamedTensor> read_npz(const std::filesystem::path& path, std::int64_t limit = default_memory_limit);

}  // namespace headlight
