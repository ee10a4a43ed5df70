// The manual pages, written from the same options and words as --help.
#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "app/commands/help.hpp"
#include "app/shell/user_folders.hpp"
#include "core/formats/files.hpp"
#include "core/text/characters.hpp"

namespace headlight {
namespace {

/// The text for troff: nothing in it is a command, and letters outside ASCII are named.
std::string roff(std::string_view text) {
  std::string made;
  for (const char32_t letter : characters_of(text)) {
    if (letter == U'\\') made += "\\e";
    else if (letter == U'-') made += "\\-";
    else if (letter == U'\'') made += "\\(aq";
    else if (letter == U'`') made += "\\(ga";
    else if (letter == U'"') made += "\\(dq";
    else if (letter < 0x80) made += static_cast<char>(letter);
    else made += fmt::format("\\[u{:04X}]", static_cast<unsigned>(letter));
  }
  return made.starts_with('.') ? "\\&" + made : made;
}

/// As roff(), with the text between back quotes in bold.
std::string roff_words(std::string_view text) {
  std::string made;
  for (bool code = false; !text.empty(); code = !code) {
    const std::size_t end = std::min(text.find('`'), text.size());
    const std::string part = roff(text.substr(0, end));
    made += code ? fmt::format("\\fB{}\\fR", part) : part;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return made;
}

std::string bold(std::string_view text) { return fmt::format("\\fB\\%{}\\fR", roff(text)); }
std::string italic(std::string_view text) { return fmt::format("\\fI{}\\fR", roff(text)); }

/// An indented line: one of a list where its last column is words, else a line as it is.
std::string indented_line(std::string_view line, bool first) {
  line.remove_prefix(2);
  const std::size_t gap = line.rfind("  ");
  if (gap == std::string_view::npos) return fmt::format("{}{}\n.EE\n", first ? ".PP\n.EX\n" : ".EX\n", roff(line));
  const std::string_view name = trimmed(line.substr(0, gap), " ");
  return fmt::format(".TP\n{}\n{}\n", bold(name), roff_words(trimmed(line.substr(gap), " ")));
}

/// Paragraphs, and indented lines.
std::string paragraphs(std::string_view text) {
  std::string made;
  bool after_gap = false, after_indented = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const bool indented = line.starts_with("  ");
    if (indented) made += indented_line(line, !after_indented);
    else if (!line.empty()) made += fmt::format("{}{}\n", after_gap && !made.empty() ? ".PP\n" : "", roff_words(line));
    after_gap = line.empty() || indented;
    after_indented = indented;
  }
  return made;
}

std::string names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back(bold("-" + name));
  for (const std::string& name : option.get_lnames()) names.push_back(bold("--" + name));
  if (names.empty()) return italic(option.get_type_name().empty() ? option.get_name(true) : option.get_type_name());
  std::string all = fmt::format("{}", fmt::join(names, ", "));
  if (option.get_items_expected_max() > 0) all += " " + italic(option.get_type_name());
  return all;
}

std::string entry_of(const CLI::Option& option) {
  std::string made = fmt::format(".TP\n{}\n{}", names_of(option), roff_words(option.get_description()));
  if (option.get_required() && !option.get_positional()) made += "; required";
  if (!option.get_default_str().empty()) made += fmt::format(" (default: {})", roff(option.get_default_str()));
  for (const CLI::Option* needed : option.get_needs())
    made += fmt::format("; only with {}", bold("--" + needed->get_lnames().front()));
  return made + ".\n";
}

/// "headlight-render" for a command, "headlight" for the program.
std::string title_of(const CLI::App& program, const CLI::App& page) {
  return &page == &program ? program.get_name() : fmt::format("{}-{}", program.get_name(), page.get_name());
}

std::string synopsis(const CLI::App& program, const CLI::App& page) {
  const bool is_program = &page == &program;
  std::string made = bold(program.get_name());
  if (!is_program) made += " " + bold(page.get_name());
  std::string all = made + " [" + italic("OPTION") + "]...";
  for (const CLI::Option* option : page.get_options()) {
    if (!option->get_required() || option->get_positional()) continue;
    all += " " + bold(option->get_snames().empty() ? "--" + option->get_lnames().front()
                                                   : "-" + option->get_snames().front());
    if (option->get_items_expected_max() > 0) all += " " + italic(option->get_type_name());
  }
  for (const CLI::Option* option : page.get_options()) {
    if (!option->get_positional()) continue;
    const std::string name = names_of(*option) + (option->get_expected_max() > 1 ? "..." : "");
    all += option->get_required() ? " " + name : fmt::format(" [{}]", name);
  }
  if (is_program) all += fmt::format("\n.br\n{} {} [{}]...", made, italic("COMMAND"), italic("OPTION"));
  return all + "\n";
}

constexpr std::string_view exit_codes = R"(.SH EXIT STATUS
.TP
.B 0
Success.
.TP
.B 1
A check failed, or something differs.
.TP
.B 2
Bad input. One line for each problem says where it is, what was found and what is allowed.
.TP
.B 3
This machine can\(aqt do it: it has no display, or no OpenGL 3.3. The message says what to do instead.
)";

constexpr std::string_view files_and_environment = R"(.SH FILES
.TP
.I $XDG_CONFIG_HOME/headlight/settings.toml
The settings of the window, and how far you have come in the lectures; all windows share them
.RI ( ~/.config
where the variable is not set).
.TP
.I $XDG_STATE_HOME/headlight/session.toml
What a window shows, so that the next start goes on there
.RI ( ~/.local/state
where the variable is not set). The windows after the first have
.IR session\-2.toml ,
and so on.
.SH ENVIRONMENT
.TP
.BR VISUAL ", " EDITOR
The editor that opens a lecture.
.TP
.BR DISPLAY ", " WAYLAND_DISPLAY
Where the window opens. Without one, the commands still work.
)";

}  // namespace

