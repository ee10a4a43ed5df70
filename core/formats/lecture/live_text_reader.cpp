#include "core/formats/lecture/live_text_reader.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <md4c.h>

#include "core/formats/setup/setup_overrides.hpp"
#include "core/model/shapes.hpp"
#include "core/text/characters.hpp"
#include "core/text/numbers.hpp"

namespace headlight {
namespace {

// --- Holes -----------------------------------------------------------------------------------------------------------

/// A pair of braces: [begin, end) are the places of the braces and what is between them. One that has no end in its
/// paragraph is its opening brace alone.
struct LiveHole {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string_view inside;
  bool closed = true;  ///< false where the closing brace is missing
};

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

/// For the place of each parenthesis that opens the place behind the one that closes it in the same line; 0 elsewhere.
std::vector<std::size_t> ends_of_parentheses(std::string_view text) {
  std::vector<std::size_t> ends(text.size(), 0);
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') open.clear();
    if (text[i] == '(') open.push_back(i);
    if (text[i] != ')' || open.empty()) continue;
    ends[open.back()] = i + 1;
    open.pop_back();
  }
  return ends;
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

std::vector<LiveHole> live_holes(std::string_view text) {
  std::vector<LiveHole> holes;
  const std::vector<std::size_t> ends = ends_of_parentheses(text);
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '\\') at += 2;
    else if (text[at] == '`') at = end_of_code(text, at);
    else if (text[at] == '$') at = end_of_math(text, at);
    else if (text.substr(at).starts_with("](")) at = std::max(ends[at + 1], at + 2);  // behind a link's target
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

/// Where the lines of a text end.
class LineEnds {
 public:
  explicit LineEnds(std::string_view text) {
    for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
      ends_.push_back(at);
  }
  /// How many lines are before a place in the text.
  std::size_t before(std::size_t place) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(ends_, place) - ends_.begin());
  }

 private:
  std::vector<std::size_t> ends_;
};

// --- Markdown --------------------------------------------------------------------------------------------------------

/// "&lt;" or "&#215;" as the character that it means; empty for an unknown name.
std::string character_of(std::string_view entity) {
  static constexpr std::pair<std::string_view, std::string_view> names[] = {
      {"&amp;", "&"},       {"&lt;", "<"},     {"&gt;", ">"},    {"&quot;", "\""}, {"&apos;", "'"},
      {"&nbsp;", "\u00A0"}, {"&middot;", "·"}, {"&times;", "×"}, {"&minus;", "−"}, {"&ndash;", "–"},
      {"&mdash;", "—"},     {"&hellip;", "…"}, {"&le;", "≤"},    {"&ge;", "≥"},    {"&ne;", "≠"},
      {"&infin;", "∞"},     {"&radic;", "√"},  {"&larr;", "←"},  {"&rarr;", "→"}};
  for (const auto& [name, character] : names)
    if (name == entity) return std::string(character);
  if (!entity.starts_with("&#")) return {};
  const bool hexadecimal = entity[2] == 'x' || entity[2] == 'X';
  const std::string digits(entity.substr(hexadecimal ? 3 : 2));
  const unsigned long code = std::strtoul(digits.c_str(), nullptr, hexadecimal ? 16 : 10);
  return code > 0 && code < 0x110000 ? utf8_of(static_cast<char32_t>(code)) : std::string();
}

/// A link with where it is in the text.
struct PlacedLink {
  MarkdownLink link;
  std::size_t at = 0;
};

/// Builds the blocks from the parser's callbacks. The parser reads `masked`: the text with letters for its holes, so
/// that a live number counts as a word, whatever it will be.
class Collector {
 public:
  Collector(std::string_view text, std::string_view masked, std::span<const LiveHole> holes)
      : text_(text), masked_(masked), holes_(holes) {}

  /// Where the words of a hole go.
  struct HoleAt {
    std::size_t hole = 0, block = 0, span = 0, at = 0;
  };
  Markdown blocks;
  std::vector<HoleAt> holes_at;
  std::vector<PlacedLink> links;
  std::string outside;  ///< the text outside of links and code

