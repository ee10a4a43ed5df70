// An array of a file as a setup names it: "layer.npz:W_q", "model.safetensors:k_proj.weight.T", "table.csv[:, 0:8]".
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/formats/arrays/array_file.hpp"
#include "core/model/values.hpp"

namespace headlight {

/// For messages: an example of such a text.
extern const std::string_view an_array_reference;

/// The parts of the text: the file; ':' and the array's name, if the file has names; then any number of steps, carried
/// out in order: ".T" swaps the last two axes, "[0:768]" or "[:, 768:1536]" takes a part in NumPy's notation,
/// ".reshape(12, 3, 64, -1)" gives the same numbers, in row-major order, another shape of up to four axes. "#" and 16
/// hexadecimal digits at the end are the digest of the numbers, which Headlight writes.
struct ArrayReference {
  std::filesystem::path file;
  std::string name;
  std::string steps;
  std::string digest;  ///< empty where there is none
};

/// Takes "#0123456789abcdef" off the end of the text; empty where there is none.
std::string taken_digest(std::string_view& text);

/// The file as it is named from `folder`, or from the root where that is empty.
std::filesystem::path path_from(const std::filesystem::path& file, const std::filesystem::path& folder);

/// nullopt where the text names no file with an ending that can be read.
std::optional<ArrayReference> parse_array_reference(std::string_view text);

/// The text of numbers that were read from a file, with their digest. The file is named from `folder`, or from the root
/// where that is empty.
std::string to_reference(const GivenNumbers& numbers, const std::filesystem::path& folder);

/// The shape that read_given's numbers will have, by the file's header alone; nullopt for csv, which has no header, and
/// for arrays that are not numeric. Throws as read_given does.
std::optional<Shape> shape_in_file(const ArrayReference& reference, const std::filesystem::path& folder,
                                   ArrayFiles& files);

/// Reads the numbers. A relative file is in `folder`, or in the folder that the program runs in where that is empty.
/// Throws InputError if they cannot be read, if a step does not fit, or if the digest shows that they have changed;
/// `found` begins with the name of the file or array, and source and key are empty.
GivenNumbers read_given(const ArrayReference& reference, const std::filesystem::path& folder, ArrayFiles& files);

/// The file and steps as a value keeps them: with the path from the root. If a file with a digest is not at its path,
/// it is looked for beside the document, in `folder`: the user may have moved both together.
ArraySource source_of(const ArrayReference& reference, const std::filesystem::path& folder);

}  // namespace headlight
