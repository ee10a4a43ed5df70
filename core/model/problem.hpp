// What is wrong with an input, in words that tell a person how to fix it.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace headlight {

/// One thing that is wrong: where it is, what was found and what is allowed.
struct Problem {
  std::string source;   ///< the file ("lesson.toml") or "--set"; empty if the input has no name
  std::string key;      ///< "sizes.heads"; empty if the problem concerns the whole source
  std::string found;    ///< "3"
  std::string allowed;  ///< "a divisor of sizes.d_model = 8"

  /// The problem on one line: "lesson.toml: sizes.heads: found 3; allowed: a divisor of sizes.d_model = 8"
  std::string message() const;

  friend bool operator==(const Problem&, const Problem&) = default;
};

/// Thrown for invalid input. It carries all the problems that were found.
class InputError : public std::runtime_error {
 public:
  explicit InputError(std::vector<Problem> problems);
  explicit InputError(Problem problem) : InputError(std::vector<Problem>{std::move(problem)}) {}
  const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::vector<Problem> problems_;
};

}  // namespace headlight
