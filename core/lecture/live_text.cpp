#include "core/lecture/live_text.hpp"

#include <algorithm>
#include <string_view>

#include "core/text/characters.hpp"

namespace headlight {
namespace {

std::string words_of(const LiveNumber& number, const Scope& scope, Work& work) {
  try {
    return number.words(scope, work);
  } catch (const InputError&) {
    return "–";
  }
}

/// Spans with words put in. Words between two asterisks are emphasised, as everywhere in a lecture.
class FilledSpans {
 public:
  void begin(SpanKind kind, const std::string& link) { spans_.push_back({{}, kind, link}); }
  void add(std::string_view text) { spans_.back().text += text; }
  void add_words(const std::string& words) {
    const auto stars = std::ranges::count(words, '*');
    if (spans_.back().kind != SpanKind::plain || stars == 0 || stars % 2 != 0) return add(words);
    const std::string link = spans_.back().link;
    bool emphasised = false;
    for (std::string_view left = words; !left.empty(); emphasised = !emphasised) {
      const auto end = std::min(left.find('*'), left.size());
      if (end > 0)
        spans_.push_back({std::string(left.substr(0, end)), emphasised ? SpanKind::emphasis : SpanKind::plain, link});
      left.remove_prefix(std::min(end + 1, left.size()));
    }
    begin(SpanKind::plain, link);
    is_rest_ = true;
  }
  void end() {
    if (is_rest_ && spans_.back().text.empty()) spans_.pop_back();
    is_rest_ = false;
  }
  std::vector<MarkdownSpan> taken() { return std::move(spans_); }

 private:
  std::vector<MarkdownSpan> spans_;
  bool is_rest_ = false;  ///< the last span is what follows emphasised words
};

}  // namespace

Markdown filled(const LiveText& text, const Scope& scope) {
  Markdown blocks = text.blocks;
  Work own;
  Work& work = scope.work != nullptr ? *scope.work : own;
  auto hole = text.numbers.begin();
  for (std::size_t block = 0; block < blocks.size(); ++block) {
    if (hole == text.numbers.end() || hole->block != block) continue;
    FilledSpans filled;
    for (std::size_t span = 0; span < blocks[block].spans.size(); ++span) {
      const MarkdownSpan& from = blocks[block].spans[span];
      filled.begin(from.kind, from.link);
      std::size_t at = 0;
      for (; hole != text.numbers.end() && hole->block == block && hole->span == span; ++hole) {
        filled.add(std::string_view(from.text).substr(at, hole->at - at));
        filled.add_words(words_of(hole->number, scope, work));
        at = hole->at;
      }
      filled.add(std::string_view(from.text).substr(at));
      filled.end();
    }
    blocks[block].spans = filled.taken();
  }
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
