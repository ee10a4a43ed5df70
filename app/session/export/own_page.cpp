#include "app/session/export/own_page.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "app/session/lesson.hpp"
#include "app/session/snapshot/shared_link.hpp"
#include "core/formats/arrays/npy.hpp"
#include "core/formats/files.hpp"
#include "core/formats/setup/setup_file.hpp"
#include "core/formats/setup/setup_overrides.hpp"
#include "core/lecture/check.hpp"
#include "core/model/problem.hpp"
#include "core/text/numbers.hpp"

namespace headlight {
namespace {

namespace fs = std::filesystem;

/// The files of a page, under their names in a folder.
class PageFiles {
 public:
  /// The page has the files under their names in this folder.
  explicit PageFiles(fs::path folder) : folder_(std::move(folder)) {}

  const fs::path& folder() const { return folder_; }
  std::map<std::string, std::string> take() { return std::move(files_); }

  /// Throws InputError if the file is neither in the folder nor below it: a page has no place for others.
  void add_file(const fs::path& file) {
    const std::string name = file.lexically_relative(folder_).generic_string();
    if (name.starts_with("../"))
      throw InputError({file.string(), "", "a file elsewhere than " + folder_.string(),
                        "files of that folder or below it, which a page can have inside"});
    if (!files_.contains(name)) add(name, read_bytes(file, static_cast<std::int64_t>(most_document_bytes)));
  }

  bool has(const fs::path& file) const { return files_.contains(file.lexically_relative(folder_).generic_string()); }

  /// An array as a file of its own. Returns its path.
  fs::path add_array(const std::string& name, const Tensor& numbers) {
    NpyStream stream(numbers);
    std::string bytes(stream.size(), '\0');
    stream.read(bytes.data(), bytes.size());
    add(name, std::move(bytes));
    return folder_ / name;
  }

 private:
  void add(const std::string& name, std::string bytes) {
    size_ += bytes.size();
    if (size_ > most_document_bytes)
      throw InputError(
          {name, "", fmt::format("{} with what is in the page already", format_bytes(static_cast<std::int64_t>(size_))),
           fmt::format("at most {} in one page", format_bytes(std::int64_t{most_document_bytes}))});
    files_[name] = std::move(bytes);
  }

  fs::path folder_;
  std::map<std::string, std::string> files_;
  std::size_t size_ = 0;
};

/// The files that the setup takes numbers, and the text of its task, from.
void add_arrays_of(PageFiles& files, const Setup& setup) {
  for (const GivenValue& given : setup.values.entries())
    if (given.numbers.source()) files.add_file(given.numbers.source()->path);
  if (!setup.task.file.empty()) files.add_file(setup.task.file.path());
}

/// What the setup becomes when somebody follows the link; nullopt if it changes nothing or can't be followed.
std::optional<Setup> linked(const Setup& setup, const MarkdownLink& markdown, const fs::path& folder) {
  const auto link = parse_link(markdown.target);
  if (!link || !link->changes_settings()) return std::nullopt;
  try {
    return with_overrides(setup, link->assignments(), "set",
                          {.folder = folder, .access = ValueFiles::Access::in_folder});
  } catch (const InputError&) {
    return std::nullopt;
  }
}

/// The lecture, and the files of its parts, steps, answers and links.
void add_lecture(PageFiles& files, const fs::path& file, const Lecture& lecture) {
  files.add_file(file);
  for (const Part& part : lecture.parts) add_arrays_of(files, part.setup);
  for (const Step& step : lecture.steps) {
    if (step.changed_setup) add_arrays_of(files, *step.changed_setup);
    if (step.question && step.question->changed_setup) add_arrays_of(files, *step.question->changed_setup);
    for (const LiveText* text : texts_of(step))
      for (const MarkdownLink& link : text->links)
        if (const auto setup = linked(lecture.setup_of(step), link, files.folder())) add_arrays_of(files, *setup);
  }
}

void add_model(PageFiles& files, const OpenModel& model) {
  const fs::path file = is_folder(model.path) ? model_file_in(model.path) : model.path;
  std::set<fs::path> parts{file};
  for (const auto& arrays : model.arrays)
    for (const StoredArray& array : arrays->all()) parts.insert(array.file);
  for (const char* const name : {"config.json", "params.json"})  // say how many heads there are
    if (const fs::path config = file.parent_path() / name; is_file(config)) parts.insert(config);
  for (const fs::path& part : parts) files.add_file(from_root(part));
}

/// The setup with its arrays in the files of the page.
Setup with_arrays_in(PageFiles& files, Setup setup) {
  Values values;
  for (const GivenValue& given : setup.values.entries()) {
    GivenNumbers numbers = given.numbers;
    if (numbers.source() && !files.has(numbers.source()->path)) {
      const std::string name = fmt::format("{}-{}.npy", headlight::name(given.tensor), values.entries().size());
      numbers = GivenNumbers(numbers.tensor(), ArraySource{files.add_array(name, numbers.tensor()).string(), "", ""});
    }
    values.set({given.tensor, given.part, std::move(numbers), given.layer});
  }
  setup.values = values;
  if (const TaskText& text = setup.task.file; !text.empty() && !files.has(text.path()))
    setup.task.text = TaskText(std::exchange(setup.task.file, {}).text());
  return setup;
}

}  // namespace

PageDocument own_page_of(const Session& session, const std::optional<fs::path>& lecture_file) {
  const OpenModel* const model = session.state().model.get();
  fs::path root = lecture_file ? from_root(*lecture_file) : model ? from_root(model->path) : fs::path("/page/setup");
  if (!root.has_filename()) root = root.parent_path();  // a folder with a slash at its end
  PageFiles files(root.parent_path());
  PageDocument document;
  const Lecture* const lecture = session.lesson().lecture();
  document.title = lecture ? lecture->title : session.setup().title;
  if (lecture_file && lecture) {
    add_lecture(files, root, *lecture);
    document.arguments = {"--lectures", "."};
  } else if (model) {
    add_model(files, *model);
    document.arguments = {"--model", root.filename().string()};
  }
  SharedLink link = link_of(session);
  if (model && link.embed == Embedded::none) link.view = wanted_view(session);  // else all layers would be shown
  std::string setup;
  if (link.setup) setup = write_setup(with_arrays_in(files, *link.setup), files.folder());
  document.arguments.insert(document.arguments.end(), {"--setup", fragment_of(link, setup)});
  document.files = files.take();
  return document;
}

}  // namespace headlight
