#include <algorithm>
#include <array>
#include <cstdio>

#include <fmt/format.h>

#include "app/commands/commands.hpp"
#include "app/commands/figure_options.hpp"
#include "app/commands/session_of.hpp"
#include "core/formats/arrays/csv.hpp"
#include "core/formats/arrays/npz.hpp"
#include "core/formats/arrays/number_table.hpp"
#include "core/formats/arrays/tensor_slice.hpp"
#include "core/formats/files.hpp"
#include "core/formats/lecture/lecture_file.hpp"
#include "core/formats/setup/setup_file.hpp"

namespace headlight {
namespace {

enum class Form : std::uint8_t { npz, npy, csv, md, tex, setup, lecture, numpy, torch };

struct FormInfo {
  Form form;
  std::string_view name;    ///< of --as
  std::string_view ending;  ///< of the file's name; forms that share one are told apart by --as
  bool of_tensor;           ///< holds the numbers of --tensor
  bool text;
};

constexpr std::array forms{
    FormInfo{Form::npz, "npz", ".npz", false, false},       FormInfo{Form::npy, "npy", ".npy", true, false},
    FormInfo{Form::csv, "csv", ".csv", true, true},         FormInfo{Form::md, "md", ".md", true, true},
    FormInfo{Form::tex, "tex", ".tex", true, true},         FormInfo{Form::setup, "setup", ".toml", false, true},
    FormInfo{Form::lecture, "lecture", ".md", false, true}, FormInfo{Form::numpy, "numpy", ".py", false, true},
    FormInfo{Form::torch, "torch", ".py", false, true},
};

const FormInfo& form_named(const std::string& name) {
  const auto found = std::find_if(forms.begin(), forms.end(), [&](const FormInfo& form) { return form.name == name; });
  if (found == forms.end()) throw InputError({"--as", "", name, "one of " + export_forms()});
  return *found;
}

/// The one form of this ending, or with a tensor the one that holds its numbers.
const FormInfo& form_ending(const std::filesystem::path& output, bool with_tensor) {
  const std::string ending = output.extension().string();
  std::string names;
  const FormInfo* found = nullptr;
  int count = 0;
  for (const FormInfo& form : forms) {
    if (form.ending != ending) continue;
    if (with_tensor && form.of_tensor) return form;
    names += fmt::format("{}{}", names.empty() ? "--as " : " or --as ", form.name);
    found = &form;
    ++count;
  }
  if (count == 1) return *found;
  if (count > 1) throw InputError({"--as", "", fmt::format("none, for {}", output.string()), names});
  throw InputError({"-o", "", output.string(),
                    "a name that ends in .npz, .npy, .csv, .md, .tex, .toml or .py, or --as to say what it is"});
}

const FormInfo& form_of(const ExportOptions& options) {
  if (!options.form.empty()) return form_named(options.form);
  if (options.output) return form_ending(*options.output, !options.tensor.empty());
  throw InputError({"", "", "neither -o nor --as", "a file to write, or one of " + export_forms()});
}

void require_fitting(const FormInfo& form, const ExportOptions& options) {
  if (form.of_tensor && options.tensor.empty())
    throw InputError(
        {"--tensor", "", fmt::format("none, for {}", form.name), "a tensor or a part of it, as in 'weights[0,1]'"});
  if (!form.of_tensor && !options.tensor.empty())
    throw InputError(
        {"--tensor", "", fmt::format("{} beside {}", options.tensor, form.name), "it with npy, csv, md or tex"});
  if (!form.text && !options.output)
    throw InputError({"-o", "", fmt::format("none, for {}", form.name), "a file to write: it is no text"});
  for (const auto& [option, value] :
       {std::pair("--view", options.picture.view), std::pair("--cell", options.picture.cell)})
    if (form.form != Form::lecture && !value.empty())
      throw InputError({option, "", fmt::format("{} beside {}", value, form.name), "it with --frames or a lecture"});
  if (options.digits < 1 || options.digits > most_table_digits)
    throw InputError({"--digits", "", fmt::format("{}", options.digits), fmt::format("1 to {}", most_table_digits)});
}

LabelledNumbers numbers_of(const What& what, const std::string& slice, const Report& report) {
  const TensorSlice part = parse_tensor_slice(slice, setup_of(what));  // refused before anything is computed
  return numbers_of(*trace_of(what, report), part);
}

/// A step is seen in its own view; compare is no view of lectures.
std::string lecture_start(const What& what, const ExportOptions& options) {
  Session session = session_of(what, {});
  show_place(session, options.picture);
  const ViewInfo& view = info(session.display().view);
  return write_lecture_start(session.setup(), session.cell(), view.of_two_states ? "" : view.word);
}

std::string text_of(Form form, const What& what, const ExportOptions& options, const Report& computing) {
  const auto numbers = [&] { return numbers_of(what, options.tensor, computing); };
  switch (form) {
    case Form::csv: return csv_text(numbers());
    case Form::md: return number_table(numbers(), TableLanguage::markdown, options.digits);
    case Form::tex: return number_table(numbers(), TableLanguage::latex, options.digits);
    case Form::setup: return write_setup(setup_of(what));
    case Form::lecture: return lecture_start(what, options);
    case Form::numpy: return script(setup_of(what), Framework::numpy, what.memory_limit);
    case Form::torch: return script(setup_of(what), Framework::torch, what.memory_limit);
    case Form::npz:
    case Form::npy: break;
  }
  return {};
}

void write(Form form, const What& what, const ExportOptions& options) {
  // A file that cannot be written is said before anything is computed.
  const std::filesystem::path& file = *options.output;
  std::ignore = replaced_file(file);
  ProgressLine progress(options.progress);
  const Report computing = progress.part("computing", 0, 0.5);
  const Report writing = progress.part("writing", 0.5, 1);
  switch (form) {
    case Form::npz: write_npz(file, *trace_of(what, computing), writing); break;
    case Form::npy: write_npy(file, numbers_of(what, options.tensor, computing).values, writing); break;
    case Form::csv: write_csv(file, numbers_of(what, options.tensor, computing), writing); break;
    default: write_file(file, text_of(form, what, options, computing));
  }
}

}  // namespace

std::string export_forms() {
  std::string names;
  for (const FormInfo& form : forms) names += fmt::format("{}{}", names.empty() ? "" : ", ", form.name);
  return names;
}

int export_file(const What& what, const ExportOptions& options) {
  if (!options.frames.empty()) return animate(what, options);
  const FormInfo& form = form_of(options);
  require_fitting(form, options);
  if (options.output) write(form.form, what, options);
  else fmt::print("{}", text_of(form.form, what, options, {}));
  return done;
}

}  // namespace headlight
