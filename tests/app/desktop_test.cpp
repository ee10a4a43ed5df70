// The desktop: whether it is dark or light, its dialog for files, its list of recent ones, and the interface's scale.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#include "app/platform/desktop_portal.hpp"
#include "app/platform/recently_used.hpp"
#include "core/formats/files.hpp"
#include "scripted.hpp"

extern char** environ;

namespace headlight {
namespace {

using namespace testing;

// --- The app, on a scripted desktop ----------------------------------------------------------------------------------

TEST_CASE("the theme follows the desktop until somebody chooses one") {
  Scripted person(lecture_session());
  person.desktop->theme = ThemeName::light;
  person.surface.settle();
  CHECK(person.app.look().theme == ThemeName::light);
  person.desktop->theme = std::nullopt;  // it says nothing any more: what there was stays
  person.surface.settle();
  CHECK(person.app.look().theme == ThemeName::light);
  person.desktop->theme = ThemeName::light;
  person.press({.key = Key::t});
  CHECK(person.app.look().theme == ThemeName::dark);
  person.surface.settle();
  CHECK(person.app.look().theme == ThemeName::dark);
  person.run("theme.follow");
  person.surface.settle();
  CHECK(person.app.look().theme == ThemeName::light);
}

TEST_CASE("the projector's theme is not the desktop's") {
  Scripted person(lecture_session());
  person.press({.key = Key::f5, .shift = true});
  person.desktop->theme = ThemeName::dark;
  person.surface.settle();
  CHECK(person.app.look().theme == ThemeName::light);
}

TEST_CASE("files are asked for by the desktop's dialog where there is one, else by ours") {
  const TemporaryFolder folder("dialog");
  Scripted person(lecture_session());
  person.press({.key = Key::o, .ctrl = true});
  CHECK(person.app.memory().opened<PathPrompt>().has_value());
  person.press({.key = Key::escape});

  person.desktop->has_dialog = true;
  person.press({.key = Key::s, .ctrl = true});
  CHECK_FALSE(person.app.memory().opened<PathPrompt>().has_value());
  REQUIRE(person.desktop->asked.size() == 1);
  CHECK(person.desktop->asked[0].writes);
  CHECK(person.desktop->asked[0].name == "from-scratch-in-numpy.headlight.toml");
  CHECK(person.desktop->asked[0].patterns == std::vector<std::string>{"*.toml"});
  const auto file = folder.path() / "mine.headlight.toml";
  person.desktop->answer = FileAnswer{file};
  person.surface.settle();
  CHECK(std::filesystem::exists(file));
  CHECK(person.app.title() == "mine.headlight.toml · Headlight");
  CHECK(person.desktop->used == std::vector{file});

  person.press({.key = Key::o, .ctrl = true});
  REQUIRE(person.desktop->asked.size() == 2);
  CHECK_FALSE(person.desktop->asked[1].writes);
  CHECK(person.desktop->asked[1].folder == folder.path());
  person.desktop->answer = FileAnswer{};  // cancelled
  person.surface.settle();
  CHECK_FALSE(person.app.memory().opened<PathPrompt>().has_value());

  person.press({.key = Key::o, .ctrl = true});
  person.desktop->answer = FileAnswer{{}, true};  // it showed none after all
  person.surface.settle();
  CHECK(person.app.memory().opened<PathPrompt>().has_value());
}

TEST_CASE("a file is opened from the desktop as if it were dropped on the window") {
  const TemporaryFolder folder("opened");
  Scripted person(lecture_session());
  const auto file = folder.path() / "mine.headlight.toml";
  write_file(file, "version = 1\ntitle = \"Mine\"\n");
  person.app.open(file);
  person.surface.settle();
  CHECK(person.session().setup().title == "Mine");
  person.app.open(folder.path() / "none.headlight.toml");
  CHECK_FALSE(person.app.memory().get<ProblemsCard>().problems.empty());
}

TEST_CASE("Ctrl and the wheel scale the interface where nothing zooms, from 80 to 300 percent") {
  Scripted person(lecture_session());
  const auto turn = [&](Point at, float notches) {
    person.surface.move_mouse(at);
    person.surface.frames(2);
    person.surface.hold_ctrl(true);
    person.surface.wheel(notches);
    person.surface.settle();
    person.surface.hold_ctrl(false);
    person.surface.settle();
  };
  const Point top{300, 5};
  turn(top, 1);
  CHECK(person.app.look().ui_scale == 1.1f);
  turn(top, -1);
  turn(top, -1);
  CHECK(person.app.look().ui_scale == 0.9f);
  for (int i = 0; i < 5; ++i) turn({300, 5}, -1);
  CHECK(person.app.look().ui_scale == 0.8f);
  for (int i = 0; i < 20; ++i) person.press({.key = Key::equal, .ctrl = true});
  CHECK(person.app.look().ui_scale == 3);
  person.press({.key = Key::digit_0, .ctrl = true});
  CHECK(person.app.look().ui_scale == 1);
}

// --- The list of recent files ----------------------------------------------------------------------------------------

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST_CASE("a file joins the desktop's list once, and the list keeps what others wrote") {
  const std::string first = with_recently_used("", "/home/me/two words.headlight.toml", 1'000'000'000);
  CHECK(has(first, "href=\"file:///home/me/two%20words.headlight.toml\""));
  CHECK(has(first, "<mime:mime-type type=\"application/vnd.headlight.setup+toml\""));
  CHECK(has(first, "added=\"2001-09-09T01:46:40Z\""));
  CHECK(has(first, "exec=\"'headlight %f'\""));
  CHECK(has(first, "count=\"1\""));
  const std::string again = with_recently_used(first, "/home/me/two words.headlight.toml", 1'000'000'060);
  CHECK(has(again, "count=\"2\""));
  CHECK(has(again, "added=\"2001-09-09T01:46:40Z\" modified=\"2001-09-09T01:47:40Z\""));
  CHECK(again.find("<bookmark ") == again.rfind("<bookmark "));

  const std::string other = R"(<?xml version="1.0" encoding="UTF-8"?>
<xbel version="1.0"><!-- a remark --><bookmark href="file:///a" added="x"><title>Ä</title></bookmark></xbel>)";
  const std::string both = with_recently_used(other, "/b.md", 1'000'000'000);
  CHECK(has(both, "<!-- a remark -->"));
  CHECK(has(both, "<title>Ä</title>"));
  CHECK(has(both, "href=\"file:///b.md\""));
  for (const std::string no_list : {"no list", "<html/>", "<xbel"})
    CHECK(with_recently_used(no_list, "/b.md", 1'000'000'000) == no_list);
}

TEST_CASE("the desktop's list is written only where the desktop has its folder") {
  const TemporaryFolder folder("recent");
  add_to_recently_used(folder.path() / "none", "/a.md", 0);
  CHECK_FALSE(std::filesystem::exists(folder.path() / "none"));
  add_to_recently_used("", "/a.md", 0);
  add_to_recently_used(folder.path(), "/a.md", 0);
  add_to_recently_used(folder.path(), "/b.md", 0);
  const std::string list = read_text(folder.path() / "recently-used.xbel");
  CHECK(has(list, "file:///a.md"));
  CHECK(has(list, "file:///b.md"));
  write_file(folder.path() / "recently-used.xbel", "damaged");
  add_to_recently_used(folder.path(), "/c.md", 0);
  CHECK(read_text(folder.path() / "recently-used.xbel") == "damaged");
}

// --- The portal, on a bus of the test's own --------------------------------------------------------------------------

template <class T>
T wait_for(const std::function<T()>& ask) {
  for (int i = 0; i < 3000; ++i) {
    if (T found = ask()) return found;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  FAIL("waited in vain");
  return {};
}

/// A bus that only this test knows.
class PrivateBus {
 public:
  PrivateBus() : folder_("bus"), address_("unix:path=" + (folder_.path() / "socket").string()) {
    const std::string address = "--address=" + address_;
    const char* arguments[] = {"dbus-daemon", "--session", "--nofork", address.c_str(), nullptr};
    if (posix_spawnp(&process_, "dbus-daemon", nullptr, nullptr, const_cast<char**>(arguments), environ) != 0)
      process_ = 0;
    ::setenv("DBUS_SESSION_BUS_ADDRESS", address_.c_str(), 1);
    if (process_ != 0) wait_for<bool>([&] { return std::filesystem::exists(folder_.path() / "socket"); });
  }
  ~PrivateBus() {
    ::unsetenv("DBUS_SESSION_BUS_ADDRESS");
    if (process_ == 0) return;
    ::kill(process_, SIGTERM);
    ::waitpid(process_, nullptr, 0);
  }
  bool runs() const { return process_ != 0; }

 private:
  TemporaryFolder folder_;
  std::string address_;
  pid_t process_ = 0;
};

/// A portal that prefers light, and whose dialog answers at once with one file.
class Portal {
 public:
  Portal() {
    REQUIRE(sd_bus_open_user(&bus_) >= 0);
    static constexpr sd_bus_vtable settings[] = {SD_BUS_VTABLE_START(0), SD_BUS_METHOD("Read", "ss", "v", read, 0),
                                                 SD_BUS_SIGNAL("SettingChanged", "ssv", 0), SD_BUS_VTABLE_END};
    static constexpr sd_bus_vtable chooser[] = {
        SD_BUS_VTABLE_START(0), SD_BUS_METHOD("OpenFile", "ssa{sv}", "o", open, 0),
        SD_BUS_PROPERTY("version", "u", version, 0, SD_BUS_VTABLE_PROPERTY_CONST), SD_BUS_VTABLE_END};
    REQUIRE(sd_bus_add_object_vtable(bus_, nullptr, path, "org.freedesktop.portal.Settings", settings, this) >= 0);
    REQUIRE(sd_bus_add_object_vtable(bus_, nullptr, path, "org.freedesktop.portal.FileChooser", chooser, this) >= 0);
    REQUIRE(sd_bus_request_name(bus_, "org.freedesktop.portal.Desktop", 0) >= 0);
    thread_ = std::jthread([this](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        while (sd_bus_process(bus_, nullptr) > 0) continue;
        if (turns_dark_.exchange(false))
          sd_bus_emit_signal(bus_, path, "org.freedesktop.portal.Settings", "SettingChanged", "ssv",
                             "org.freedesktop.appearance", "color-scheme", "u", 1U);
        sd_bus_wait(bus_, 10'000);
      }
    });
  }
  ~Portal() {
    thread_.request_stop();
    thread_.join();
    sd_bus_flush_close_unref(bus_);
  }
  void turn_dark() { turns_dark_ = true; }

 private:
  static constexpr const char* path = "/org/freedesktop/portal/desktop";
  static int read(sd_bus_message* message, void*, sd_bus_error*) {
    const char* space = nullptr;
    const char* key = nullptr;
    sd_bus_message_read(message, "ss", &space, &key);
    const bool known = std::string(space) == "org.freedesktop.appearance" && std::string(key) == "color-scheme";
    return known ? sd_bus_reply_method_return(message, "v", "v", "u", 2U) : -ENOENT;
  }
  static int version(sd_bus*, const char*, const char*, const char*, sd_bus_message* reply, void*, sd_bus_error*) {
    return sd_bus_message_append(reply, "u", 3U);
  }
  static int open(sd_bus_message* message, void*, sd_bus_error*) {
    std::string sender = sd_bus_message_get_sender(message) + 1;
    for (char& letter : sender)
      if (letter == '.') letter = '_';
    const char* parent = nullptr;
    const char* title = nullptr;
    sd_bus_message_read(message, "ss", &parent, &title);
    std::string token;
    sd_bus_message_enter_container(message, 'a', "{sv}");
    while (sd_bus_message_enter_container(message, 'e', "sv") > 0) {
      const char* key = nullptr;
      sd_bus_message_read(message, "s", &key);
      if (std::string(key) == "handle_token") {
        const char* text = nullptr;
        sd_bus_message_read(message, "v", "s", &text);
        token = text;
      } else {
        sd_bus_message_skip(message, "v");
      }
      sd_bus_message_exit_container(message);
    }
    const std::string request = std::string(path) + "/request/" + sender + "/" + token;
    sd_bus_reply_method_return(message, "o", request.c_str());
    const bool cancelled = std::string(title) == "Cancel";
    return sd_bus_emit_signal(sd_bus_message_get_bus(message), request.c_str(), "org.freedesktop.portal.Request",
                              "Response", "ua{sv}", cancelled ? 1U : 0U, 1, "uris", "as", 1, "file:///tmp/a%20b.toml");
  }

  sd_bus* bus_ = nullptr;
  std::atomic<bool> turns_dark_ = false;
  std::jthread thread_;
};

TEST_CASE("the desktop's portal tells its theme, when that changes, and which file was chosen") {
  const PrivateBus bus;
  if (!bus.runs()) {
    MESSAGE("no dbus-daemon");
    return;
  }
  Portal portal;
  DesktopPortal desktop;
  std::atomic<int> woken = 0;
  desktop.set_wake([&] { ++woken; });
  CHECK(desktop.theme() == ThemeName::light);
  portal.turn_dark();
  wait_for<bool>([&] { return desktop.theme() == ThemeName::dark; });
  wait_for<bool>([&] { return woken >= 1; });

  REQUIRE(desktop.ask({.title = "Open", .writes = false, .folder = "/tmp", .name = {}, .patterns = {"*.toml"}}));
  const auto answer = wait_for<std::optional<FileAnswer>>([&] { return desktop.take_answer(); });
  CHECK_FALSE(answer->failed);
  CHECK(answer->file == "/tmp/a b.toml");
  CHECK_FALSE(desktop.take_answer());

  REQUIRE(desktop.ask({.title = "Cancel", .writes = false, .folder = {}, .name = {}, .patterns = {}}));
  const auto cancelled = wait_for<std::optional<FileAnswer>>([&] { return desktop.take_answer(); });
  CHECK(cancelled->file.empty());
  CHECK_FALSE(cancelled->failed);

  // This portal cannot save.
  REQUIRE(desktop.ask({.title = "Save", .writes = true, .folder = {}, .name = "a", .patterns = {}}));
  CHECK(wait_for<std::optional<FileAnswer>>([&] { return desktop.take_answer(); })->failed);
}

TEST_CASE("without a portal, or without a bus, the desktop says nothing") {
  {
    const PrivateBus bus;
    DesktopPortal desktop;
    CHECK_FALSE(desktop.theme());
    CHECK_FALSE(desktop.ask({}));
    CHECK_FALSE(desktop.take_answer());
  }
  ::setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere", 1);
  DesktopPortal desktop;
  desktop.set_wake([] {});
  CHECK_FALSE(desktop.theme());
  CHECK_FALSE(desktop.ask({}));
  ::unsetenv("DBUS_SESSION_BUS_ADDRESS");
}

}  // namespace
}  // namespace headlight
