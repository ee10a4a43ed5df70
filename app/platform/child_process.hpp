// A program that runs beside this one: what it says is read as it comes, and it is ended when nobody wants it any more.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace headlight {

class ChildProcess {
 public:
  /// Starts `arguments[0]` with the arguments, without input. Throws MachineError where it cannot be started.
  explicit ChildProcess(const std::vector<std::string>& arguments);
  /// Ends it and waits for its end.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// What it has written to its error output since the last call; never waits.
  std::string read_errors();
  /// How it ended: its exit code, or 128 and the signal's number; nothing while it runs. Never waits.
  std::optional<int> ended();
  /// Asks it to end (SIGTERM).
  void terminate();

 private:
  int pid_ = 0;
  int errors_ = -1;  ///< the reading end of the pipe
  std::optional<int> status_;
};

/// A path that starts the program that runs once more: exactly this one, also where its file has since been replaced by
/// a newer version or is gone.
std::string this_program();

}  // namespace headlight
