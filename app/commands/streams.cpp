#include "app/commands/streams.hpp"

#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>
#if __has_include(<sys/inotify.h>)
#include <sys/inotify.h>
#endif

#include <fmt/format.h>

#include "core/model/problem.hpp"
#include "core/text/characters.hpp"

namespace headlight {
namespace {

[[noreturn]] void fail_to_print(int error) {
  throw InputError({"standard output", "", fmt::format("cannot write: {}", std::generic_category().message(error)),
                    "a place with room for it, or -o FILE"});
}

/// Opens what can be neither written to nor opened again, through /dev/stdout, to be written to.
void open_unwritable() {
#if __has_include(<sys/inotify.h>)
  if (::inotify_init1(0) >= 0) return;
#endif
  ::open("/dev/null", O_RDONLY);
}

}  // namespace

void fill_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) != -1 || errno != EBADF) continue;
    // For the other direction, so that using it fails as before. The lowest free descriptor is this one.
    if (stream == STDIN_FILENO) ::open("/dev/null", O_WRONLY);
    else open_unwritable();
  }
}

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) fail_to_print(errno);
}

void print_words(std::string_view words) { print(printable_lines(words)); }

void finish_printing() {
  if (std::fflush(stdout) != 0) fail_to_print(errno);
}

void say(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace headlight