  int enter_block(MD_BLOCKTYPE type, void* detail) {
    close_spans();
    switch (type) {
      case MD_BLOCK_UL: lists_.push_back(0); break;
      case MD_BLOCK_OL: lists_.push_back(static_cast<const MD_BLOCK_OL_DETAIL*>(detail)->start); break;
      case MD_BLOCK_LI: begin_item(); break;
      case MD_BLOCK_H: begin(BlockKind::heading); break;
      case MD_BLOCK_CODE: begin(BlockKind::code); break;
      case MD_BLOCK_P:
        // The first paragraph of a list item is the item.
        if (!item_waits_) begin(BlockKind::paragraph);
        item_waits_ = false;
        break;
      default: break;
    }
    return 0;
  }
  int leave_block(MD_BLOCKTYPE type) {
    close_spans();
    words_follow_ = type == MD_BLOCK_CODE || type == MD_BLOCK_H || type == MD_BLOCK_UL || type == MD_BLOCK_OL;
    if (type == MD_BLOCK_UL || type == MD_BLOCK_OL) lists_.pop_back();
    if (type == MD_BLOCK_LI) item_waits_ = false;
    return 0;
  }
  int enter_span(MD_SPANTYPE type, const void* detail) {
    if (type == MD_SPAN_A) {
      const MD_ATTRIBUTE& target = static_cast<const MD_SPAN_A_DETAIL*>(detail)->href;
      link_.assign(target.text, target.size);
      links.push_back({{"", link_}, offset_of({target.text, target.size}).value_or(last_)});
    }
    const bool math = type == MD_SPAN_LATEXMATH || type == MD_SPAN_LATEXMATH_DISPLAY;
    const SpanKind kind = math                     ? SpanKind::math
                          : type == MD_SPAN_STRONG ? SpanKind::strong
                          : type == MD_SPAN_EM     ? SpanKind::emphasis
                          : type == MD_SPAN_CODE   ? SpanKind::code
                                                   : this->kind();
    open_.push_back({type, kind});
    ++unended_[type];
    return 0;
  }
  /// Where one of two marks ("*", "_", "$") stands in a link's target, md4c may say only that a span begins or only
  /// that it ends. So what never began doesn't end, and no span is longer than its block.
  int leave_span(MD_SPANTYPE type) {
    if (type == MD_SPAN_A) link_.clear();
    for (bool ended = unended_[type] == 0; !ended;) {
      const MD_SPANTYPE last = open_.back().type;
      --unended_[last];
      open_.pop_back();
      ended = last == type;
    }
    return 0;
  }
  int text(MD_TEXTTYPE type, std::string_view text) {
    if (blocks.empty() || words_follow_) begin(BlockKind::paragraph);
    item_waits_ = false;
    const std::size_t span = open_span();
    const auto offset = offset_of(text);
    if (offset) last_ = *offset;
    if (type == MD_TEXT_BR) text = "\n";
    if (type == MD_TEXT_SOFTBR) text = " ";
    const std::string entity = type == MD_TEXT_ENTITY ? character_of(text) : std::string();
    if (!entity.empty()) text = entity;
    std::string& into = blocks.back().spans[span].text;
    const std::size_t before = into.size();
    if (offset && entity.empty() && type != MD_TEXT_BR && type != MD_TEXT_SOFTBR)
      add_with_holes(into, span, *offset, *offset + text.size());
    else into += text;
    const std::string_view written = std::string_view(into).substr(before);
    if (!link_.empty()) links.back().link.words += offset ? text_.substr(*offset, text.size()) : written;
    else if (type == MD_TEXT_NORMAL) outside += written;
    return 0;
  }

 private:
  struct OpenSpan {
    MD_SPANTYPE type{};
    SpanKind kind = SpanKind::plain;
  };
  SpanKind kind() const { return open_.empty() ? SpanKind::plain : open_.back().kind; }
  void close_spans() {
    open_.clear();
    unended_.clear();
    link_.clear();
  }
  /// Where in the source the parser has found this; nothing for what it has made up itself.
  std::optional<std::size_t> offset_of(std::string_view part) const {
    const std::less<> before;
    const char* const end = masked_.data() + masked_.size();
    if (before(part.data(), masked_.data()) || !before(part.data(), end)) return std::nullopt;
    return static_cast<std::size_t>(part.data() - masked_.data());
  }
  /// The span that text of the present kind and link is added to.
  std::size_t open_span() {
    auto& spans = blocks.back().spans;
    if (spans.empty() || spans.back().kind != kind() || spans.back().link != link_)
      spans.push_back({"", kind(), link_});
    return spans.size() - 1;
  }
  /// Adds a part of the source, without the holes in it.
  void add_with_holes(std::string& into, std::size_t span, std::size_t from, std::size_t to) {
    for (std::size_t at = from; at < to;) {
      const auto next = std::ranges::partition_point(holes_, [&](const LiveHole& hole) { return hole.end <= at; });
      const std::size_t begin = next == holes_.end() ? to : std::min(next->begin, to);
      if (at < begin) into += text_.substr(at, begin - at);
      if (begin == to) return;
      if (at <= begin)
        holes_at.push_back({static_cast<std::size_t>(next - holes_.begin()), blocks.size() - 1, span, into.size()});
      at = std::min(next->end, to);
    }
  }
  void begin(BlockKind block) {
    blocks.push_back({block, "", std::max(0, static_cast<int>(lists_.size()) - 1), {}});
    words_follow_ = false;
  }
  void begin_item() {
    begin(BlockKind::list_item);
    unsigned& number = lists_.back();
    blocks.back().marker = number == 0 ? "•" : std::to_string(number++) + ".";
    item_waits_ = true;
  }

