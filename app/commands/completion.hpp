// The words that can come next on a command line. The scripts in assets/completion ask for them.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace headlight {

/// A word that can come next, and what it means; the latter may be empty.
struct Candidate {
  std::string word;
  std::string about;
};

struct Completion {
  std::vector<Candidate> words;
  bool files = false;  ///< a file or a folder can come next too
};

/// What the last of `words` can be, which may be empty or begun; the others are the words between the program's name
/// and it. Options, their words for help and their commands are those of `program`.
Completion completion_of(const CLI::App& program, std::span<const std::string> words);

/// A line for each word, with a tab before what it means; and ":files" where a file can come next.
std::string text_of(const Completion& completion);

}  // namespace headlight
