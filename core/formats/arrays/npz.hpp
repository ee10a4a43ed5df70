// Reads and writes .npz files, NumPy's archives of named arrays. np.load reads the archives written here, and archives
// of np.savez can be read here.
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

/// Every tensor of the trace with its name, in the order of the forward pass.
std::vector<NamedTensor> named_tensors(const Trace& trace);

/// Writes an archive of float32 and float64 arrays, not compressed. Equal tensors give equal bytes. Tensors are written
/// one after the other, and strided windows in pieces, so that it needs little memory. The file is replaced in one step
/// or not at all. Throws InputError with the path and the reason if it cannot be written.
void write_npz(const std::filesystem::path& path, std::span<const NamedTensor> tensors, const WriteReport& report = {});
void write_npz(const std::filesystem::path& path, const Trace& trace, const WriteReport& report = {});

/// The arrays of an archive, in the archive's order. Throws InputError if the archive is missing or damaged, or if its
/// arrays have another type than float32 and float64, more than four axes, or more than `limit` bytes together.
std::vector<NamedTensor> read_npz(const std::filesystem::path& path, std::int64_t limit = default_memory_limit);

/// Writes the tensor as a .npy file, piece by piece. The file is replaced in one step or not at all. Throws InputError
/// if it cannot be written.
void write_npy(const std::filesystem::path& path, const Tensor& tensor, const WriteReport& report = {});

/// The array of a .npy file. Throws InputError as read_npz does.
Tensor read_npy(const std::filesystem::path& path, std::int64_t limit = default_memory_limit);

}  // namespace headlight
