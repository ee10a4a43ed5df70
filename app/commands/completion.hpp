// What can stand next on a command line, for the shells: the scripts in assets/completion ask for it.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace headlight {

/// A word that can stand there, and what it means; the latter may be empty.
struct Candidate {
  std::string word;
  std::string about;
};

struct Completion {
  std::vector<Candidate> words;
  bool files = false;  ///< a file or a folder can stand there too
};

/// What the last of `words` can be, which may be empty or begun; the others are what stands between the program's name
/// and it. Options, their words for help and their commands are those of `program`.
Completion completion_of(const CLI::App& program, std::span<const std::string> words);

/// A line for each word, with a tab before what it means; and ":files" where a file can stand there.
std::string text_of(const Completion& completion);

}  // namespace headlight
