// NumPy's archives of named arrays: np.load reads what is written here, and what np.savez writes is read here.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/formats/files.hpp"
#include "core/model/bytes.hpp"
#include "core/model/trace.hpp"

namespace headlight {

struct NamedTensor {
  std::string name;
  Tensor tensor;
};

/// Every tensor of the trace, under its name, in the order of the forward pass.
std::vector<NamedTensor> named_tensors(const Trace& trace);

/// Writes an archive of float32 and float64 arrays, not compressed. Equal tensors give equal bytes. Streams tensor by
/// tensor and strided windows piece by piece, so that it costs no memory to speak of. The file is replaced in one step
/// or not at all; on failure throws InputError naming the path and the reason.
void write_npz(const std::filesystem::path& path, std::span<const NamedTensor> tensors, const WriteReport& report = {});
void write_npz(const std::filesystem::path& path, const Trace& trace, const WriteReport& report = {});

/// The arrays of an archive, in its order. Throws InputError where it is missing or damaged, or holds arrays of other
/// types than float32 and float64, of more than four axes, or of more than `limit` bytes together.
std::vector<NamedTensor> read_npz(const std::filesystem::path& path, std::int64_t limit = default_memory_limit);

/// Writes the tensor as a .npy file, piece by piece. The file is replaced in one step or not at all; throws InputError
/// where it cannot be written.
void write_npy(const std::filesystem::path& path, const Tensor& tensor, const WriteReport& report = {});

/// The array of a .npy file.
Tensor read_npy(const std::filesystem::path& path, std::int64_t limit = default_memory_limit);

}  // namespace headlight
