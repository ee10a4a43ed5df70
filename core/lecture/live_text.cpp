#include "core/lecture/live_text.hpp"

#include <algorithm>
#include <string_view>

#include "core/text/characters.hpp"

namespace headlight {
namespace {

std::string words_of(const LiveNumber& number, const Scope& scope) {
  try {
    return number.words(scope);
  } catch (const InputError&) {
    return "–";
  }
}

/// Puts words into a span. Words between two asterisks are emphasised, as everywhere in a lecture.
void insert_words(MarkdownBlock& block, std::size_t span_index, std::size_t at, const std::string& words) {
  MarkdownSpan& span = block.spans[span_index];
  const auto stars = std::ranges::count(words, '*');
  if (span.kind != SpanKind::plain || stars == 0 || stars % 2 != 0) {
    span.text.insert(at, words);
    return;
  }
  const MarkdownSpan rest{span.text.substr(at), span.kind, span.link};
  span.text.resize(at);
  std::vector<MarkdownSpan> added;
  bool emphasised = false;
  for (std::string_view left = words; !left.empty(); emphasised = !emphasised) {
    const auto end = std::min(left.find('*'), left.size());
    if (end > 0)
      added.push_back({std::string(left.substr(0, end)), emphasised ? SpanKind::emphasis : SpanKind::plain, rest.link});
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  if (!rest.text.empty()) added.push_back(rest);
  block.spans.insert(block.spans.begin() + static_cast<std::ptrdiff_t>(span_index) + 1, added.begin(), added.end());
}

}  // namespace

Markdown filled(const LiveText& text, const Scope& scope) {
  Markdown blocks = text.blocks;
  // From the last to the first, so that the places of those before stay where they are.
  for (auto hole = text.numbers.rbegin(); hole != text.numbers.rend(); ++hole)
    insert_words(blocks[hole->block], hole->span, hole->at, words_of(hole->number, scope));
  return blocks;
}

std::string filled_label(const LiveText& text, const Scope& scope) { return plain_text(filled(text, scope)); }

std::vector<std::string> Link::assignments() const {
  std::vector<std::string> all;
  for (const std::string_view part : split_at(target, ';'))
    if (const auto one = trimmed(part, " "); !one.empty()) all.emplace_back(one);
  return all;
}

std::optional<Link> parse_link(std::string_view destination) {
  if (destination.starts_with("https://") || destination.starts_with("http://"))
    return Link{Link::Kind::page, std::string(destination)};
  const auto colon = destination.find(':');
  const auto scheme = std::find(link_schemes.begin(), link_schemes.end(), destination.substr(0, colon));
  if (colon == std::string_view::npos || scheme == link_schemes.end()) return std::nullopt;
  return Link{static_cast<Link::Kind>(scheme - link_schemes.begin()), std::string(destination.substr(colon + 1))};
}

}  // namespace headlight
