// The forms that something can be taken away in, in one table: the dialog, --as, the endings of files and the help read
// it. A new form of numbers or text is its writer, a row in export_forms.cpp and a test. Pictures and animations are
// drawn, which the session cannot: what writes them stands in app/figures and app/commands/animate.cpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/arrays/tensor_slice.hpp"
#include "core/formats/files.hpp"
#include "core/model/setup.hpp"
#include "core/model/trace.hpp"

namespace headlight {

class Session;

/// What a form is for; forms of one kind are offered together.
enum class FormKind : std::uint8_t { picture, numbers, script, setup, lecture, animation };

/// What a writer may ask for; only what it asks for is computed.
struct ExportSource {
  Setup setup;
  std::int64_t memory_limit = 0;  ///< of a program that computes the same
  int digits = 4;                 ///< of the largest number in a table to read
  std::function<std::shared_ptr<const Trace>()> trace;
  std::function<LabelledNumbers()> numbers;  ///< of the tensor or the part that was asked for
  std::function<std::string()> lecture;      ///< the beginning of one, with what is looked at
};

struct ExportForm {
  FormKind kind;
  std::string_view name;    ///< "csv": of --as and of settings
  std::string_view title;   ///< "CSV": as the dialog says it
  std::string_view ending;  ///< ".csv"; forms that share one are told apart by --as
  std::string_view words;   ///< what the file holds: of the help, and of the dialog where there is nothing to look at
  bool of_tensor = false;   ///< holds the numbers of one tensor or of a part of it
  bool rounded = false;     ///< to a choice of digits
  bool opaque = false;      ///< of pictures: cannot be transparent
  /// The whole of it as text, which can be printed and copied; null where it is no text or is drawn.
  std::string (*text)(const ExportSource& source) = nullptr;
  /// Into a file, piece by piece; null where the text is written as it is.
  void (*write)(const std::filesystem::path& file, const ExportSource& source, const WriteReport& report) = nullptr;

  bool drawn() const { return text == nullptr && write == nullptr; }
};

std::span<const ExportForm> all_forms();
std::span<const ExportForm> forms_of(FormKind kind);
/// Null where no form that --as takes has the name. Those that are drawn are not named but drawn.
const ExportForm* form_named(std::string_view name);
/// Null where the kind has no form for the ending of the file's name.
const ExportForm* form_ending(FormKind kind, const std::filesystem::path& file);
/// ".png, .svg or .pdf".
std::string endings_of(FormKind kind);

/// The file's name with the form's ending in place of another form's. Any other ending is part of the name: "run-0.5"
/// becomes "run-0.5.png".
std::filesystem::path with_ending(const std::filesystem::path& file, const ExportForm& form);

/// Writes a form that is not drawn. Throws InputError where the file cannot be written.
void write_form(const ExportForm& form, const std::filesystem::path& file, const ExportSource& source,
                const WriteReport& report);

/// The beginning of a lecture file: the setup, and a first step that looks at the session's cell in its view.
std::string lecture_start(const Session& session);

}  // namespace headlight
