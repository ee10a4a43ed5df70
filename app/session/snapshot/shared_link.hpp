// A link that opens the app at a place: the address of its page, then "#" and what to show, as "key=value" joined by
// "&" and percent-encoded:
//
//   headlight.html#lecture=udl-12-2&step=8
//   headlight.html#setup=S8xNLVayVYpWKsnPTs1T0lFQSswoLVKKBQA&view=heads&cell=weights[0,1,2,0]
//
// Keys: lecture and step (from 1); setup, a setup file as packed_text writes it; view, cell, head, layer, draft, what a
// model has written (see draft.hpp), and theme, which may be "auto"; embed, which makes the window a single figure
// without panels, for a frame in someone else's page: pipeline, heads, tokens, heatmap (of the cell's tensor) or learn.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "app/session/session.hpp"

namespace headlight {

/// The address in links of a program that has none of its own.
constexpr std::string_view page_in_links = "headlight.html";

/// The longest link, in characters. Mail and chat programs cut addresses that are longer.
constexpr std::size_t longest_link = 32'000;

struct SharedLink {
  std::string lecture = {};         ///< its id; empty: none
  std::size_t step = 0;             ///< from 0
  std::optional<Setup> setup = {};  ///< none: the lecture's own
  std::optional<View> view = {};
  std::string cell = {};  ///< "weights[0,1,2,0]"; empty: that of the step
  std::optional<Index> head = {};
  std::optional<Index> layer = {};  ///< of the model; a cell says it itself
  std::optional<Draft> draft = {};
  std::optional<ThemeName> theme = {};
  bool theme_follows = false;  ///< "auto": what the machine prefers
  Embedded embed = Embedded::none;
};

/// The link to what the session shows: its lecture and step, or its setup; and whatever differs from what these show by
/// themselves.
SharedLink link_of(const Session& session);

/// The part behind the address, "#" included, with this text of the setup in place of the link's own.
std::string fragment_of(const SharedLink& link, std::string_view setup);

/// The link as text. The numbers of arrays that its setup takes from files are in it. Throws InputError if it is longer
/// than longest_link.
std::string to_text(const SharedLink& link, std::string_view page = page_in_links);

/// The lines of Python that show the same in a notebook: headlight.show with the lecture, or with the setup's text and
/// the numbers of its arrays. Throws InputError if they are more than a cell of a notebook should hold.
std::string python_lines(const Session& session);

/// Whether a path is meant to be a link: it has a "#" with one of the keys behind it, or begins with "#" and has a "=".
/// A file of that name is a file.
bool is_link(const std::filesystem::path& path);

/// Reads a link. Throws InputError for an unknown key, a value that is damaged or not allowed, and a link that has
/// neither a lecture nor a setup.
SharedLink read_link(const std::string& link);

/// Shows the link's place. Returns the problems if its lecture or its setup can't be shown.
std::vector<Problem> go_to(Session& session, const SharedLink& link);

/// A link that somebody followed: what can be read of it, and what can't.
struct FollowedLink {
  SharedLink link;
  std::vector<Problem> left_out;
};

/// Reads a link as read_link does, but leaves out what is unknown, damaged or not allowed.
FollowedLink follow_link(const std::string& link);

/// Shows what can be shown of the link's place: without a lecture or a setup that can, what is shown stays, and looks
/// as the link says. Returns what was left out, in one line: "Left out of the link: utm_source (an unknown key)"; empty
/// if that is nothing.
std::string go_near(Session& session, FollowedLink followed);

}  // namespace headlight
