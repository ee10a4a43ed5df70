#include "core/formats/lecture/markdown_steps.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/formats/lecture/live_text_reader.hpp"
#include "core/formats/toml/toml_value.hpp"
#include "core/text/characters.hpp"

namespace headlight {
namespace {

constexpr std::string_view blanks = " \t\r";

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// The line without its indentation. Markdown allows up to three spaces before a heading or a fence; a line with more
/// is neither, so the result is then empty.
std::string_view unindented(std::string_view line) {
  const auto first = std::min(line.find_first_not_of(' '), line.size());
  return first <= 3 ? line.substr(first) : std::string_view{};
}

/// What is written after the ## of a step's heading.
std::optional<std::string_view> step_title(std::string_view line) {
  const std::string_view heading = unindented(line);
  if (!heading.starts_with("##") || (heading.size() > 2 && heading[2] != ' ' && heading[2] != '\t'))
    return std::nullopt;
  std::string_view title = trimmed(heading.substr(2), blanks);
  const auto text_end = title.find_last_not_of('#');
  // # signs at the end belong to the heading's markup only if there is a space before them.
  if (text_end == std::string_view::npos) title = {};
  else if (text_end + 1 < title.size() && blanks.find(title[text_end]) != std::string_view::npos)
    title = trimmed(title.substr(0, text_end), blanks);
  return title;
}

struct Fence {
  char mark = '`';
  std::size_t length = 0;
  std::string_view info;  ///< the first word after the backticks or tildes
};

std::optional<Fence> opening_fence(std::string_view line) {
  const std::string_view text = unindented(line);
  if (text.empty() || (text.front() != '`' && text.front() != '~')) return std::nullopt;
  const auto length = std::min(text.find_first_not_of(text.front()), text.size());
  const std::string_view info = trimmed(text.substr(length), blanks);
  if (length < 3 || (text.front() == '`' && info.find('`') != std::string_view::npos)) return std::nullopt;
  return Fence{text.front(), length, info.substr(0, info.find_first_of(blanks))};
}

bool closes(std::string_view line, const Fence& fence) {
  const std::string_view text = trimmed(unindented(line), blanks);
  return text.size() >= fence.length && text.find_first_not_of(fence.mark) == std::string_view::npos;
}

std::string without_comments(std::string_view text) {
  std::string rest;
  while (true) {
    const auto open = text.find("<!--");
    const auto close = text.find("-->", std::min(open, text.size()));
    if (close == std::string_view::npos) return rest.append(text);
    rest.append(text.substr(0, open));
    text.remove_prefix(close + 3);
  }
}

/// Goes through the lines once and sorts them into front matter, steps, step blocks, code and narration.
class Splitter {
 public:
  Splitter(std::string_view text, const std::string& source, std::vector<Problem>& problems)
      : lines_(lines_of(text)), source_(source), problems_(problems) {}

  MarkdownLecture split() {
    if (!read_front_matter() || !has_short_paragraphs()) return std::move(lecture_);
    while (at_ < lines_.size()) {
      if (const auto title = step_title(lines_[at_])) begin_step(*title);
      else if (const auto fence = opening_fence(lines_[at_])) read_fence(*fence);
      else add_text();
    }
    finish();
    return std::move(lecture_);
  }

 private:
  int line() const { return static_cast<int>(at_) + 1; }
  void add(int line, std::string found, std::string allowed) {
    problems_.push_back({with_line(source_, line), "", std::move(found), std::move(allowed)});
  }

  bool read_front_matter() {
    while (at_ < lines_.size() && trimmed(lines_[at_], blanks).empty()) ++at_;
    if (at_ == lines_.size() || trimmed(lines_[at_], blanks) != "+++") {
      add(0, at_ == lines_.size() ? "an empty file" : "no front matter",
          "front matter: TOML between two lines of +++ at the top");
      return false;
    }
    FencedBlock block{.text = {}, .line = line()};
    for (++at_; at_ < lines_.size(); ++at_) {
      if (trimmed(lines_[at_], blanks) == "+++") {
        ++at_;
        lecture_.front_matter = std::move(block);
        return true;
      }
      block.text += std::string(lines_[at_]) + '\n';
    }
    add(block.line, "front matter without an end", "a second line of +++");
    return false;
  }

