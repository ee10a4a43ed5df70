#include "app/platform/child_process.hpp"

#include <cstdlib>
#include <utility>

#include "app/platform/machine_error.hpp"

extern "C" {
int page_start_program(const char* const* words, int count);
char* page_program_said(int number);
int page_program_status(int number);
void page_end_program(int number);
void page_forget_program(int number);
}

namespace headlight {

// A page starts no other programs, but this one once more, in a worker of the browser.
struct ChildProcess::State {
  int number;

  explicit State(const std::vector<std::string>& arguments) {
    std::vector<const char*> words;
    for (const std::string& argument : arguments) words.push_back(argument.c_str());
    number = page_start_program(words.data(), static_cast<int>(words.size()));
  }
  ~State() { page_forget_program(number); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

ChildProcess::ChildProcess(const std::vector<std::string>& arguments) : state_(new State(arguments)) {}
ChildProcess::~ChildProcess() = default;

std::string ChildProcess::read_errors() {
  char* const said = page_program_said(state_->number);
  std::string errors = said;
  std::free(said);
  return errors;
}

std::optional<int> ChildProcess::ended() {
  const int status = page_program_status(state_->number);
  return status < 0 ? std::nullopt : std::optional(status);
}

void ChildProcess::terminate() { page_end_program(state_->number); }

void start_detached(const std::vector<std::string>&) { throw MachineError("A browser can't start other programs"); }
std::string this_program() { return "headlight"; }

}  // namespace headlight
