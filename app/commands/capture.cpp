#include "app/commands/capture.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/commands/exit_code.hpp"
#include "core/formats/files.hpp"
#include "core/formats/layers/families.hpp"

// assets/capture.py, inside the program.
extern "C" const char _binary_capture_py_start[];
extern "C" const char _binary_capture_py_end[];

namespace headlight {
namespace {

constexpr std::string_view no_projections = "PROJECTIONS = []";

/// The families whose projections are modules, those with the same names together, as Python's list of tuples.
std::string projections() {
  using Modules = std::array<std::string_view, 4>;
  std::vector<std::pair<Modules, std::vector<std::string_view>>> rows;
  for (const Family& family : families()) {
    const auto modules = projection_modules(family);
    if (!modules) continue;
    const auto known = std::ranges::find(rows, *modules, &std::pair<Modules, std::vector<std::string_view>>::first);
    if (known == rows.end()) rows.push_back({*modules, {family.name}});
    else known->second.push_back(family.name);
  }
  std::string text = "PROJECTIONS = [\n";
  for (const auto& [modules, names] : rows)
    text += fmt::format("    (\"{}\"),  # {}\n", fmt::join(modules, "\", \""), fmt::join(names, ", "));
  return text + "]";
}

}  // namespace

int write_capture_program(const std::optional<std::filesystem::path>& output) {
  std::string text(_binary_capture_py_start, _binary_capture_py_end);
  text.replace(text.find(no_projections), no_projections.size(), projections());
  if (output) write_file(*output, text);
  else fmt::print("{}", text);
  return done;
}

}  // namespace headlight
