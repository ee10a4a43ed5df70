#include "app/platform/desktop_portal.hpp"

#include <cctype>
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

namespace headlight {
namespace {

constexpr const char* portal_name = "org.freedesktop.portal.Desktop";
constexpr const char* portal_path = "/org/freedesktop/portal/desktop";
constexpr const char* settings = "org.freedesktop.portal.Settings";
constexpr const char* file_chooser = "org.freedesktop.portal.FileChooser";
constexpr const char* appearance = "org.freedesktop.appearance";
constexpr const char* color_scheme = "color-scheme";

struct CloseBus {
  void operator()(sd_bus* bus) const { sd_bus_flush_close_unref(bus); }
};
using Bus = std::unique_ptr<sd_bus, CloseBus>;

struct DropMessage {
  void operator()(sd_bus_message* message) const { sd_bus_message_unref(message); }
};
using Message = std::unique_ptr<sd_bus_message, DropMessage>;

Message call(sd_bus* bus, sd_bus_message* question, std::uint64_t microseconds) {
  sd_bus_message* answer = nullptr;
  sd_bus_error error{};
  const int done = sd_bus_call(bus, question, microseconds, &error, &answer);
  sd_bus_error_free(&error);
  return Message(done < 0 ? nullptr : answer);
}

Message method(sd_bus* bus, const char* interface, const char* member) {
  sd_bus_message* message = nullptr;
  sd_bus_message_new_method_call(bus, &message, portal_name, portal_path, interface, member);
  return Message(message);
}

/// The number in a variant, which may be in another variant: so do older portals answer.
std::optional<std::uint32_t> number_in_variant(sd_bus_message* message) {
  char kind = 0;
  const char* inside = nullptr;
  if (sd_bus_message_peek_type(message, &kind, &inside) <= 0 || kind != 'v') return std::nullopt;
  if (sd_bus_message_enter_container(message, 'v', inside) < 0) return std::nullopt;
  if (inside != nullptr && inside[0] == 'v') return number_in_variant(message);
  std::uint32_t number = 0;
  if (sd_bus_message_read(message, "u", &number) < 0) return std::nullopt;
  return number;
}

/// 0 says that the desktop prefers neither.
std::optional<ThemeName> theme_of(std::optional<std::uint32_t> scheme) {
  if (scheme == 1U) return ThemeName::dark;
  if (scheme == 2U) return ThemeName::light;
  return std::nullopt;
}

constexpr std::uint64_t answer_within = 300'000;  ///< microseconds: a desktop that is there needs a thousandth of that
constexpr std::uint64_t dialog_within = 10'000'000;  ///< the dialog's program may have to start

std::optional<ThemeName> read_theme(sd_bus* bus) {
  const Message question = method(bus, settings, "Read");
  if (!question || sd_bus_message_append(question.get(), "ss", appearance, color_scheme) < 0) return std::nullopt;
  const Message answer = call(bus, question.get(), answer_within);
  return answer ? theme_of(number_in_variant(answer.get())) : std::nullopt;
}

bool offers_dialog(sd_bus* bus) {
  sd_bus_message* made = nullptr;
  sd_bus_message_new_method_call(bus, &made, portal_name, portal_path, "org.freedesktop.DBus.Properties", "Get");
  const Message question(made);
  return question && sd_bus_message_append(question.get(), "ss", file_chooser, "version") >= 0 &&
         call(bus, question.get(), answer_within) != nullptr;
}

/// "file:///a%20b" as a path; empty for anything that is not a file here.
std::filesystem::path path_of(std::string_view uri) {
  constexpr std::string_view scheme = "file://";
  if (!uri.starts_with(scheme)) return {};
  const auto digit = [](char c) { return c <= '9' ? c - '0' : std::tolower(c) - 'a' + 10; };
  std::string path;
  for (std::size_t i = scheme.size(); i < uri.size(); ++i) {
    const bool escaped = uri[i] == '%' && i + 2 < uri.size() && std::isxdigit(static_cast<unsigned char>(uri[i + 1])) &&
                         std::isxdigit(static_cast<unsigned char>(uri[i + 2]));
    path += escaped ? static_cast<char>(digit(uri[i + 1]) * 16 + digit(uri[i + 2])) : uri[i];
    if (escaped) i += 2;
  }
  return path.starts_with('/') ? path : "";
}

/// The first file among the results of a dialog: {"uris": [...]}.
std::filesystem::path file_in(sd_bus_message* message) {
  std::filesystem::path file;
  if (sd_bus_message_enter_container(message, 'a', "{sv}") < 0) return {};
  while (sd_bus_message_enter_container(message, 'e', "sv") > 0) {
    const char* key = nullptr;
    sd_bus_message_read(message, "s", &key);
    if (key != nullptr && std::string_view(key) == "uris" && sd_bus_message_enter_container(message, 'v', "as") > 0) {
      const char* uri = nullptr;
      if (sd_bus_message_enter_container(message, 'a', "s") > 0) {
        while (sd_bus_message_read(message, "s", &uri) > 0)
          if (file.empty()) file = path_of(uri);
        sd_bus_message_exit_container(message);
      }
      sd_bus_message_exit_container(message);
    } else {
      sd_bus_message_skip(message, "v");
    }
    sd_bus_message_exit_container(message);
  }
  return file;
}

/// A text that D-Bus wants as bytes with a zero at their end.
void append_bytes(sd_bus_message* message, const char* key, const std::string& text) {
  sd_bus_message_open_container(message, 'e', "sv");
  sd_bus_message_append(message, "s", key);
  sd_bus_message_open_container(message, 'v', "ay");
  sd_bus_message_append_array(message, 'y', text.c_str(), text.size() + 1);
  sd_bus_message_close_container(message);
  sd_bus_message_close_container(message);
}

void append_filter(sd_bus_message* message, const std::vector<std::string>& patterns) {
  sd_bus_message_open_container(message, 'e', "sv");
  sd_bus_message_append(message, "s", "filters");
  sd_bus_message_open_container(message, 'v', "a(sa(us))");
  sd_bus_message_open_container(message, 'a', "(sa(us))");
  const auto append = [&](const char* name, const std::vector<std::string>& shown) {
    sd_bus_message_open_container(message, 'r', "sa(us)");
    sd_bus_message_append(message, "s", name);
    sd_bus_message_open_container(message, 'a', "(us)");
    for (const std::string& pattern : shown) sd_bus_message_append(message, "(us)", 0U, pattern.c_str());
    sd_bus_message_close_container(message);
    sd_bus_message_close_container(message);
  };
  append("Headlight", patterns);
  append("All files", {"*"});
  sd_bus_message_close_container(message);
  sd_bus_message_close_container(message);
  sd_bus_message_close_container(message);
}

/// Where the portal will tell the answer to a question with this token.
std::string request_path(sd_bus* bus, const std::string& token) {
  const char* name = nullptr;
  if (sd_bus_get_unique_name(bus, &name) < 0 || name == nullptr) return {};
  std::string sender = std::string(name).substr(1);
  for (char& letter : sender)
    if (letter == '.') letter = '_';
  return fmt::format("{}/request/{}/{}", portal_path, sender, token);
}

}  // namespace

/// The thread alone uses the bus once it runs.
struct DesktopPortal::Connection {
  Bus bus;
  int alarm = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  bool has_dialog = false;
  std::mutex mutex;  ///< of what follows
  std::optional<ThemeName> theme;
  std::optional<FileQuestion> question;
  std::optional<FileAnswer> answer;
  std::function<void()> wake;
  unsigned questions = 0;            ///< that were asked so far
  sd_bus_slot* answering = nullptr;  ///< of the thread
  std::jthread thread;               ///< ends before all else

