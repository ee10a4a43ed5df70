#include "app/session/snapshot/shared_link.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/session/display/display_entries.hpp"
#include "app/session/drafting.hpp"
#include "app/session/lesson.hpp"
#include "app/session/selecting.hpp"
#include "app/view_table.hpp"
#include "core/formats/layers/open_model.hpp"
#include "core/formats/packed_text.hpp"
#include "core/formats/setup/setup_file.hpp"
#include "core/text/characters.hpp"
#include "core/text/numbers.hpp"
#include "core/text/wording.hpp"

namespace headlight {
namespace {

constexpr std::array<std::string_view, 10> keys{"lecture", "step",  "setup", "view",  "cell",
                                                "head",    "layer", "draft", "theme", "embed"};
/// The characters that stay as they are: those of a fragment (RFC 3986) except "&" and "=", which have a meaning here;
/// and brackets, which every browser takes, so that a cell can be read.
constexpr std::string_view plain_marks = "-._~!$'()*+,;:@/?[]";

std::string encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || plain_marks.find(c) != std::string_view::npos) out += c;
    else out += fmt::format("%{:02X}", byte);
  }
  return out;
}

[[noreturn]] void refuse(std::string_view key, const std::string& found, const std::string& allowed) {
  throw InputError({"the link", std::string(key), found.empty() ? "nothing" : found, allowed});
}

std::string decoded(std::string_view key, std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    unsigned byte = 0;
    const std::string_view digits = text.substr(i + 1, 2);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
    if (digits.size() != 2 || error != std::errc{} || end != digits.data() + 2)
      refuse(key, std::string(text.substr(i, 3)), "% and two hexadecimal digits");
    out += static_cast<char>(byte);
    i += 2;
  }
  return out;
}

Index whole_number(std::string_view key, const std::string& text, Index least) {
  const auto number = number_from<Index>(text);
  if (!number || *number < least) refuse(key, text, fmt::format("a whole number from {} on", least));
  return *number;
}

void read_key(SharedLink& link, std::string_view key, const std::string& value) {
  if (key == "lecture") link.lecture = value;
  else if (key == "step") link.step = static_cast<std::size_t>(whole_number(key, value, 1) - 1);
  else if (key == "cell") link.cell = value;
  else if (key == "head") link.head = whole_number(key, value, 0);
  else if (key == "layer") link.layer = whole_number(key, value, 0);
  else if (key == "draft") {
    link.draft = draft_in(value);
    if (!link.draft) refuse(key, value, "seed,top_k,temperature,characters of the prompt,text: 3,0,0.8,2,trivial");
  } else if (key == "setup") {
    const auto text = unpacked_text(value);
    if (!text) refuse(key, "damaged text", "the whole link, to its last character");
    link.setup = parse_setup(*text, "the link");
  } else if (key == "view") {
    link.view = view_named(value);
    std::vector<std::string_view> names;
    for (const View view : all_views) names.push_back(to_string(view));
    if (!link.view) refuse(key, value, "one of " + listed(names));
  } else if (key == "theme" && value == "auto") {
    link.theme_follows = true;
  } else if (key == "theme") {
    const auto found = std::ranges::find(theme_words, value, &Word::name);
    if (found == theme_words.end()) refuse(key, value, "one of auto, " + listed(names_of(theme_words)));
    link.theme = static_cast<ThemeName>(found - theme_words.begin());
  } else if (key == "embed") {
    const auto named = std::span(embedded_names).subspan(1);
    const auto found = std::ranges::find(named, value);
    if (found == named.end()) refuse(key, value, "one of " + listed(named));
    link.embed = static_cast<Embedded>(found - named.begin() + 1);
  } else {
    refuse(key, "an unknown key", fmt::format("{}", fmt::join(keys, ", ")));
  }
}

/// The view that a figure is of; a heatmap is of a tensor, whatever the view.
std::optional<View> view_of(Embedded figure) {
  return figure == Embedded::none || figure == Embedded::heatmap
             ? std::nullopt
             : view_named(embedded_names[static_cast<std::size_t>(figure)]);
}

/// The setup with the numbers and the text of its files in it, instead of the files' names.
Setup without_files(Setup setup) {
  Values values;
  for (const GivenValue& given : setup.values.entries())
    values.set({given.tensor, given.part, GivenNumbers(given.numbers.tensor()), given.layer});
  setup.values = values;
  if (!setup.task.file.empty()) setup.task.text = TaskText(std::exchange(setup.task.file, {}).text());
  return setup;
}

}  // namespace

