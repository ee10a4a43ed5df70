// What is wrong with an input, in words that tell a person how to fix it.
#pragma once

#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace headlight {

/// One thing that is wrong: where it is, what was found and what is allowed.
struct Problem {
  std::string source;   ///< the file ("lesson.toml") or "--set"; empty if the input has no name
  std::string key;      ///< "sizes.heads"; empty if the problem concerns the whole source
  std::string found;    ///< "3"
  std::string allowed;  ///< "a divisor of sizes.d_model = 8"

  /// The problem on one line, without control characters: "lesson.toml: sizes.heads: found 3; allowed: a divisor of
  /// sizes.d_model = 8". A part of more than a thousand bytes is shortened.
  std::string message() const;

  friend bool operator==(const Problem&, const Problem&) = default;
};

/// The problems as a person reads them, a line for each: the first twenty, and how many more there are.
std::vector<std::string> lines_of(const std::vector<Problem>& problems);

/// Thrown for invalid input. It carries all the problems that were found, each of its parts shortened as in a message.
class InputError : public std::runtime_error {
 public:
  explicit InputError(std::vector<Problem> problems);
  explicit InputError(Problem problem) : InputError(std::vector<Problem>{std::move(problem)}) {}
  const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::vector<Problem> problems_;
};

/// Collects problems that all have the same source. A check that holds costs nothing.
class Findings {
 public:
  explicit Findings(std::string source) : source_(std::move(source)) {}

  template <class Key, class Found, class Allowed>
  void add(const Key& key, const Found& found, const Allowed& allowed) {
    problems_.push_back({source_, fmt::format("{}", key), fmt::format("{}", found), fmt::format("{}", allowed)});
  }
  /// Adds a problem if `holds` is false. Every edit is checked, and nearly all checks hold. So pass a function for a
  /// text that must be put together: it is called only for a problem.
  template <class Key, class Found, class Allowed>
  void require(bool holds, const Key& key, const Found& found, const Allowed& allowed) {
    if (!holds) add(text_of(key), text_of(found), text_of(allowed));
  }
  std::vector<Problem> take() { return std::move(problems_); }

 private:
  template <class Words>
  static decltype(auto) text_of(const Words& words) {
    if constexpr (std::is_invocable_v<Words>) return words();
    else return (words);
  }

  std::string source_;
  std::vector<Problem> problems_;
};

}  // namespace headlight
