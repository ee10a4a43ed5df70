// The values of a setup as the table [values] of a TOML document.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/formats/toml/toml_reader.hpp"
#include "core/model/setup.hpp"
#include "core/model/values.hpp"

namespace headlight {

/// The folder of the files of values, and the arrays that are known already.
struct ValueFiles {
  std::filesystem::path folder;   ///< of the document; empty: the folder that the program runs in
  const Values* known = nullptr;  ///< arrays among these are not read again, as long as the document means the same
  const TaskText* known_text = nullptr;  ///< likewise
  /// Which files are read. Anybody may have written a lecture, so it reads only files in its own folder.
  enum class Access : std::uint8_t {
    all,
    in_folder,        ///< files in the folder, wherever links lead; others are problems
    in_folder_later,  ///< the same, but nothing is read yet: values of files are left out
    known,            ///< none; a value that is not among the known ones is a problem
  } access = Access::all;
};

/// Whether the file, which is named by `text`, is to be read now. A file that may never be read is a problem of `key`.
bool may_read(TomlReader& reader, std::string_view key, const std::filesystem::path& file, const std::string& text,
              const ValueFiles& files);

/// What messages allow for the table, and for one value of it.
extern const std::string_view wanted_values;

/// Reads every key of the table, and adds what is wrong to the reader's problems. If nothing was wrong before, the
/// sizes in `setup` tell which shapes fit, so that no file is read in vain.
Values values_from(TomlReader& reader, const ValueFiles& files, const Setup& setup);

/// The value as TOML: a number, nested lists, or the name of an array in a file.
TomlValue toml_value(const GivenNumbers& numbers, const std::filesystem::path& folder);
TomlTable toml_of(const Values& values, const std::filesystem::path& folder);

/// The same for people, matrices a row to a line.
std::string toml_text(const GivenNumbers& numbers, const std::filesystem::path& folder);

}  // namespace headlight
