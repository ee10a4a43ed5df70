// What is wrong with an input, in words that a person can act on.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace headlight {

/// One thing that is wrong, where, and what would be right.
struct Problem {
  std::string source;   ///< the file ("lesson.toml"), "--set", or empty when there is none
  std::string key;      ///< "sizes.heads"; empty when the whole source is meant
  std::string found;    ///< "3"
  std::string allowed;  ///< "a divisor of sizes.d_model = 8"

  /// "lesson.toml: sizes.heads: found 3; allowed: a divisor of sizes.d_model = 8"
  std::string message() const;

  friend bool operator==(const Problem&, const Problem&) = default;
};

/// All the problems of one input, thrown together.
class InputError : public std::runtime_error {
 public:
  explicit InputError(std::vector<Problem> problems);
  explicit InputError(Problem problem) : InputError(std::vector<Problem>{std::move(problem)}) {}
  const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::vector<Problem> problems_;
};

}  // namespace headlight
