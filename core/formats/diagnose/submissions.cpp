#include "core/formats/diagnose/submissions.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "core/formats/diagnose/given_arrays.hpp"
#include "core/formats/files.hpp"
#include "core/model/problem.hpp"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_files_in_submission = 1000;
constexpr std::size_t most_submissions = 100'000;

bool is_hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

bool ends_with_one_of(const fs::path& path, std::span<const std::string_view> endings) {
  std::string ending = path.extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::ranges::find(endings, ending) != endings.end();
}

/// Files of arrays, and those that may as well be words: a report, or a notebook whose arrays are in a file beside it.
constexpr auto of_arrays = std::to_array<std::string_view>({".npz", ".npy"});
constexpr auto of_words = std::to_array<std::string_view>({".txt", ".ipynb"});

bool may_hold_arrays(const fs::path& path) {
  return ends_with_one_of(path, of_arrays) || ends_with_one_of(path, of_words);
}

/// Every file in the folder and below it that may hold arrays, in order.
std::vector<fs::path> files_of_arrays(const fs::path& folder) try {
  std::vector<fs::path> files;
  for (fs::recursive_directory_iterator at(folder), end; at != end; ++at) {
    if (is_hidden(at->path())) at.disable_recursion_pending();
    else if (!at->is_directory() && may_hold_arrays(at->path())) files.push_back(at->path());
    if (files.size() > most_files_in_submission)
      throw InputError({folder.string(), "", fmt::format("more than {} files", most_files_in_submission),
                        "the arrays of one submission"});
  }
  std::ranges::sort(files);
  return files;
} catch (const fs::filesystem_error& error) {
  throw InputError({error.path1().empty() ? folder.string() : error.path1().string(), "", error.code().message(),
                    "a folder that can be read"});
}

std::int64_t bytes_of(const std::vector<GivenArray>& arrays) {
  std::int64_t bytes = 0;
  for (const GivenArray& array : arrays) bytes += array.values.elements() * static_cast<std::int64_t>(sizeof(double));
  return bytes;
}

}  // namespace

std::vector<Submission> submissions_in(const fs::path& folder, const std::vector<fs::path>& apart) {
  if (!is_folder(folder))
    throw InputError({folder.string(), "", is_file(folder) ? "a file" : "no such folder",
                      "a folder with a file or a folder for each submission"});
  const auto is_apart = [&](const fs::path& path) {
    std::error_code error;
    return std::ranges::any_of(apart, [&](const fs::path& other) { return fs::equivalent(path, other, error); });
  };
  std::vector<Submission> all;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (is_hidden(entry.path()) || is_apart(entry.path())) continue;
    all.push_back({entry.path().filename().string(), entry.path()});
    if (all.size() > most_submissions)
      throw InputError({folder.string(), "", fmt::format("more than {} entries", most_submissions),
                        "a folder with the submissions"});
  }
  if (all.empty()) throw InputError({folder.string(), "", "no submissions", "a file or a folder for each submission"});
  std::ranges::sort(all, {}, &Submission::name);
  return all;
}

std::vector<GivenArray> arrays_of(const Submission& submission, std::int64_t limit) {
  if (!is_folder(submission.path)) return read_given_arrays(submission.path, limit);
  std::vector<GivenArray> all;
  std::optional<InputError> without_arrays;
  for (const fs::path& file : files_of_arrays(submission.path)) {
    try {
      std::vector<GivenArray> own = read_given_arrays(file, limit);
      limit -= bytes_of(own);
      std::ranges::move(own, std::back_inserter(all));
    } catch (const InputError& error) {
      if (!ends_with_one_of(file, of_words)) throw;
      if (!without_arrays) without_arrays = error;
    }
  }
  if (all.empty() && without_arrays) throw *without_arrays;
  if (all.empty())
    throw InputError({submission.path.string(), "", "a folder without arrays", "npz, npy, txt or ipynb files in it"});
  return all;
}

}  // namespace headlight
