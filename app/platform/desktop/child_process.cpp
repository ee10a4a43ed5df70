#include "app/platform/child_process.hpp"

#include <cerrno>
#include <csignal>
#include <system_error>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/platform/machine_error.hpp"

extern char** environ;

namespace headlight {
namespace {

/// The files and signal settings that the new program starts with, instead of ours.
class SpawnSettings {
 public:
  explicit SpawnSettings(int errors, short flags = 0) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, errors, STDERR_FILENO);
    posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setflags(&attributes_, static_cast<short>(POSIX_SPAWN_SETSIGMASK | flags));
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  int spawn(int& pid, char** arguments) {
    return posix_spawn(&pid, arguments[0], &actions_, &attributes_, arguments, environ);
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

/// The arguments as posix_spawn takes them; valid as long as `owned` is.
std::vector<char*> pointers_to(std::vector<std::string>& owned) {
  std::vector<char*> pointers;
  for (std::string& argument : owned) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  return pointers;
}

int wait_for(int pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
  return status;
}

/// How long a program has to end by itself.
constexpr std::chrono::seconds time_to_end(1);

int code_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

}  // namespace

struct ChildProcess::State {
  int pid = 0;
  int errors = -1;  ///< the reading end of the pipe
  std::optional<int> status = {};
  std::optional<std::chrono::steady_clock::time_point> asked_to_end = {};
};

ChildProcess::ChildProcess(const std::vector<std::string>& arguments) : state_(std::make_unique<State>()) {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw MachineError("Can't create a pipe to another program: " + std::generic_category().message(errno));
  std::vector<std::string> owned = arguments;
  const int error = SpawnSettings(ends[1]).spawn(state_->pid, pointers_to(owned).data());
  ::close(ends[1]);
  state_->errors = ends[0];
  if (error != 0) {
    ::close(state_->errors);
    throw MachineError("Cannot start " + arguments.front() + ": " + std::generic_category().message(error));
  }
  ::fcntl(state_->errors, F_SETFL, O_NONBLOCK);
}

ChildProcess::~ChildProcess() {
  if (!ended()) {
    ::kill(state_->pid, SIGKILL);  // which no program can ignore, so the wait is short
    wait_for(state_->pid);
  }
  ::close(state_->errors);
}

std::string ChildProcess::read_errors() {
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t count = ::read(state_->errors, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(count));
  }
}

std::optional<int> ChildProcess::ended() {
  int status = 0;
  if (!state_->status && ::waitpid(state_->pid, &status, WNOHANG) == state_->pid) state_->status = code_of(status);
  if (!state_->status && state_->asked_to_end && std::chrono::steady_clock::now() - *state_->asked_to_end > time_to_end)
    ::kill(state_->pid, SIGKILL);
  return state_->status;
}

void ChildProcess::terminate() {
  if (ended() || state_->asked_to_end) return;
  ::kill(state_->pid, SIGTERM);
  state_->asked_to_end = std::chrono::steady_clock::now();
}

void start_detached(const std::vector<std::string>& arguments) {
  // The shell ends at once, so that the program is nobody's child and this one need not wait for it.
  std::vector<std::string> owned{"/bin/sh", "-c", "\"$@\" 2>/dev/null &", "sh"};
  owned.insert(owned.end(), arguments.begin(), arguments.end());
  int pid = 0;
  const int error = SpawnSettings(STDERR_FILENO, POSIX_SPAWN_SETSID).spawn(pid, pointers_to(owned).data());
  if (error != 0)
    throw MachineError("Cannot start " + arguments.front() + ": " + std::generic_category().message(error));
  wait_for(pid);
}

// Returns the link itself, not the path that it points to. After an upgrade that path ends in " (deleted)", while the
// system still follows the link to the running program.
std::string this_program() { return "/proc/self/exe"; }

}  // namespace headlight