  explicit Connection(Bus opened) : bus(std::move(opened)) {
    theme = read_theme(bus.get());
    has_dialog = offers_dialog(bus.get());
    sd_bus_match_signal(bus.get(), nullptr, portal_name, portal_path, settings, "SettingChanged", on_setting, this);
    thread = std::jthread([this](const std::stop_token& stop) { listen(stop); });
  }
  ~Connection() {
    thread.request_stop();
    ring();
    thread.join();
    sd_bus_slot_unref(answering);
    close(alarm);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void ring() const {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = write(alarm, &one, sizeof one);
  }

  void tell(FileAnswer chosen) {
    const std::lock_guard lock(mutex);
    answer = std::move(chosen);
    if (wake) wake();
  }

  void listen(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      int done = 1;
      while (done > 0) done = sd_bus_process(bus.get(), nullptr);
      if (done < 0) return;  // the bus is gone: the desktop ends
      pollfd waits[2]{{sd_bus_get_fd(bus.get()), static_cast<short>(sd_bus_get_events(bus.get())), 0},
                      {alarm, POLLIN, 0}};
      std::uint64_t until = 0;
      constexpr int for_ever = -1, soon = 50;
      const bool due = sd_bus_get_timeout(bus.get(), &until) >= 0 && until != UINT64_MAX;
      poll(waits, 2, due ? soon : for_ever);
      std::uint64_t rung = 0;
      [[maybe_unused]] const auto count = read(alarm, &rung, sizeof rung);
      std::unique_lock lock(mutex);
      if (const auto asked = std::exchange(question, std::nullopt)) {
        lock.unlock();
        show_dialog(*asked);
      }
    }
  }

