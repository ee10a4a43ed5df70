#include "app/commands/grade_report.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "app/ui/text/html.hpp"
#include "core/text/characters.hpp"
#include "core/text/wording.hpp"

namespace headlight {
namespace {

constexpr std::string_view css = R"(
:root{color-scheme:light dark;--canvas:#F3F4F1;--panel:#FFFFFF;--line:#C3C7C1;--text:#16191C;--text2:#474D53;--ok:#247631;--err:#920C08}
@media(prefers-color-scheme:dark){:root{--canvas:#0D0F12;--panel:#1B1F25;--line:#3A414B;--text:#ECEEF1;--text2:#B4BBC4;--ok:#72D97C;--err:#F86B60}}
body{font:14px/1.5 Inter,'DejaVu Sans',sans-serif;color:var(--text);background:var(--canvas);max-width:1270px;margin:2em auto;padding:0 1.5em}
h1{font-size:24px;line-height:1.25;margin:0}
h2{font-size:16px;margin:2em 0 .3em}
h1,h2,th{font-weight:600}
p{margin:.4em 0}
.quiet{color:var(--text2)}
code,pre,.mono{font-family:'JetBrains Mono','DejaVu Sans Mono',monospace;font-size:13px}
pre{margin:.2em 0;white-space:pre-wrap}
.bars{margin:1.5em 0}
.bars button{display:grid;grid-template-columns:2.5em minmax(8em,2fr) 3fr;gap:12px;align-items:center;width:100%;padding:3px 0;border:0;background:none;font:inherit;color:inherit;text-align:left;cursor:pointer}
.bars .number{text-align:right;font-weight:600}
.bar{display:block;height:20px;border-radius:4px;background:var(--err)}
.right .bar{background:var(--ok)}
.unread .bar{background:var(--text2)}
button[aria-pressed=true] .words{font-weight:600;text-decoration:underline}
button:focus-visible,a:focus-visible{outline:2px solid var(--text);outline-offset:2px}
.wide{overflow-x:auto}
table{border-collapse:collapse}
.all{width:100%}
.all td:first-child{white-space:nowrap}
th,td{text-align:left;padding:3px 10px 3px 0;border-bottom:1px solid var(--line);vertical-align:top}
thead th{vertical-align:bottom}
td.mark,th.mark{text-align:center;padding:3px 4px}
th.mark{writing-mode:vertical-rl;transform:rotate(180deg);text-align:left;font-weight:400}
.mistake{min-width:15em}
.fix{min-width:18em}
td code{white-space:pre-wrap}
a{color:inherit}
.yes{color:var(--ok)}
.no{color:var(--err)}
section{border-top:1px solid var(--line);margin-top:1.5em}
.talk{margin:-.8em 0 1.5em 3.4em}
[hidden]{display:none}
)";

/// A click on a bar leaves the submissions with that mistake, and names the lesson about it; another one brings all
/// back.
constexpr std::string_view script = R"(
for (const bar of document.querySelectorAll('.bars button')) bar.addEventListener('click', () => {
  const on = bar.getAttribute('aria-pressed') !== 'true';
  for (const other of document.querySelectorAll('.bars button')) other.setAttribute('aria-pressed', String(on && other === bar));
  for (const one of document.querySelectorAll('[data-kind]')) one.hidden = on && one.dataset.kind !== bar.dataset.of;
  for (const one of document.querySelectorAll('[data-talk]')) one.hidden = !on || one.dataset.talk !== bar.dataset.of;
});
)";

/// What a submission is filed under: its first mistake, or one of these.
constexpr std::string_view right = "right", unread = "not read", missing = "not handed in", unknown = "";

std::string_view kind_of(const Grade& grade) {
  if (!grade.was_read) return unread;
  if (grade.agrees) return right;
  if (grade.first_difference.empty()) return missing;
  return grade.mistakes.empty() ? unknown : std::string_view(grade.mistakes.front().name);
}

struct Kind {
  std::string name, words;
  std::size_t count = 0;
};

/// All kinds that occur, in the order of the page.
std::vector<Kind> kinds_of(const std::vector<Grade>& grades) {
  std::vector<Kind> kinds;
  for (const MistakeCount& mistake : counted_mistakes(grades))
    kinds.push_back(
        {mistake.name, mistake.name.empty() ? "no known mistake explains it" : mistake.words, mistake.count});
  for (const auto& [name, words] :
       {std::pair(missing, "not everything was handed in"), {unread, "can't be read"}, {right, "everything agrees"}}) {
    const auto count = std::ranges::count(grades, name, kind_of);
    if (count > 0) kinds.push_back({std::string(name), words, static_cast<std::size_t>(count)});
  }
  return kinds;
}

std::string bars(const std::vector<Kind>& kinds) {
  const std::size_t most = std::ranges::max(kinds, {}, &Kind::count).count;
  std::string html = "<div class=\"bars\">\n";
  for (const Kind& kind : kinds)
    html += fmt::format(
        "<button type=\"button\" aria-pressed=\"false\" data-of=\"{}\" class=\"{}\"><span class=\"number\">{}</span>"
        "<span class=\"words\">{}</span><span><span class=\"bar\" style=\"width:{:.2f}%\"></span></span></button>\n",
        kind.name,
        kind.name == right    ? "right"
        : kind.name == unread ? "unread"
                              : "wrong",
        kind.count, escaped(kind.words), 100.0 * static_cast<double>(kind.count) / static_cast<double>(most));
  return html + "</div>\n";
}

/// The tensors that anybody handed in, in the order of the forward pass.
std::vector<std::string> columns_of(const std::vector<Grade>& grades) {
  std::map<std::pair<Index, TensorId>, std::string> names;
  for (const Grade& grade : grades)
    for (const GradedTensor& tensor : grade.tensors) names[{tensor.at.layer, tensor.at.tensor}] = tensor.name;
  std::vector<std::string> columns;
  for (const auto& [at, name] : names) columns.push_back(name);
  return columns;
}

/// ✓ it agrees, ✗ its own step is wrong, • it differs only because of what is before it.
std::string mark(const GradedTensor& tensor) {
  if (tensor.agrees) return "<span class=\"yes\" title=\"agrees\">✓</span>";
  if (!tensor.step_agrees) return "<span class=\"no\" title=\"wrong here\">✗</span>";
  return "<span class=\"no\" title=\"differs only because of what is before it\">•</span>";
}

std::string number(double value) { return fmt::format("{:g}", value); }

class Page {
 public:
  explicit Page(const GradeReport& report) : report_(report), kinds_(kinds_of(report.grades)) {
    for (const Grade& grade : report.grades) grades_.push_back(&grade);
    std::ranges::stable_sort(grades_, {}, [&](const Grade* grade) {
      return std::ranges::find(kinds_, kind_of(*grade), &Kind::name) - kinds_.begin();
    });
    columns_ = columns_of(report.grades);
  }

  std::string html() const {
    std::string body = fmt::format("<h1>{}{}</h1>\n", report_.title.empty() ? "" : escaped(report_.title) + ": ",
                                   counted(grades_.size(), "submission", "submissions")) +
                       summary() + bars(kinds_) + lessons() + table();
    for (std::size_t i = 0; i < grades_.size(); ++i) body += section(i);
    return fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width\">\n<title>{} · Headlight</title>\n<style>{}</style>\n"
        "</head>\n<body>\n{}<script>{}</script>\n</body>\n</html>\n",
        escaped(report_.title), css, body, script);
  }

 private:
  std::string summary() const {
    const auto count = [&](auto of) { return std::ranges::count_if(report_.grades, of); };
    const auto agree = count([](const Grade& grade) { return grade.agrees; });
    const auto read = count([](const Grade& grade) { return grade.was_read; });
    const auto explained = count([](const Grade& grade) { return !grade.mistakes.empty(); });
    return fmt::format(
        "<p><strong>{}</strong> right, <strong>{}</strong> not right, {} of them explained by a known mistake; {} "
        "can't be "
        "read</p>\n",
        agree, read - agree, explained, std::ssize(report_.grades) - read);
  }

  /// Hidden until the bar of the mistake is chosen.
  std::string lessons() const {
    std::string html;
    for (const Kind& kind : kinds_) {
      const auto lesson = report_.lessons.find(kind.name);
      if (lesson == report_.lessons.end()) continue;
      const auto& [id, title, step] = lesson->second;
      const auto at = [&](std::string_view words) { return step == 0 ? "" : fmt::format("{} {}", words, step); };
      html += fmt::format(
          "<p class=\"talk\" data-talk=\"{}\" hidden>Talk about it: <strong>{}</strong>{} &emsp; <code class=\"quiet\">"
          "headlight --lecture {}{}</code></p>\n",
          kind.name, escaped(title), at(", step"), escaped(id), at(" --step"));
    }
    return html;
  }

  std::string name(std::size_t i) const {
    return report_.anonymous ? fmt::format("submission {}", i + 1) : escaped(printable(grades_[i]->name));
  }

  /// What was found in a submission that can't be read may be anything, so that is in the table of grades alone.
  static std::string reason(const Grade& grade) {
    if (grade.was_read) return escaped(grade.error);
    if (grade.wanted.empty()) return "can't be read: " + escaped(grade.error);
    return fmt::format("can't be read; allowed: {}", escaped(grade.wanted));
  }

  /// The first mistake in words, or why there is none.
  std::string finding(const Grade& grade) const {
    if (!grade.mistakes.empty()) return escaped(grade.mistakes.front().words);
    if (!grade.error.empty()) return reason(grade);
    return grade.agrees ? "" : "no known mistake explains it";
  }

  std::string table() const {
    std::string html = "<div class=\"wide\"><table class=\"all\">\n<thead><tr><th>Name</th>";
    for (const std::string& column : columns_) html += fmt::format("<th class=\"mark mono\">{}</th>", escaped(column));
    if (report_.points > 0) html += fmt::format("<th>Points of {}</th>", number(report_.points));
    html +=
        "<th>First wrong</th><th class=\"mistake\">Mistake</th><th class=\"fix\">The line that fixes "
        "it</th></tr></thead>\n<tbody>\n";
    for (std::size_t i = 0; i < grades_.size(); ++i) html += row(i);
    return html +
           "</tbody>\n</table></div>\n<p class=\"quiet\"><span class=\"no\">✗</span> wrong here &emsp; <span "
           "class=\"no\">•</span> differs only because of what is before it</p>\n";
  }

  std::string row(std::size_t i) const {
    const Grade& grade = *grades_[i];
    std::string html =
        fmt::format("<tr data-kind=\"{}\"><td><a href=\"#s{}\">{}</a></td>", kind_of(grade), i + 1, name(i));
    if (!grade.was_read)
      return html + fmt::format("<td colspan=\"{}\" class=\"quiet\">{}</td></tr>\n",
                                columns_.size() + (report_.points > 0 ? 4 : 3), reason(grade));
    for (const std::string& column : columns_) {
      const auto found = std::ranges::find(grade.tensors, column, &GradedTensor::name);
      html += fmt::format("<td class=\"mark\">{}</td>", found == grade.tensors.end() ? "" : mark(*found));
    }
    if (report_.points > 0) html += fmt::format("<td>{}</td>", number(grade.points));
    const std::string first = grade.agrees
                                  ? "<span class=\"yes\">✓</span>"
                                  : fmt::format("<span class=\"no mono\">{}</span>", escaped(grade.first_difference));
    const std::string fix = grade.mistakes.empty() ? "" : escaped(grade.mistakes.front().fix, "\n");
    return html + fmt::format("<td>{}</td><td>{}</td><td><code>{}</code></td></tr>\n", first, finding(grade), fix);
  }

  /// The comparison of one submission.
  std::string section(std::size_t i) const {
    const Grade& grade = *grades_[i];
    std::string html =
        fmt::format("<section id=\"s{}\" data-kind=\"{}\">\n<h2>{}</h2>\n", i + 1, kind_of(grade), name(i));
    if (grade.agrees) html += "<p class=\"yes\">✓ everything agrees</p>\n";
    if (!grade.error.empty()) html += fmt::format("<p class=\"no\">{}</p>\n", reason(grade));
    for (const GradedMistake& mistake : grade.mistakes)
      html += fmt::format("<p><strong class=\"mono\">{}</strong>: {}</p>\n<pre>{}</pre>\n", escaped(mistake.at),
                          escaped(mistake.words), escaped(mistake.fix, "\n"));
    if (grade.was_read && !grade.agrees && !grade.first_difference.empty() && grade.mistakes.empty())
      html += "<p>No known mistake explains it.</p>\n";
    if (!grade.tensors.empty()) {
      html +=
          "<table>\n<thead><tr><th>Tensor</th><th></th><th>Largest difference</th><th>Cells "
          "off</th></tr></thead>\n<tbody>\n";
      for (const GradedTensor& tensor : grade.tensors)
        html += fmt::format(
            "<tr><td class=\"mono\">{}</td><td>{}</td><td class=\"mono\">{:.1e}</td><td>{} of {}</td></tr>\n",
            escaped(tensor.name), mark(tensor), tensor.max_abs, tensor.cells_off, tensor.cells);
      html += "</tbody>\n</table>\n";
    }
    return html + "</section>\n";
  }

  const GradeReport& report_;
  std::vector<Kind> kinds_;
  std::vector<const Grade*> grades_;
  std::vector<std::string> columns_;
};

}  // namespace

std::string to_html(const GradeReport& report) { return Page(report).html(); }

}  // namespace headlight
