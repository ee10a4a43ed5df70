#include "app/session/state/checked_work.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/diagnose/wrong_work.hpp"
#include "core/formats/diagnose/given_arrays.hpp"
#include "core/formats/files.hpp"
#include "core/text/numbers.hpp"
#include "core/text/wording.hpp"

namespace headlight {
namespace {

auto entry_of(auto& work, std::string_view theirs) {
  return std::ranges::find(work.names, theirs, [](const auto& pair) -> std::string_view { return pair.first; });
}

/// Whether both are the same numbers apart from axes of one, which a printout may leave out.
bool same_extents(const Shape& a, const Shape& b) {
  const auto extents = [](const Shape& shape) {
    std::vector<Index> wide(shape.begin(), shape.end());
    std::erase(wide, 1);
    return wide;
  };
  return extents(a) == extents(b);
}

bool is_pasted(const HandedIn& given, const GivenArray& array) {
  return std::ranges::count(given.pasted, array.name) > 0;
}

/// Whether all that a file gave had no names of its own and is pasted in the same shapes: the same work once more.
bool replaces_file(const HandedIn& given, const std::vector<GivenArray>& pasted) {
  const auto comes_again = [&](const GivenArray& array) {
    const auto is_it = [&](const GivenArray& each) {
      return each.name.empty() && same_extents(each.values.shape(), array.values.shape());
    };
    return is_pasted(given, array) || (array.called_by_file && std::ranges::any_of(pasted, is_it));
  };
  return !given.file.empty() && std::ranges::all_of(given.arrays, comes_again);
}

/// Arrays without a name get one: that of an earlier one of the same shape, which they replace, or the next number.
void name_nameless(std::vector<GivenArray>& arrays, const HandedIn& given) {
  constexpr std::string_view made_up = "pasted ";
  const auto is_new = [&](const std::string& name) {
    return std::ranges::find(arrays, name, &GivenArray::name) == arrays.end();
  };
  const auto replaced_by = [&](const GivenArray& array) {
    return std::ranges::find_if(given.arrays, [&](const GivenArray& old) {
      return is_pasted(given, old) && old.name.starts_with(made_up) && is_new(old.name) &&
             same_extents(old.values.shape(), array.values.shape());
    });
  };
  const auto is_taken = [&](const std::string& name) {
    return !is_new(name) || std::ranges::find(given.arrays, name, &GivenArray::name) != given.arrays.end();
  };
  int number = 0;
  for (GivenArray& array : arrays) {
    if (!array.name.empty()) continue;
    const auto old = replaced_by(array);
    std::string name;
    if (old != given.arrays.end()) name = old->name;
    else do
        name = fmt::format("{}{}", made_up, ++number);
      while (is_taken(name));
    array.name = std::move(name);
  }
}

}  // namespace

CheckTask task_of(const CheckedWork& work) {
  CheckTask task;
  if (!work.given) return task;
  for (const GivenArray& array : work.given->arrays) {
    const std::string* const ours = named_by_hand(work, array.name);
    if (ours != nullptr && ours->empty()) continue;
    if (ours != nullptr) task.names.emplace_back(array.name, *ours);
    task.arrays.push_back(array);
  }
  return task;
}

CheckedWork with_arrays(CheckedWork work, HandedIn given) {
  work.given = std::make_shared<const HandedIn>(std::move(given));
  if (!work.given->file.empty()) work.file = work.given->file;
  std::erase_if(work.names, [&](const auto& pair) {
    return std::ranges::find(work.given->arrays, pair.first, &GivenArray::name) == work.given->arrays.end();
  });
  work.problems.clear();
  work.shown = true;
  return work;
}

CheckedWork with_pasted(CheckedWork work, std::vector<GivenArray> arrays) {
  HandedIn given = work.given ? *work.given : HandedIn{};
  if (replaces_file(given, arrays)) {
    std::erase_if(given.arrays, [&](const GivenArray& array) { return !is_pasted(given, array); });
    given.file.clear();
    work.file.clear();
  }
  name_nameless(arrays, given);
  for (GivenArray& array : arrays) {
    if (!is_pasted(given, array)) given.pasted.push_back(array.name);
    const auto same = std::ranges::find(given.arrays, array.name, &GivenArray::name);
    if (same == given.arrays.end()) given.arrays.push_back(std::move(array));
    else *same = std::move(array);
  }
  const std::size_t count = given.arrays.size();
  if (given.file.empty()) given.title = counted(count, "pasted array", "pasted arrays");
  return with_arrays(std::move(work), std::move(given));
}

CheckedWork with_name(CheckedWork work, std::string_view theirs, std::string_view ours) {
  std::erase_if(work.names, [&](const auto& pair) {
    return pair.first == theirs || (!ours.empty() && std::string_view(pair.second) == ours);
  });
  work.names.emplace_back(theirs, ours);
  return work;
}

CheckedWork without_name(CheckedWork work, std::string_view theirs) {
  std::erase_if(work.names, [&](const auto& pair) { return pair.first == theirs; });
  return work;
}

HandedIn handed_in(const std::filesystem::path& file) {
  return {file.filename().string(), file, read_given_arrays(file)};
}

KeptWork kept_of(const CheckedWork& work) {
  return {.shown = work.shown,
          .file = work.file.empty() ? std::string() : from_root(work.file).string(),
          .names = work.names,
          .tolerance = work.tolerance,
          .follows = work.follows,
          .pasted = work.given && !work.given->pasted.empty() ? work.given : nullptr};
}

CheckedWork read_again(const KeptWork& kept) {
  CheckedWork work;
  work.names = kept.names;
  work.tolerance = kept.tolerance;
  work.follows = kept.follows;
  work.file = kept.file;
  try {
    if (!kept.file.empty()) {
      HandedIn given = handed_in(kept.file);  // before the work is moved: it stays where this throws
      work = with_arrays(std::move(work), std::move(given));
    }
  } catch (const InputError& error) {
    work.problems = error.problems();
  }
  if (kept.pasted) {
    std::vector<GivenArray> pasted;
    for (const GivenArray& array : kept.pasted->arrays)
      if (std::ranges::count(kept.pasted->pasted, array.name) > 0) pasted.push_back(array);
    std::vector<Problem> problems = std::move(work.problems);
    work = with_pasted(std::move(work), std::move(pasted));
    work.problems = std::move(problems);
  }
  work.shown = kept.shown;
  return work;
}

const std::string* named_by_hand(const CheckedWork& work, std::string_view theirs) {
  const auto found = entry_of(work, theirs);
  return found == work.names.end() ? nullptr : &found->second;
}

std::string words_of(const HandedIn& given) {
  std::int64_t bytes = 0;
  bool printed = false;
  bool single = false;
  bool both = false;
  for (const GivenArray& array : given.arrays) {
    const Precision precision = array.values.precision();
    bytes += array.values.elements() * static_cast<std::int64_t>(bytes_per_element(precision));
    printed |= !array.half_digits.empty();
    both |= &array != given.arrays.data() && single != (precision == Precision::float32);
    single = precision == Precision::float32;
  }
  const std::size_t count = given.arrays.size();
  return fmt::format("{}, {}{}", counted(count, "array", "arrays"),
                     printed ? "as printed"
                     : both  ? "float32 and float64"
                             : to_string(single ? Precision::float32 : Precision::float64),
                     printed ? std::string() : ", " + format_bytes(bytes));
}

std::vector<std::string> diagnose_arguments(const CheckedWork& work, std::span<const std::string> what) {
  if (!work.given || work.given->file.empty()) return {};
  std::vector<std::string> arguments{"diagnose"};
  arguments.insert(arguments.end(), what.begin(), what.end());
  arguments.push_back(work.given->file.string());
  for (const auto& [theirs, ours] : work.names) {
    if (ours.empty()) continue;
    arguments.emplace_back("--name");
    arguments.push_back(fmt::format("{}={}", theirs, ours));
  }
  const Tolerance usual;
  if (work.tolerance.absolute != usual.absolute)
    arguments.insert(arguments.end(), {"--atol", fmt::format("{:g}", work.tolerance.absolute)});
  if (work.tolerance.relative != usual.relative)
    arguments.insert(arguments.end(), {"--rtol", fmt::format("{:g}", work.tolerance.relative)});
  return arguments;
}

std::shared_ptr<const WorkWithMistake> work_with_mistake(const Step* step, const Trace& right,
                                                         const std::stop_token& stop) {
  if (step == nullptr || step->mistake.empty()) return nullptr;
  try {
    auto made = std::make_shared<WorkWithMistake>();
    made->mistake = step->mistake;
    made->trace = with_mistake(right, step->mistake, step->title, "mistake", stop);
    made->work = with_arrays({}, {.title = "handed in", .file = {}, .arrays = handed_in(made->trace)});
    return made;
  } catch (const InputError&) {
    return nullptr;  // under the user's settings the mistake changes nothing
  }
}

}  // namespace headlight
