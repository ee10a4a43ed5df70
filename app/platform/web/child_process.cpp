#include "app/platform/child_process.hpp"

#include <cstdlib>
#include <utility>

#include <imgui.h>

#include "app/platform/machine_error.hpp"

extern "C" {
void page_begin_errors();
char* page_end_errors();
}

namespace headlight {

/// The program itself, in app/commands: a program that runs beside this one begins there.
int run_command_line(int argc, char** argv);

namespace {

struct Ended {
  int status = 0;
  std::string errors;
};

/// Runs the program once more, inside this one. The window's interface is the current one again afterwards.
Ended run_within(std::vector<std::string> arguments) {
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  ImGuiContext* const window = ImGui::GetCurrentContext();
  page_begin_errors();
  Ended ended;
  ended.status = run_command_line(static_cast<int>(arguments.size()), pointers.data());
  char* const errors = page_end_errors();
  ended.errors = errors;
  std::free(errors);
  ImGui::SetCurrentContext(window);
  return ended;
}

}  // namespace

// A page starts no programs. This one runs in the page when somebody asks whether it has ended for the second time: the
// frame before has shown that it works.
struct ChildProcess::State {
  std::vector<std::string> arguments;
  bool seen_working = false;
  std::string errors = {};
  std::optional<int> status = {};
};

ChildProcess::ChildProcess(const std::vector<std::string>& arguments) : state_(new State{arguments}) {}
ChildProcess::~ChildProcess() = default;

std::string ChildProcess::read_errors() { return std::exchange(state_->errors, {}); }

std::optional<int> ChildProcess::ended() {
  if (state_->status || !std::exchange(state_->seen_working, true)) return state_->status;
  Ended ended = run_within(std::move(state_->arguments));
  state_->errors = std::move(ended.errors);
  return state_->status = ended.status;
}

void ChildProcess::terminate() {
  constexpr int asked_to_end = 128 + 15;
  if (!state_->status) state_->status = asked_to_end;  // it has not begun
}

void start_detached(const std::vector<std::string>&) { throw MachineError("A browser starts no other programs"); }
std::string this_program() { return "headlight"; }

}  // namespace headlight
