#include "core/formats/diagnose/given_arrays.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include <fmt/format.h>

#include "core/diagnose/arrays/matching.hpp"
#include "core/formats/arrays/npy.hpp"
#include "core/formats/arrays/npz.hpp"
#include "core/formats/diagnose/notebook_arrays.hpp"
#include "core/formats/diagnose/printed_arrays.hpp"
#include "core/formats/files.hpp"
#include "core/formats/layers/captured.hpp"
#include "core/model/problem.hpp"

namespace headlight {
namespace {

/// A notebook by its ending; what has none, as what comes through a pipe, by what Jupyter writes in each. A printed
/// dict begins with a brace, too.
bool is_notebook(const std::filesystem::path& path, std::string_view start) {
  if (path.has_extension()) return path.extension() == ".ipynb";
  return start.starts_with('{') && read_text(path, largest_notebook).find("\"cells\"") != std::string::npos;
}

std::vector<GivenArray> read_printout(const std::filesystem::path& path) {
  try {
    return parse_printed_arrays(read_text(path));
  } catch (const std::invalid_argument& error) {
    throw InputError({path.string(), "", error.what(),
                      "an npz or npy file, or numbers as NumPy or PyTorch print them, not shortened with \"...\""});
  }
}

/// All arrays of an archive. One with an axis more than a tensor can have is one for each layer: scores[0], scores[1].
std::vector<GivenArray> read_archive(const std::filesystem::path& path, std::int64_t limit) {
  constexpr std::size_t of_layers = Shape::max_rank + 1;
  NpzFile file(path);
  const auto is_stack = [](const ArrayInfo& info) { return info.extents.size() == of_layers; };
  std::vector<GivenArray> arrays;
  if (std::ranges::none_of(file.arrays(), is_stack)) {
    for (NamedTensor& named : file.read_all(limit))
      arrays.push_back({std::move(named.name), std::move(named.tensor), {}});
    return arrays;
  }
  const std::vector<ArrayInfo> infos = file.arrays();
  for (const ArrayInfo& info : infos) {
    const Index entries = is_stack(info) ? info.extents.front() : 1;
    for (Index entry = 0; entry < entries; ++entry) {
      const std::string name = is_stack(info) ? fmt::format("{}[{}]", info.name, entry) : info.name;
      Tensor numbers = file.read(info.name, limit, is_stack(info) ? std::optional(entry) : std::nullopt);
      limit -= std::min(limit, numbers.elements() * static_cast<std::int64_t>(bytes_per_element(numbers.precision())));
      arrays.push_back({name, std::move(numbers), {}});
    }
  }
  return arrays;
}

/// Leaves out what a capture says beside the layer's tensors: how it was called, and the parameters under names that
/// only its own library knows, of which the setup was made.
std::vector<GivenArray> without_notes(std::vector<GivenArray> arrays) {
  const bool is_capture = std::ranges::any_of(arrays, [](const GivenArray& array) {
    return array.name == captured::heads && array.values.shape().rank() == 0;
  });
  if (!is_capture) return arrays;
  std::erase_if(arrays, [](const GivenArray& array) {
    const bool is_parameter = array.name.find('.') != std::string::npos;
    return is_note_of_capture(array.name) || (is_parameter && tensors_called(array.name).empty());
  });
  return arrays;
}

/// Arrays without a name get one that can be said: "array 2".
void name_by_number(std::vector<GivenArray>& arrays) {
  for (std::size_t i = 0; i < arrays.size(); ++i)
    if (arrays[i].name.empty()) arrays[i].name = fmt::format("array {}", i + 1);
}

std::string first_bytes_of(const std::filesystem::path& path) {
  FileReader file(path);
  std::array<char, 6> bytes{};
  return {bytes.data(), file.read(bytes.data(), bytes.size())};
}

}  // namespace

std::vector<GivenArray> read_given_arrays(const std::filesystem::path& path, std::int64_t limit) {
  const std::string start = first_bytes_of(path);
  std::vector<GivenArray> arrays;
  if (start.starts_with("PK")) {
    arrays = read_archive(path, limit);
  } else if (start == "\x93NUMPY") {
    arrays.push_back({"", read_npy(path, limit), {}});
  } else if (is_notebook(path, start)) {
    arrays = parse_notebook(read_text(path, largest_notebook), path.string());
  } else {
    arrays = read_printout(path);
  }
  if (arrays.size() == 1 && arrays.front().name.empty()) {
    arrays.front().name = path.stem().string();
    arrays.front().called_by_file = true;
  }
  name_by_number(arrays);
  return without_notes(std::move(arrays));
}

}  // namespace headlight
