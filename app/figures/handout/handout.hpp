// A lecture for paper: what each of its steps says, shows and asks, in light colours that stay apart in grey.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/export/vector_picture.hpp"
#include "app/session/export/export_choices.hpp"
#include "app/ui/drawing/display_list.hpp"
#include "app/ui/text/markdown.hpp"
#include "app/views/story/question_card.hpp"

namespace headlight {

class Session;

/// The view of a step, without a background.
struct PrintedPicture {
  DisplayList shapes;
  PageSize size;  ///< in pixels, as large as it is drawn at most
};

/// Why a choice is wrong.
struct PrintedMiss {
  std::string choice;  ///< or several choices; empty: any number that is wrong
  Markdown words;
};

/// A question, and what the last pages say about it.
struct PrintedQuestion {
  AskedQuestion asked;               ///< with its hint, and without its answer
  std::vector<std::size_t> choices;  ///< those to tick, in order; empty where there are none, or too many for a list
  AskedQuestion answered;
  PrintedPicture picture;  ///< small, with the answer
  std::vector<PrintedMiss> misses;
};

struct PrintedStep {
  std::string title;
  Markdown words;
  PrintedPicture picture;  ///< a number that the question asks for is not in it
  std::string code;        ///< may be empty
  std::optional<PrintedQuestion> question;
  Markdown more;   ///< for who learns alone; empty where it is among the notes
  Markdown notes;  ///< for the speaker; empty unless they were asked for
};

struct Handout {
  std::string title;
  std::string source;
  Markdown goals;    ///< and what one should know before
  Markdown reading;  ///< how to read the pages
  std::vector<PrintedStep> steps;
};

/// The handout of the lecture that the session has open. The session is left at its last step. `report` gets the
/// progress, from 0 to 1. Throws InputError without a lecture, MachineError if there is no OpenGL 3.3.
Handout handout_of(Session& session, bool with_notes, const std::function<void(double fraction)>& report = {});

/// The handout as one HTML file: words, mathematics, pictures and fonts, and nothing that is loaded from elsewhere.
/// `paper` is what a browser prints it on.
std::string to_html(const Handout& handout, Paper paper);

}  // namespace headlight
