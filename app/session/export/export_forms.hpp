// All export forms in one table, which the dialog, --as, file endings and the help read. A new form of numbers or text
// needs its writer, a row in export_forms.cpp and a test. The session cannot draw, so pictures and animations are
// written by app/figures and app/commands/render.cpp.
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

/// What a form is for; the dialog offers forms of one kind together.
enum class FormKind : std::uint8_t { picture, curve, numbers, script, setup, lecture, handout, animation };

/// What a writer can ask for. The functions compute only when they are called.
struct ExportSource {
  Setup setup;
  std::filesystem::path folder;   ///< where the file will be; empty for text without a file
  std::int64_t memory_limit = 0;  ///< the limit for a program that computes the same trace
  int digits = 4;                 ///< shown of the largest number in a table
  std::function<ModelTrace()> model;
  std::function<LabelledNumbers()> numbers;  ///< of the exported tensor or part
  std::function<std::string()> lecture;      ///< the beginning of a lecture that looks at the session's cell
  std::function<std::string()> link;         ///< to what the session shows
  std::function<std::string()> page;         ///< the app in one file, with what the session shows inside
};

struct ExportForm {
  FormKind kind;
  std::string_view name;       ///< the name for --as and in settings: "csv"
  std::string_view title;      ///< the name in the dialog: "CSV"
  std::string_view ending;     ///< ".csv"; if several forms share it, --as decides
  std::string_view words;      ///< what the file holds, for the help and for dialogs without a preview
  bool opens_at_cell = false;  ///< opens at a view and a cell
  bool of_tensor = false;      ///< holds the numbers of one tensor or of a part of it
  bool rounded = false;        ///< rounded to a chosen number of digits
  bool opaque = false;         ///< for pictures: cannot be transparent
  /// Makes the whole text, to print or copy; null for forms that are not text or are drawn.
  std::string (*text)(const ExportSource& source) = nullptr;
  /// Writes the file piece by piece; null if the file is just the text.
  void (*write)(const std::filesystem::path& file, const ExportSource& source, const WriteReport& report) = nullptr;

  bool drawn() const { return text == nullptr && write == nullptr; }
};

std::span<const ExportForm> all_forms();
std::span<const ExportForm> forms_of(FormKind kind);
/// The forms of several kinds, from one to a later one in the table.
std::span<const ExportForm> forms_of(FormKind first, FormKind last);
/// The form that --as calls by this name; null if there is none. Forms that are drawn cannot be named there.
const ExportForm* form_named(std::string_view name);
/// The form of the kind that has the file's ending; null if there is none.
const ExportForm* form_ending(FormKind kind, const std::filesystem::path& file);
/// The endings of a kind in words: ".png, .svg or .pdf".
std::string endings_of(FormKind kind);

/// The file's name with the form's ending. It replaces the ending of another form; any other ending counts as part of
/// the name: "run-0.5" becomes "run-0.5.png".
std::filesystem::path with_ending(const std::filesystem::path& file, const ExportForm& form);

/// Writes a form that is not drawn. Throws InputError if the file cannot be written.
void write_form(const ExportForm& form, const std::filesystem::path& file, const ExportSource& source,
                const WriteReport& report);

}  // namespace headlight