  /// The library that reads Markdown looks through a paragraph's lines for each bracket in it.
  bool has_short_paragraphs() {
    constexpr std::size_t most_lines = 2'000;
    std::size_t first = at_;
    for (std::size_t at = at_; at < lines_.size(); ++at) {
      if (trimmed(lines_[at], blanks).empty()) first = at + 1;
      if (at + 1 - first <= most_lines) continue;
      add(static_cast<int>(first) + 1, fmt::format("more than {} lines without a blank one between them", most_lines),
          fmt::format("up to {} from one blank line to the next, in paragraphs and in blocks", most_lines));
      return false;
    }
    return true;
  }

  void begin_step(std::string_view heading) {
    std::string title = parse_title(heading);
    if (title.empty()) add(line(), "a step without a title", "## Title");
    lecture_.steps.push_back({});
    lecture_.steps.back().title = std::move(title);
    lecture_.steps.back().line = line();
    ++at_;
  }

  /// Takes the line at `at` as text: it is neither a heading nor in a block of the step's own.
  void add_text(std::size_t at) {
    std::string& text = lecture_.steps.empty() ? before_steps_ : lecture_.steps.back().narration;
    text += std::string(lines_[at]) + '\n';
    if (!lecture_.steps.empty()) lecture_.steps.back().narration_lines.push_back(static_cast<int>(at) + 1);
  }
  void add_text() { add_text(at_++); }

  void read_fence(const Fence& fence) {
    FencedBlock block{.text = {}, .line = line()};
    const std::size_t first = at_++;
    bool closed = false;
    while (at_ < lines_.size() && !closed) {
      closed = closes(lines_[at_], fence);
      if (!closed) block.text += std::string(lines_[at_]) + '\n';
      ++at_;
    }
    if (!closed)
      add(block.line, "a fenced block without an end",
          fmt::format("a closing line of {}", std::string(fence.length, fence.mark)));
    if (take(fence, std::move(block))) return;
    for (std::size_t at = first; at < at_; ++at) add_text(at);
  }

  /// Keeps a block of the step's own: step, python, question, more or notes. Returns false for any other, which belongs
  /// to the narration.
  bool take(const Fence& fence, FencedBlock block) {
    if (lecture_.steps.empty()) return false;
    MarkdownStep& step = lecture_.steps.back();
    if (fence.info == "step") {
      if (step.step || step.code || step.question || step.more || step.notes ||
          !trimmed(step.narration, " \t\n").empty()) {
        add(block.line, "a step block inside the text", "one step block, directly after the heading");
      } else {
        step.step = std::move(block);
      }
      return true;
    }
    std::optional<FencedBlock>* const slot = fence.info == "python"     ? &step.code
                                             : fence.info == "question" ? &step.question
                                             : fence.info == "more"     ? &step.more
                                             : fence.info == "notes"    ? &step.notes
                                                                        : nullptr;
    if (slot == nullptr) return false;
    if (*slot) add(block.line, fmt::format("a second {} block", fence.info), "one for each step");
    else *slot = std::move(block);
    return true;
  }

  void finish() {
    const std::string uncommented = without_comments(before_steps_);
    const std::string_view stray = trimmed(uncommented, " \t\n");
    if (!stray.empty()) {
      add(0, fmt::format("text before the first step (\"{}\")", stray.substr(0, stray.find('\n'))),
          "text under a ## heading, or an HTML comment");
    }
    if (lecture_.steps.empty()) add(0, "no steps", "at least one step: a heading ## Title with text under it");
    for (MarkdownStep& step : lecture_.steps) {
      const auto blank_lines = std::min(step.narration.find_first_not_of('\n'), step.narration.size());
      step.narration_lines.erase(step.narration_lines.begin(),
                                 step.narration_lines.begin() + static_cast<std::ptrdiff_t>(blank_lines));
      step.narration = trimmed(step.narration, "\n");
      if (step.code) step.code->text = trimmed(step.code->text, "\n");
      if (step.more) step.more->text = trimmed(step.more->text, "\n");
      if (step.notes) step.notes->text = trimmed(step.notes->text, "\n");
    }
  }

  std::vector<std::string_view> lines_;
  const std::string& source_;
  std::vector<Problem>& problems_;
  MarkdownLecture lecture_;
  std::string before_steps_;
  std::size_t at_ = 0;
};

}  // namespace

MarkdownLecture split_lecture(std::string_view text, const std::string& source, std::vector<Problem>& problems) {
  return Splitter(text, source, problems).split();
}

}  // namespace headlight