SharedLink link_of(const Session& session) {
  SharedLink link;
  const LectureStep step = session.wanted_step();
  if (step.lecture) {
    link.lecture = step.lecture->lecture->id;
    link.step = step.index;
  }
  if (!step.lecture || session.wanted() != *step.setup()) link.setup = session.wanted();
  const bool arrives = step.lecture && step != session.lesson().at;
  const Setup& setup = arrives ? session.wanted() : session.setup();
  const StepLook own = step.lecture ? look_of_step(*step.lecture->lecture, step.index, setup) : StepLook{};
  if (const View view = wanted_view(session); view != own.view) link.view = view;
  if (!arrives && (session.state().pinned || !step.lecture))
    link.cell = to_string(cell_of(session.selection(), session.setup()));
  link.embed = session.display().embedded;
  if (view_of(link.embed)) link.view.reset();
  if (!arrives && session.state().draft != Draft{}) link.draft = session.state().draft;
  if (!arrives && link.cell.empty() && session.selection().head != own.selection.head)
    link.head = session.selection().head;
  if (!arrives && link.cell.empty() && !session.setup().is_first()) link.layer = session.setup().layer;
  return link;
}

std::string fragment_of(const SharedLink& link, std::string_view setup) {
  std::string text;
  char mark = '#';
  const auto add = [&](std::string_view key, std::string_view value) {
    text += fmt::format("{}{}={}", std::exchange(mark, '&'), key, encoded(value));
  };
  if (!link.lecture.empty()) {
    add("lecture", link.lecture);
    add("step", std::to_string(link.step + 1));
  }
  if (link.setup) add("setup", packed_text(setup));
  if (link.view) add("view", to_string(*link.view));
  if (!link.cell.empty()) add("cell", link.cell);
  if (link.head) add("head", std::to_string(*link.head));
  if (link.layer) add("layer", std::to_string(*link.layer));
  if (link.draft) add("draft", to_text(*link.draft));
  if (link.theme) add("theme", theme_words[static_cast<std::size_t>(*link.theme)].name);
  if (link.theme_follows) add("theme", "auto");
  if (link.embed != Embedded::none) add("embed", embedded_names[static_cast<std::size_t>(link.embed)]);
  return text;
}

std::string to_text(const SharedLink& link, std::string_view page) {
  const std::string setup = link.setup ? write_setup(without_files(*link.setup)) : std::string();
  std::string text = std::string(page) + fragment_of(link, setup);
  if (text.size() > longest_link)
    refuse("setup", fmt::format("{} characters, because of the arrays in it", text.size()),
           fmt::format("at most {}; export a page of your own instead (--as page), which has room for them",
                       longest_link));
  return text;
}

std::string python_lines(const Session& session) {
  constexpr std::size_t longest_cell = 1'000'000;
  const SharedLink link = link_of(session);
  std::string looks;
  if (link.view) looks += fmt::format(", view=\"{}\"", to_string(*link.view));
  if (!link.cell.empty()) looks += fmt::format(", cell=\"{}\"", link.cell);
  constexpr std::string_view import = "import headlight\n";
  if (!link.setup)
    return fmt::format("{}headlight.show(\"{}\", step={}{})\n", import, link.lecture, link.step + 1, looks);
  // TOML escapes its quotes, so that no text of it has three in a row, and a raw text leaves its escapes alone.
  const std::string text =
      fmt::format("{}headlight.show(r\"\"\"\n{}\"\"\"{})\n", import, write_setup(without_files(*link.setup)), looks);
  if (text.size() > longest_cell)
    throw InputError({"the lines for a notebook", "", fmt::format("{} characters, because of the arrays", text.size()),
                      fmt::format("at most {}; save the setup, and show its file", longest_cell)});
  return text;
}

bool is_link(const std::filesystem::path& path) {
  const std::string text = path.string();
  const auto mark = text.find('#');
  if (mark == std::string::npos) return false;
  if (std::error_code error; std::filesystem::exists(path, error)) return false;
  if (mark == 0 && text.find('=') != std::string::npos) return true;
  const std::string_view fragment = std::string_view(text).substr(mark + 1);
  return std::ranges::any_of(keys, [&](std::string_view key) {
    return fragment.starts_with(key) && fragment.substr(key.size()).starts_with('=');
  });
}

FollowedLink follow_link(const std::string& link) {
  FollowedLink found;
  std::string_view rest = std::string_view(link).substr(link.find('#') + 1);
  while (!rest.empty()) {
    std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    // As a link has its "&" in the source of a page, out of which people copy it.
    if (constexpr std::string_view escaped = "amp;"; pair.starts_with(escaped)) pair.remove_prefix(escaped.size());
    const std::string_view key = pair.substr(0, pair.find('='));
    try {
      read_key(found.link, key, decoded(key, pair.substr(std::min(pair.size(), key.size() + 1))));
    } catch (const InputError& error) {
      found.left_out.push_back(error.problems().front());
    }
  }
  return found;
}

