#include "core/lecture/live_text.hpp"

#include <algorithm>

namespace headlight {
namespace {

/// The place behind a run of `mark` at `at`.
std::size_t end_of_run(std::string_view text, std::size_t at, char mark) {
  return std::min(text.find_first_not_of(mark, at), text.size());
}

/// The place behind a code span or code block that begins at `at`; behind its backticks where it has no end.
std::size_t end_of_code(std::string_view text, std::size_t at) {
  const std::size_t inside = end_of_run(text, at, '`');
  for (std::size_t close = text.find('`', inside); close < text.size(); close = text.find('`', close)) {
    const std::size_t end = end_of_run(text, close, '`');
    if (end - close == inside - at) return end;
    close = end;
  }
  return inside;
}

/// The place behind math that begins at `at`; behind its sign where it has no end in its paragraph.
std::size_t end_of_math(std::string_view text, std::size_t at) {
  const std::size_t inside = end_of_run(text, at, '$');
  const auto close = text.find('$', inside);
  if (close == std::string_view::npos || text.substr(inside, close - inside).find("\n\n") != std::string_view::npos)
    return inside;
  return end_of_run(text, close, '$');
}

/// The place behind the target of a link, whose parenthesis opens at `at`.
std::size_t end_of_target(std::string_view text, std::size_t at) {
  int open = 0;
  for (std::size_t i = at; i < text.size() && text[i] != '\n'; ++i) {
    if (text[i] == '(') ++open;
    if (text[i] == ')' && --open == 0) return i + 1;
  }
  return at + 1;
}

/// The closing brace, outside of quotes.
std::size_t closing_brace(std::string_view text, std::size_t at) {
  char quote = 0;
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) quote = c == quote ? '\0' : quote;
    else if (c == '"' || c == '\'') quote = c;
    else if (c == '}') return i;
    else if (c == '{' || text.substr(i).starts_with("\n\n")) return std::string_view::npos;
  }
  return std::string_view::npos;
}

/// The text so that Markdown shows it as it is.
std::string escaped(std::string_view text) {
  std::string safe;
  for (char c : text) {
    if (std::string_view("\\`*_{}[]()#+-.!<>|~$&").find(c) != std::string_view::npos) safe += '\\';
    safe += c;
  }
  return safe;
}

std::string words_of(std::string_view inside, const Scope& scope) {
  try {
    return LiveNumber::parse(inside).words(scope);
  } catch (const InputError&) {
    return "–";
  }
}

template <class Written>
std::string with_holes_filled(std::string_view text, const Scope& scope, Written&& written) {
  std::string whole;
  std::size_t done = 0;
  for (const LiveHole& hole : live_holes(text)) {
    whole += text.substr(done, hole.begin - done);
    whole += written(words_of(hole.inside, scope));
    done = hole.end;
  }
  return whole.append(text.substr(done));
}

}  // namespace

std::vector<LiveHole> live_holes(std::string_view text) {
  std::vector<LiveHole> holes;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '\\') at += 2;
    else if (text[at] == '`') at = end_of_code(text, at);
    else if (text[at] == '$') at = end_of_math(text, at);
    else if (text.substr(at).starts_with("](")) at = end_of_target(text, at + 1);
    else if (text[at] == '{') {
      const std::size_t close = closing_brace(text, at);
      const bool closed = close != std::string_view::npos;
      const std::size_t end = closed ? close + 1 : at + 1;
      holes.push_back({at, end, text.substr(at + 1, closed ? end - at - 2 : 0), closed});
      at = end;
    } else {
      ++at;
    }
  }
  return holes;
}

std::string filled(std::string_view markdown, const Scope& scope) {
  return with_holes_filled(markdown, scope, escaped);
}

std::string filled_plain(std::string_view text, const Scope& scope) {
  return with_holes_filled(text, scope, [](std::string words) { return words; });
}

}  // namespace headlight
