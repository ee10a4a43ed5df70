// Runs the cases of a program, or one shard of them: --shard=2/5 is the second of five parts that take about equally
// long.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

/// The names of the cases that would run, in the order in which they run.
std::vector<std::string> names_of_cases(std::vector<const char*> arguments) {
  arguments.push_back("--list-test-cases");
  doctest::Context context(static_cast<int>(arguments.size()), arguments.data());
  std::ostringstream listing;
  context.setCout(&listing);
  context.run();
  std::vector<std::string> names;
  std::istringstream lines(listing.str());
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with("[doctest]") && !line.starts_with("=====")) names.push_back(line);
  return names;
}

/// The seconds that each case took when tests/measure_cases.py last measured it; cases that took little aren't listed.
std::map<std::string, double> measured_seconds() {
  std::map<std::string, double> seconds;
  std::ifstream file(HEADLIGHT_MEASURED_CASES);
  double took = 0;
  for (std::string name; file >> took >> std::ws && std::getline(file, name);) seconds[name] = took;
  return seconds;
}

struct Range {
  int first = 1;
  int last = 0;
};

/// The cases of a shard, counted from 1. Shards are ranges, so that cases of one file, which often need the same
/// things, stay together. A case belongs to the shard in which the middle of its time lies.
Range range_of_shard(const std::vector<std::string>& names, int shard, int shards) {
  constexpr double unmeasured = 0.02;
  const std::map<std::string, double> measured = measured_seconds();
  std::vector<double> middles;
  double total = 0;
  for (const std::string& name : names) {
    const auto found = measured.find(name);
    const double took = found == measured.end() ? unmeasured : found->second;
    middles.push_back(total + took / 2);
    total += took;
  }
  Range range;
  for (const double middle : middles) {
    const double place = middle / total * shards;
    if (place < shard - 1) ++range.first;
    if (place < shard) ++range.last;
  }
  return range;
}

}  // namespace

int main(int argc, char** argv) {
  // Always use the software rasteriser, whatever graphics card there is, because pictures are compared pixel by pixel.
  setenv("LIBGL_ALWAYS_SOFTWARE", "1", 1);
  setenv("GALLIUM_DRIVER", "llvmpipe", 1);
  doctest::Context context(argc, argv);
  constexpr std::string_view option = "--shard=";
  for (int i = 1; i < argc; ++i) {
    if (!std::string_view(argv[i]).starts_with(option)) continue;
    int shard = 0;
    int shards = 0;
    char slash = 0;
    std::istringstream(argv[i] + option.size()) >> shard >> slash >> shards;
    const Range range = range_of_shard(names_of_cases({argv, argv + argc}), shard, shards);
    if (range.first > range.last) {
      std::fputs("No case is in this shard.\n", stderr);
      return 1;
    }
    context.setOption("first", range.first);
    context.setOption("last", range.last);
  }
  return context.run();
}