  std::string_view text_;
  std::string_view masked_;
  std::span<const LiveHole> holes_;
  std::size_t last_ = 0;  ///< where the text of the last call began
  std::vector<OpenSpan> open_;
  std::map<MD_SPANTYPE, int> unended_;  ///< how many of each kind are open
  std::string link_;                    ///< the target of the open link
  std::vector<unsigned> lists_;         ///< the next number of each open list, 0 for bullets
  bool item_waits_ = false;             ///< an item has begun and has no text yet
  bool words_follow_ = false;  ///< a block has ended; words that come without a block are a paragraph of an item
};

Collector& collector(void* user) { return *static_cast<Collector*>(user); }

/// The text with letters in place of its holes.
std::string masked(std::string_view text, const std::vector<LiveHole>& holes) {
  std::string letters(text);
  for (const LiveHole& hole : holes)
    if (hole.closed)
      std::fill(letters.begin() + static_cast<std::ptrdiff_t>(hole.begin),
                letters.begin() + static_cast<std::ptrdiff_t>(hole.end), 'x');
  return letters;
}

void parse(std::string_view text, Collector& blocks) {
  MD_PARSER parser{};
  parser.flags = MD_FLAG_COLLAPSEWHITESPACE | MD_FLAG_NOHTML | MD_FLAG_LATEXMATHSPANS;
  parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* user) {
    return collector(user).enter_block(type, detail);
  };
  parser.leave_block = [](MD_BLOCKTYPE type, void*, void* user) { return collector(user).leave_block(type); };
  parser.enter_span = [](MD_SPANTYPE type, void* detail, void* user) {
    return collector(user).enter_span(type, detail);
  };
  parser.leave_span = [](MD_SPANTYPE type, void*, void* user) { return collector(user).leave_span(type); };
  parser.text = [](MD_TEXTTYPE type, const MD_CHAR* begin, MD_SIZE size, void* user) {
    return collector(user).text(type, {begin, size});
  };
  md_parse(text.data(), static_cast<MD_SIZE>(text.size()), &parser, &blocks);
}

// --- Links -----------------------------------------------------------------------------------------------------------

/// Reads no file: a link does so when the user clicks on it.
std::vector<Problem> problems_of_assignments(const Link& link, const TextContext& context) {
  const auto assignments = link.assignments();
  if (assignments.empty()) return {{"", "", "no setting", "KEY=VALUE, as in set:attention.scale=none"}};
  try {
    with_overrides(*context.setup, assignments, "set",
                   {.folder = context.folder, .access = ValueFiles::Access::in_folder_later});
  } catch (const InputError& error) {
    return error.problems();
  }
  return {};
}

std::vector<Problem> problems_of_cell(const std::string& text, const Setup& setup) {
  if (const auto tensor = tensor_named(text); tensor && exists(*tensor, setup)) return {};
  try {
    parse_cell(text, setup);
  } catch (const InputError& error) {
    return error.problems();
  }
  return {};
}

/// Text that was meant as a link: to Markdown, a target with a blank in it is plain text.
std::vector<std::string> broken_links(std::string_view plain) {
  std::vector<std::string> broken;
  // Each is between the one before and the one behind it, so that nothing is read twice.
  std::size_t begin = 0;
  for (std::size_t at = plain.find("]("); at != std::string_view::npos;) {
    const std::size_t next = plain.find("](", at + 1);
    const std::string_view words = plain.substr(begin, at - begin);
    const std::string_view rest = plain.substr(at + 2, std::min(next, plain.size()) - at - 2);
    const auto open = words.rfind('[');
    const auto close = rest.find(')');
    if (open != std::string_view::npos && close != std::string_view::npos && parse_link(rest.substr(0, close)))
      broken.push_back(fmt::format("{}]({})", words.substr(open), rest.substr(0, close)));
    begin = at + 2;
    at = next;
  }
  return broken;
}

/// What is wrong with a link's target under the step's setup.
std::vector<Problem> problems_of_link(std::string_view target, const TextContext& context) {
  const auto refused = [&](std::string allowed) {
    return std::vector<Problem>{{"", "", fmt::format("\"{}\"", target), std::move(allowed)}};
  };
  const auto link = parse_link(target);
  if (!link) return refused(fmt::format("{}: or https://", fmt::join(link_schemes, ":, ")));
  switch (link->kind) {
    case Link::Kind::set:
    case Link::Kind::compare: return context.setup ? problems_of_assignments(*link, context) : std::vector<Problem>{};
    case Link::Kind::select:
      return context.setup ? problems_of_cell(link->target, *context.setup) : std::vector<Problem>{};
    case Link::Kind::open: {
      const auto& views = context.views;
      if (views.empty() || std::find(views.begin(), views.end(), link->target) != views.end()) return {};
      return refused(fmt::format("open: and one of {}", fmt::join(views, ", ")));
    }
    case Link::Kind::step: {
      const auto number = number_from<std::size_t>(link->target);
      if (number && *number >= 1 && *number <= context.step_count) return {};
      return refused(fmt::format("step:1 to step:{}", context.step_count));
    }
    case Link::Kind::lecture: return link->target.empty() ? refused("lecture: and its id") : std::vector<Problem>{};
    case Link::Kind::reset: return link->target.empty() ? std::vector<Problem>{} : refused("reset: alone");
    case Link::Kind::page: break;
  }
  return {};
}

}  // namespace

