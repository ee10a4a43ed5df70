// The window in words, for people who listen to a screen or feel it in braille.
//
// A page puts this HTML beside the canvas, where nobody sees it, in an element with aria-live="polite". It is a few
// sections, and each has an id of its own that stays the same:
//
//   headlight-step       the lecture, which step it is, its title and its words; without a lecture, what the stage does
//   headlight-question   what the step asks, its choices, and what was answered; once the answer shows, the answer
//   headlight-more       more about the step, while it is open
//   headlight-code       the step's code
//   headlight-number     the selected number: its place in words, how it is computed and where it goes
//   headlight-table      the matrix around it as a table, with its tokens as headings
//   headlight-view       which view of the numbers is open
//   headlight-writing    what a model has written, and what may come next, where the view shows it
//   headlight-check      how somebody's arrays relate to ours, while they are checked
//   headlight-focus      what the keyboard is on: a control, a command that was found
//   headlight-notice     what the window has just said: "Copied scores[0,1,2,0]", or why a change or a file was refused
//
// A section about which there is nothing to say is absent. A page that puts in only the sections whose text has changed
// makes a screen reader say just these. Nothing here tells what a question still hides.
#pragma once

#include <string>
#include <vector>

#include "core/model/problem.hpp"

namespace headlight {

class Session;

/// The card that says why something was refused; empty if there is none.
struct Refusal {
  std::string title;
  std::vector<Problem> problems;

  friend bool operator==(const Refusal&, const Refusal&) = default;
};

/// What the window shows beside the session's state.
struct Spoken {
  Refusal refusal = {};
  std::string check = {};    ///< what a check has found, in sentences; empty without one
  std::string writing = {};  ///< what a model has written, in lines; empty where the view doesn't show it
  std::string focus = {};    ///< what the keyboard is on; empty: nothing in particular

  friend bool operator==(const Spoken&, const Spoken&) = default;
};

/// The first page in words: a section headlight-start with what comes next, what else can be done there, and the lists
/// of lectures with what was seen of each; then headlight-notice.
std::string start_in_words(const Session& session, const Spoken& spoken = {});

/// The sections, in this order. They depend on session.state() and what is spoken alone, so they need to be asked for
/// again only when session.revision() or the latter has changed. A table shows at most 400 numbers, those nearest to
/// the selected one.
std::string in_words(const Session& session, const Spoken& spoken = {});

}  // namespace headlight