std::string manual_page(const CLI::App& program, const CLI::App& page) {
  const bool is_program = &page == &program;
  const std::string title = title_of(program, page);
  std::string upper = title;
  std::ranges::transform(upper, upper.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  // The first line of the description is a title, which man -k lists.
  std::string about = page.get_description();
  if (const std::string prefix = "Headlight: "; about.starts_with(prefix)) about = about.substr(prefix.size());
  std::string made = fmt::format(".TH {} 1 \"\" \"Headlight {}\" \"User Commands\"\n", roff(upper), HEADLIGHT_VERSION);
  made += fmt::format(".SH NAME\n{} \\- {}\n", roff(title), roff_words(about));
  made += ".SH SYNOPSIS\n" + synopsis(program, page);

  const std::string footer = page.get_footer();
  const std::size_t examples = std::min(footer.find("Examples:\n"), footer.size());
  made += ".SH DESCRIPTION\n" + paragraphs(std::string_view(footer).substr(0, examples));

  made += ".SH OPTIONS\n";
  for (const CLI::Option* option : page.get_options())
    if (option->get_positional()) made += entry_of(*option);
  for (const CLI::Option* option : page.get_options())
    if (!option->get_positional()) made += entry_of(*option);

  const auto commands = program.get_subcommands(is_listed);
  if (is_program) {
    made += ".SH COMMANDS\n";
    for (const CLI::App* command : commands)
      made += fmt::format(".TP\n.BR {} (1)\n{}.\n", roff(title_of(program, *command)),
                          roff_words(command->get_description()));
  }
  if (examples < footer.size())
    made += ".SH EXAMPLES\n" +
            paragraphs(std::string_view(footer).substr(examples + std::string_view("Examples:\n").size()));
  made += exit_codes;
  if (is_program) made += files_and_environment;
  made += ".SH SEE ALSO\n";
  std::vector<std::string> others;
  for (const CLI::App* command : commands)
    if (command != &page) others.push_back(title_of(program, *command));
  if (!is_program) others = {program.get_name()};
  for (std::size_t i = 0; i < others.size(); ++i)
    made += fmt::format(".BR {} (1){}\n", roff(others[i]), i + 1 < others.size() ? "," : "");
  return made;
}

void write_manual_pages(const CLI::App& program, std::string_view folder) {
  make_folder(folder);
  const auto write = [&](const CLI::App& page) {
    write_file(std::filesystem::path(folder) / (title_of(program, page) + ".1"), manual_page(program, page));
  };
  write(program);
  for (const CLI::App* command : program.get_subcommands(is_listed)) write(*command);
}

}  // namespace headlight
