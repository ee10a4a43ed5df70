// A sentence whose words look at each other, and the page that shows it: in the layer that was really trained, or in
// one of random numbers.
#pragma once

#include <string>

namespace headlight {

class Session;

/// Whether the weights say nothing about the words: they were drawn, and nothing was learnt since.
bool is_random(const Session& session);

/// Whether there is a sentence that the page can show: outside of any lecture, one in which each word looks at all of
/// them.
bool has_sentence(const Session& session);
/// Its text, as it was typed.
std::string text_of_sentence(const Session& session);

/// Whether the window shows it as a page of its own, in the manner of a lesson. A slide and a figure in someone else's
/// page do not.
bool on_sentence_page(const Session& session);
/// Shows the page of the sentence, or the workbench around it.
void show_sentence_page(Session& session, bool shown);

}  // namespace headlight
