// A link that opens the app at a place: the address of its page, then "#" and what to show, as "key=value" joined by
// "&" and percent-encoded:
//
//   headlight.html#lecture=udl-12-2&step=8
//   headlight.html#setup=q1YqSy0qzszPU7JSMFHSUSqA8A0A&view=heads&cell=weights[0,1,2,0]
//
// Keys: lecture and step, from 1; setup, a setup file as packed_text writes it; view, cell, head and theme. A page also
// reads embed, which is of no use elsewhere.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "app/session/settings/snapshot.hpp"

namespace headlight {

/// The address in links of a program that has none: the file that `./web` builds.
constexpr std::string_view page_in_links = "headlight.html";

/// The longest setup in a link, in characters. Mail and chat programs cut addresses that are much longer.
constexpr std::size_t longest_in_link = 16'000;

/// The link to what the snapshot shows. A lecture whose setup somebody has changed is in the link with its setup. The
/// numbers of arrays that the setup takes from files are in it. Throws InputError if that makes it too long.
std::string link_to(const Snapshot& snapshot, std::string_view page = page_in_links);

/// Whether a path is meant to be a link: it has a "#" with a "key=" behind it.
bool names_link(const std::filesystem::path& path);

/// What a link shows. Throws InputError if it has no place, an unknown key, or a value that is damaged.
Snapshot place_in_link(std::string_view link);

}  // namespace headlight
