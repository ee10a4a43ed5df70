// A program that runs beside this one: its error output can be read as it comes, and the destructor ends it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headlight {

class ChildProcess {
 public:
  /// Starts `arguments[0]` with these arguments and no input. Throws MachineError if it cannot be started.
  explicit ChildProcess(const std::vector<std::string>& arguments);
  /// Kills the program if it still runs.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// What the program has written to its error output since the last call; never waits.
  std::string read_errors();
  /// How the program ended: its exit code, or 128 plus the signal's number; nothing while it runs. Never waits. Kills a
  /// program that was asked to end a second ago and still runs.
  std::optional<int> ended();
  /// Asks the program to end (SIGTERM). ended() says whether it has.
  void terminate();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Starts a program from a folder of $PATH that runs on its own, even after this one has ended. Throws MachineError
/// if it cannot be started.
void start_detached(const std::vector<std::string>& arguments);

/// A path that starts the running program once more: exactly this version, even if its file has been deleted since or
/// replaced by a newer one.
std::string this_program();

}  // namespace headlight
