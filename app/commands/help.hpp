// Words about the commands, besides their options: for --help and the manual pages.
#pragma once

#include <string>
#include <string_view>

namespace CLI {
class App;
}  // namespace CLI

namespace headlight {

/// Whether help, manual pages and completion name the command.
bool is_listed(const CLI::App* command);

/// The text below the options of a command, or below those of the program for an empty name: paragraphs, and lines
/// that are indented where they are to stay lines. A paragraph that begins with "Examples:" comes last.
std::string_view more_about(std::string_view command);

/// The manual page of the program, or of one of its commands, for man(7). It says what --help says.
std::string manual_page(const CLI::App& program, const CLI::App& page);

/// Writes all of them into a folder, which it makes: headlight.1, headlight-render.1, ... Throws InputError.
void write_manual_pages(const CLI::App& program, std::string_view folder);

}  // namespace headlight