SharedLink read_link(const std::string& link) {
  FollowedLink found = follow_link(link);
  if (!found.left_out.empty()) throw InputError(std::move(found.left_out));
  if (found.link.lecture.empty() && !found.link.setup)
    refuse("", "neither a lecture nor a setup", "lecture= or setup=");
  return std::move(found.link);
}

namespace {

/// The open model, where the setup has numbers from its files: its other layers stay at hand then.
std::shared_ptr<const OpenModel> model_of(const Session& session, const Setup& setup) {
  const auto& model = session.state().model;
  if (!model) return nullptr;
  const auto is_from_model = [&](const GivenValue& given) {
    const auto& source = given.numbers.source();
    return source && std::ranges::any_of(model->arrays, [&](const auto& arrays) {
             return std::ranges::any_of(arrays->all(),
                                        [&](const StoredArray& array) { return array.file == source->path; });
           });
  };
  return std::ranges::any_of(setup.values.entries(), is_from_model) ? model : nullptr;
}

/// How the link's place looks, once it is shown.
void look_as(Session& session, const SharedLink& link) {
  if (link.draft) session.when_shown([draft = *link.draft](Session& shown) { Drafting(shown).restore(draft); });
  if (link.layer) session.when_shown([layer = *link.layer](Session& shown) { shown.look_at_layer(layer); });
  session.when_shown([link](Session& shown) {
    if (link.head) Selecting(shown).select_head(*link.head);
    if (!link.cell.empty()) {
      try {
        Selecting(shown).pin(parse_cell(link.cell, shown.setup()));
      } catch (const InputError& error) {
        shown.notify(error.problems().front().message());
      }
    }
    if (const auto view = view_of(link.embed) ? view_of(link.embed) : link.view) shown.show(*view);
    Display display = shown.display();
    display.embedded = link.embed;
    display.appearance.theme = link.theme.value_or(display.appearance.theme);
    if (link.theme || link.theme_follows) display.appearance.theme_follows = link.theme_follows;
    shown.set_display(display);
  });
}

std::vector<Problem> open_place(Session& session, const SharedLink& link) {
  if (!link.lecture.empty()) {
    if (std::vector<Problem> problems = Lesson(session).open(link.lecture, link.step); !problems.empty())
      return problems;
    if (link.setup)
      if (std::vector<Problem> problems = session.edit(*link.setup); !problems.empty()) return problems;
  } else if (link.setup) {
    if (std::vector<Problem> problems = session.open_setup(*link.setup, model_of(session, *link.setup));
        !problems.empty())
      return problems;
  }
  if (link.embed == Embedded::learn && !session.wanted().has_task())
    return {{"the link", "embed", "learn without a task", "a setup with a task"}};
  return {};
}

bool has_cell(const Setup& setup, const std::string& cell) {
  try {
    parse_cell(cell, setup);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

std::vector<Problem> go_to(Session& session, const SharedLink& link) {
  std::vector<Problem> problems = open_place(session, link);
  if (problems.empty()) look_as(session, link);
  return problems;
}

std::string go_near(Session& session, FollowedLink followed) {
  auto& [link, left_out] = followed;
  const auto lecture = std::ranges::find(session.lectures(), link.lecture, [](const auto& each) { return each->id; });
  if (lecture == session.lectures().end()) {
    if (!link.lecture.empty()) left_out.push_back({"the link", "lecture", link.lecture + " isn't here", ""});
    else if (link.step > 0 && !link.setup) left_out.push_back({"the link", "step", "of no lecture", ""});
    link.lecture.clear();
  } else if (const std::size_t steps = (*lecture)->steps.size(); link.step >= steps && !(*lecture)->is_outline()) {
    left_out.push_back({"the link", "step", fmt::format("there are {}", steps), ""});
    link.step = steps - 1;
  }
  const bool comes_later = link.draft || (lecture != session.lectures().end() && (*lecture)->is_outline());
  for (auto problems = open_place(session, link); !problems.empty(); problems = open_place(session, link)) {
    if (link.embed == Embedded::learn && problems.front().key == "embed") link.embed = Embedded::none;
    else if (link.setup) link.setup.reset();
    else link.lecture.clear();  // then nothing is left that can fail
    left_out.push_back(std::move(problems.front()));
  }
  if (!comes_later && !link.cell.empty() && !has_cell(session.wanted(), link.cell)) {
    left_out.push_back({"the link", "cell", link.cell, ""});
    link.cell.clear();
  }
  look_as(session, link);
  std::vector<std::string> parts;
  for (const Problem& problem : left_out)
    parts.push_back(
        fmt::format("{} ({})", problem.key.empty() ? "setup" : shortened(problem.key), shortened(problem.found)));
  return parts.empty() ? std::string() : fmt::format("Left out of the link: {}", fmt::join(parts, ", "));
}

}  // namespace headlight
