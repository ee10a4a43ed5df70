#include "core/formats/lecture/lecture_words.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <md4c.h>

#include "core/formats/setup/setup_overrides.hpp"
#include "core/lecture/live_text.hpp"
#include "core/model/shapes.hpp"
#include "core/text/numbers.hpp"

namespace headlight {
namespace {

/// Collects links from the parser's callbacks.
struct LinkCollector {
  std::string_view text;
  std::vector<MarkdownLink> links;
  std::string plain;  ///< the text outside of links and code
  int open = 0;

  void enter(const MD_SPAN_A_DETAIL& detail) {
    const std::string target(detail.href.text, detail.href.size);
    // The parser gives the target without its place; it stands behind that of the link before.
    const std::size_t from = links.empty() ? 0 : links.back().at + 1;
    const auto found = text.find(target, std::min(from, text.size()));
    links.push_back({"", target, found == std::string_view::npos ? from : found});
    ++open;
  }
};

LinkCollector& collector(void* user) { return *static_cast<LinkCollector*>(user); }

std::vector<Problem> problems_of_assignments(const Link& link, const Setup& setup) {
  const auto assignments = link.assignments();
  if (assignments.empty()) return {{"", "", "no setting", "KEY=VALUE, as in set:attention.scale=none"}};
  try {
    with_overrides(setup, assignments, "set");
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

}  // namespace

namespace {

LinkCollector collected(std::string_view markdown) {
  LinkCollector links{.text = markdown, .links = {}, .plain = {}};
  MD_PARSER parser{};
  parser.flags = MD_FLAG_COLLAPSEWHITESPACE | MD_FLAG_NOHTML | MD_FLAG_LATEXMATHSPANS;
  parser.enter_block = [](MD_BLOCKTYPE, void*, void*) { return 0; };
  parser.leave_block = [](MD_BLOCKTYPE, void*, void*) { return 0; };
  parser.enter_span = [](MD_SPANTYPE type, void* detail, void* user) {
    if (type == MD_SPAN_A) collector(user).enter(*static_cast<const MD_SPAN_A_DETAIL*>(detail));
    return 0;
  };
  parser.leave_span = [](MD_SPANTYPE type, void*, void* user) {
    if (type == MD_SPAN_A) --collector(user).open;
    return 0;
  };
  parser.text = [](MD_TEXTTYPE type, const MD_CHAR* begin, MD_SIZE size, void* user) {
    LinkCollector& all = collector(user);
    if (all.open > 0) all.links.back().words.append(begin, size);
    else if (type == MD_TEXT_NORMAL) all.plain.append(begin, size);
    return 0;
  };
  md_parse(markdown.data(), static_cast<MD_SIZE>(markdown.size()), &parser, &links);
  return links;
}

/// What was meant as a link and is none: to Markdown a target with a blank in it is plain text.
std::vector<std::string> broken_links(std::string_view plain) {
  std::vector<std::string> broken;
  for (std::size_t at = plain.find("]("); at != std::string_view::npos; at = plain.find("](", at + 1)) {
    const auto open = plain.rfind('[', at);
    const auto close = plain.find(')', at);
    if (open == std::string_view::npos || close == std::string_view::npos) continue;
    if (parse_link(plain.substr(at + 2, close - at - 2))) broken.emplace_back(plain.substr(open, close + 1 - open));
  }
  return broken;
}

}  // namespace

std::vector<MarkdownLink> links_in(std::string_view markdown) { return collected(markdown).links; }

std::vector<Problem> problems_of_live_number(std::string_view text) {
  try {
    LiveNumber::parse(text);
  } catch (const InputError& error) {
    return error.problems();
  }
  return {};
}

std::vector<Problem> problems_of_link(std::string_view target, const WordsPlace& place) {
  const auto refused = [&](std::string allowed) {
    return std::vector<Problem>{{"", "", fmt::format("\"{}\"", target), std::move(allowed)}};
  };
  const auto link = parse_link(target);
  if (!link) return refused(fmt::format("{}: or https://", fmt::join(link_schemes, ":, ")));
  switch (link->kind) {
    case Link::Kind::set:
    case Link::Kind::compare:
      return place.setup ? problems_of_assignments(*link, *place.setup) : std::vector<Problem>{};
    case Link::Kind::select: return place.setup ? problems_of_cell(link->target, *place.setup) : std::vector<Problem>{};
    case Link::Kind::open: {
      const auto& views = place.views;
      if (views.empty() || std::find(views.begin(), views.end(), link->target) != views.end()) return {};
      return refused(fmt::format("open: and one of {}", fmt::join(views, ", ")));
    }
    case Link::Kind::step: {
      const auto number = number_from<std::size_t>(link->target);
      if (number && *number >= 1 && *number <= place.step_count) return {};
      return refused(fmt::format("step:1 to step:{}", place.step_count));
    }
    case Link::Kind::lecture: return link->target.empty() ? refused("lecture: and its id") : std::vector<Problem>{};
    case Link::Kind::reset: return link->target.empty() ? std::vector<Problem>{} : refused("reset: alone");
    case Link::Kind::page: break;
  }
  return {};
}

std::vector<WordsProblem> problems_of_words(std::string_view markdown, const WordsPlace& place) {
  std::vector<WordsProblem> all;
  const auto add = [&](std::size_t at, std::string_view what, const std::vector<Problem>& problems) {
    const auto line = static_cast<std::size_t>(
        std::count(markdown.begin(), markdown.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    for (const Problem& problem : problems) {
      const std::string key =
          problem.key.empty() || problem.key == "cell" ? std::string(what) : fmt::format("{}: {}", what, problem.key);
      all.push_back({line, {"", key, problem.found, problem.allowed}});
    }
  };
  for (const LiveHole& hole : live_holes(markdown)) {
    if (!hole.closed)
      add(hole.begin, "live number", {{"", "", "{ without its }", "{an expression}, or \\{ for a brace"}});
    else add(hole.begin, fmt::format("live number {{{}}}", hole.inside), problems_of_live_number(hole.inside));
  }
  const LinkCollector found = collected(markdown);
  for (const std::string& link : broken_links(found.plain))
    add(std::min(markdown.find(link), markdown.size()), "link",
        {{"", "", link, "a target with a blank between < and >, as in [b](<set:title=a b>)"}});
  for (const MarkdownLink& link : found.links) {
    add(std::min(link.at, markdown.size()), fmt::format("link [{}]", link.words), problems_of_link(link.target, place));
  }
  return all;
}

}  // namespace headlight