Markdown parse_markdown(std::string_view text) {
  Collector blocks(text, text, {});
  parse(text, blocks);
  return std::move(blocks.blocks);
}

std::string parse_title(std::string_view text) {
  const Markdown blocks = parse_markdown(text);
  // "1. Queries" is a title too, and no list.
  const bool is_list = blocks.size() != 1 || blocks.front().kind != BlockKind::paragraph;
  std::string title(is_list ? text : "");
  if (!is_list)
    for (const MarkdownSpan& span : blocks.front().spans) title += span.text;
  const auto is_seen = [](char32_t c) { return c != U' ' && c != U'\u00A0' && !is_control(c); };
  return std::ranges::any_of(characters_of(title), is_seen) ? title : "";
}

namespace {

/// Adds what was found at a place of the text.
void add_to(std::vector<WordsProblem>& problems, const LineEnds& lines, std::size_t at, std::string_view what,
            const std::vector<Problem>& found) {
  for (const Problem& problem : found) {
    const std::string key =
        problem.key.empty() || problem.key == "cell" ? std::string(what) : fmt::format("{}: {}", what, problem.key);
    problems.push_back({lines.before(at), {"", key, problem.found, problem.allowed}});
  }
}

/// The holes that have an end.
std::vector<LiveHole> closed_holes(std::string_view text, const LineEnds& lines, std::vector<WordsProblem>& problems) {
  std::vector<LiveHole> holes = live_holes(text);
  for (const LiveHole& hole : holes)
    if (!hole.closed)
      add_to(problems, lines, hole.begin, "live number",
             {{"", "", "{ without its }", "{an expression}, or \\{ for a brace"}});
  std::erase_if(holes, [](const LiveHole& hole) { return !hole.closed; });
  return holes;
}

void add_number(LiveText& text, const Collector::HoleAt& words, const LiveHole& hole, const LineEnds& lines,
                std::vector<WordsProblem>& problems) {
  try {
    text.numbers.push_back({words.block, words.span, words.at, lines.before(hole.begin), std::string(hole.inside),
                            LiveNumber::parse(hole.inside)});
  } catch (const InputError& error) {
    add_to(problems, lines, hole.begin, fmt::format("live number {{{}}}", shortened(hole.inside)), error.problems());
  }
}

}  // namespace

LiveText read_live_text(std::string_view markdown, const TextContext& context, std::vector<WordsProblem>& problems) {
  const LineEnds lines(markdown);
  const std::vector<LiveHole> holes = closed_holes(markdown, lines, problems);
  const std::string letters = masked(markdown, holes);
  Collector read(markdown, letters, holes);
  parse(letters, read);

  LiveText text{std::string(markdown), std::move(read.blocks), {}, {}};
  for (const Collector::HoleAt& words : read.holes_at) add_number(text, words, holes[words.hole], lines, problems);
  std::size_t from = 0;
  for (const std::string& link : broken_links(read.outside)) {
    const std::size_t at = markdown.find(link, from);
    if (at != std::string_view::npos) from = at;
    add_to(problems, lines, std::min(at, markdown.size()), "link",
           {{"", "", link, "a target with a blank between < and >, as in [b](<set:title=a b>)"}});
  }
  for (PlacedLink& placed : read.links) {
    add_to(problems, lines, placed.at, fmt::format("link [{}]", placed.link.words),
           problems_of_link(placed.link.target, context));
    text.links.push_back(std::move(placed.link));
  }
  return text;
}

LiveText read_live_label(std::string_view text, std::vector<WordsProblem>& problems) {
  LiveText label{std::string(text), {{BlockKind::paragraph, "", 0, {{}}}}, {}, {}};
  std::string& words = label.blocks.front().spans.front().text;
  std::size_t done = 0;
  const LineEnds lines(text);
  for (const LiveHole& hole : closed_holes(text, lines, problems)) {
    words += text.substr(done, hole.begin - done);
    add_number(label, {0, 0, 0, words.size()}, hole, lines, problems);
    done = hole.end;
  }
  words += text.substr(done);
  return label;
}

}  // namespace headlight