  void show_dialog(const FileQuestion& asked) {
    const std::string token = fmt::format("headlight{}", ++questions);
    answering = sd_bus_slot_unref(answering);
    sd_bus_match_signal(bus.get(), &answering, portal_name, request_path(bus.get(), token).c_str(),
                        "org.freedesktop.portal.Request", "Response", on_response, this);
    const Message message = method(bus.get(), file_chooser, asked.writes ? "SaveFile" : "OpenFile");
    sd_bus_message_append(message.get(), "ss", "", asked.title.c_str());
    sd_bus_message_open_container(message.get(), 'a', "{sv}");
    sd_bus_message_append(message.get(), "{sv}", "handle_token", "s", token.c_str());
    sd_bus_message_append(message.get(), "{sv}", "modal", "b", 1);
    if (!asked.folder.empty()) append_bytes(message.get(), "current_folder", asked.folder.string());
    if (!asked.name.empty()) sd_bus_message_append(message.get(), "{sv}", "current_name", "s", asked.name.c_str());
    if (!asked.patterns.empty()) append_filter(message.get(), asked.patterns);
    sd_bus_message_close_container(message.get());
    if (!call(bus.get(), message.get(), dialog_within)) tell({{}, true});
  }

  static int on_setting(sd_bus_message* message, void* self, sd_bus_error*) {
    auto& here = *static_cast<Connection*>(self);
    const char* space = nullptr;
    const char* key = nullptr;
    if (sd_bus_message_read(message, "ss", &space, &key) < 0) return 0;
    if (std::string_view(space) != appearance || std::string_view(key) != color_scheme) return 0;
    const std::lock_guard lock(here.mutex);
    here.theme = theme_of(number_in_variant(message));
    if (here.wake) here.wake();
    return 0;
  }

  static int on_response(sd_bus_message* message, void* self, sd_bus_error*) {
    constexpr std::uint32_t cancelled = 1;
    std::uint32_t how = cancelled;
    sd_bus_message_read(message, "u", &how);
    static_cast<Connection*>(self)->tell({how == 0 ? file_in(message) : std::filesystem::path{}, how > cancelled});
    return 0;
  }
};

DesktopPortal::DesktopPortal() {
  sd_bus* bus = nullptr;
  if (sd_bus_open_user(&bus) >= 0) connection_ = std::make_unique<Connection>(Bus(bus));
}
DesktopPortal::~DesktopPortal() = default;

std::optional<ThemeName> DesktopPortal::theme() const {
  if (!connection_) return std::nullopt;
  const std::lock_guard lock(connection_->mutex);
  return connection_->theme;
}

bool DesktopPortal::less_motion() const { return false; }  // no portal says so

bool DesktopPortal::ask(const FileQuestion& question) {
  if (!connection_ || !connection_->has_dialog) return false;
  {
    const std::lock_guard lock(connection_->mutex);
    connection_->question = question;
    connection_->answer.reset();
  }
  connection_->ring();
  return true;
}

std::optional<FileAnswer> DesktopPortal::take_answer() {
  if (!connection_) return std::nullopt;
  const std::lock_guard lock(connection_->mutex);
  return std::exchange(connection_->answer, std::nullopt);
}

void DesktopPortal::set_wake(std::function<void()> wake) {
  if (!connection_) return;
  const std::lock_guard lock(connection_->mutex);
  connection_->wake = std::move(wake);
}

}  // namespace headlight
