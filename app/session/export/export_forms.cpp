#include "app/session/export/export_forms.hpp"

#include <algorithm>
#include <array>

#include "app/machine.hpp"
#include "app/session/session.hpp"
#include "core/engine/learning_curve.hpp"
#include "core/formats/arrays/csv.hpp"
#include "core/formats/arrays/npy.hpp"
#include "core/formats/arrays/npz.hpp"
#include "core/formats/arrays/number_table.hpp"
#include "core/formats/script/script.hpp"
#include "core/formats/setup/setup_file.hpp"
#include "core/text/wording.hpp"

namespace headlight {
namespace {

using Source = const ExportSource&;
using File = const std::filesystem::path&;
using Writing = const WriteReport&;

template <TableLanguage language>
std::string table_text(Source source) {
  return number_table(source.numbers(), language, source.digits);
}

template <Framework framework>
std::string script_text(Source source) {
  return script(source.setup, framework, source.memory_limit);
}

std::string curve_text(Source source) {
  const Setup& setup = source.setup;
  if (!setup.has_task() || setup.training.steps == 0)
    throw InputError({"", setup.has_task() ? "training.steps" : "task.name", setup.has_task() ? "0" : "none",
                      setup.has_task() ? "how many steps the curve has" : "a task: it says what to learn"});
  return as_csv(learning_curve(setup, setup.training.steps, std::make_shared<Threads>(), {}, source.memory_limit));
}

/// Forms of one kind follow each other, in the order in which the dialog offers them.
constexpr std::array table{
    ExportForm{.kind = FormKind::picture, .name = "png", .title = "PNG", .ending = ".png", .words = "Pixels"},
    ExportForm{.kind = FormKind::picture, .name = "svg", .title = "SVG", .ending = ".svg", .words = "Vectors"},
    ExportForm{.kind = FormKind::picture, .name = "pdf", .title = "PDF", .ending = ".pdf", .words = "Vectors"},
    ExportForm{
        .kind = FormKind::curve,
        .name = "curve",
        .title = "CSV",
        .ending = ".csv",
        .words = "How the layer learns, up to training.steps: a line for each step, as headlight train writes it",
        .text = curve_text},
    ExportForm{.kind = FormKind::numbers,
               .name = "npz",
               .title = "npz",
               .ending = ".npz",
               .words = "Every tensor of the trace, under its name, for numpy.load",
               .write = [](File file, Source source, Writing report) { write_npz(file, source.model(), report); }},
    ExportForm{
        .kind = FormKind::numbers,
        .name = "npy",
        .title = "npy",
        .ending = ".npy",
        .words = "One tensor or a part of it, for numpy.load",
        .of_tensor = true,
        .write = [](File file, Source source, Writing report) { write_npy(file, source.numbers().values, report); }},
    ExportForm{.kind = FormKind::numbers,
               .name = "csv",
               .title = "CSV",
               .ending = ".csv",
               .words = "One tensor or a part of it, with every digit: a table labelled with the tokens, or one line "
                        "for each number where it has more than two axes",
               .of_tensor = true,
               .text = [](Source source) { return csv_text(source.numbers()); },
               .write = [](File file, Source source, Writing report) { write_csv(file, source.numbers(), report); }},
    ExportForm{.kind = FormKind::numbers,
               .name = "md",
               .title = "Markdown",
               .ending = ".md",
               .words = "A matrix as a table in Markdown, rounded to --digits",
               .of_tensor = true,
               .rounded = true,
               .text = table_text<TableLanguage::markdown>},
    ExportForm{.kind = FormKind::numbers,
               .name = "tex",
               .title = "LaTeX",
               .ending = ".tex",
               .words = "A matrix as a table in LaTeX, rounded to --digits",
               .of_tensor = true,
               .rounded = true,
               .text = table_text<TableLanguage::latex>},
    ExportForm{.kind = FormKind::script,
               .name = "numpy",
               .title = "NumPy",
               .ending = ".py",
               .words = "A program that computes the same with NumPy",
               .text = script_text<Framework::numpy>},
    ExportForm{.kind = FormKind::script,
               .name = "torch",
               .title = "PyTorch",
               .ending = ".py",
               .words = "A program that computes the same with PyTorch",
               .text = script_text<Framework::torch>},
    ExportForm{.kind = FormKind::setup,
               .name = "setup",
               .title = "TOML",
               .ending = ".toml",
               .words = "The setup file",
               .text = [](Source source) { return write_setup(source.setup, source.folder); }},
    ExportForm{.kind = FormKind::setup,
               .name = "link",
               .title = "Link",
               .ending = ".txt",
               .words = "A link that opens the app with this setup",
               .opens_at_cell = true,
               .text = [](Source source) { return source.link() + "\n"; }},
    ExportForm{.kind = FormKind::setup,
               .name = "page",
               .title = "Page",
               .ending = ".html",
               .words = "The whole app in one file for a browser, which opens with this: setup, lecture or model",
               .opens_at_cell = true,
               .write = [](File file, Source source, Writing) { write_file(file, source.page()); }},
    ExportForm{.kind = FormKind::lecture,
               .name = "lecture",
               .title = "Markdown",
               .ending = ".md",
               .words = "The beginning of a lecture file",
               .opens_at_cell = true,
               .text = [](Source source) { return source.lecture(); }},
    ExportForm{.kind = FormKind::handout,
               .name = "html",
               .title = "HTML",
               .ending = ".html",
               .words = "The lecture as one page that needs no other file and prints well: pictures, words, code and "
                        "questions, and their answers at the end"},
    ExportForm{.kind = FormKind::animation,
               .name = "gif",
               .title = "GIF",
               .ending = ".gif",
               .words = "At most 256 colours",
               .opaque = true},
};

}  // namespace

std::span<const ExportForm> all_forms() { return table; }

std::span<const ExportForm> forms_of(FormKind kind) {
  const auto first = std::ranges::find(table, kind, &ExportForm::kind);
  auto last = std::find_if(first, table.end(), [&](const ExportForm& form) { return form.kind != kind; });
  if (kind == FormKind::picture && !machine().writes_pdf)
    last = std::ranges::find(first, last, "pdf", &ExportForm::name);
  return {first, last};
}

std::span<const ExportForm> forms_of(FormKind first, FormKind last) {
  const auto behind = forms_of(last);
  return {forms_of(first).data(), behind.data() + behind.size()};
}

const ExportForm* form_named(std::string_view name) {
  const auto found =
      std::ranges::find_if(table, [&](const ExportForm& form) { return !form.drawn() && form.name == name; });
  return found == table.end() ? nullptr : &*found;
}

const ExportForm* form_ending(FormKind kind, const std::filesystem::path& file) {
  const auto forms = forms_of(kind);
  const auto found = std::ranges::find(forms, std::string_view(file.extension().native()), &ExportForm::ending);
  return found == forms.end() ? nullptr : &*found;
}

std::string endings_of(FormKind kind) {
  std::vector<std::string_view> endings;
  for (const ExportForm& form : forms_of(kind)) endings.push_back(form.ending);
  return listed(endings);
}

std::filesystem::path with_ending(const std::filesystem::path& file, const ExportForm& form) {
  const bool ours =
      std::ranges::find(table, std::string_view(file.extension().native()), &ExportForm::ending) != table.end();
  std::filesystem::path fitting = file;
  if (ours) fitting.replace_extension();
  return fitting += form.ending;
}

void write_form(const ExportForm& form, const std::filesystem::path& file, const ExportSource& source,
                const WriteReport& report) {
  if (form.write != nullptr) form.write(file, source, report);
  else write_file(file, form.text(source));
}

}  // namespace headlight
