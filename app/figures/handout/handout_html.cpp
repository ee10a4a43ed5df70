#include "app/figures/handout/handout.hpp"

#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "app/export/vector_picture.hpp"
#include "app/ui/text/html.hpp"
#include "core/text/characters.hpp"

namespace headlight {
namespace {

constexpr std::string_view css = R"(
body{font:11pt/1.5 Inter,'DejaVu Sans',sans-serif;color:#16181d;background:#fff;max-width:46em;margin:2em auto;padding:0 1em}
h1{font-size:1.7em;line-height:1.25;margin:0 0 .2em;break-after:avoid}
h2{font-size:1.3em;line-height:1.3;margin:2em 0 .4em;break-after:avoid}
h3{font-size:1em;margin:1em 0 .2em;break-after:avoid}
h1,h2,h3,strong,.answer{font-weight:600}
a{color:inherit}
.number,.source{color:#5a6070}
.number{font-weight:400;margin-right:.6em}
p,ul,ol{margin:.5em 0}
code,pre{font-family:'JetBrains Mono','DejaVu Sans',monospace;font-size:.86em}
pre{border-left:2px solid #8a90a0;padding:.2em 0 .2em .8em;white-space:pre-wrap;break-inside:avoid}
figure{margin:1em 0;break-inside:avoid}
figure svg{display:block;max-width:100%;height:auto}
.question{border:1.5px solid #16181d;border-radius:8px;padding:.5em 1em;margin:1em 0;break-inside:avoid}
.choices{list-style:none;padding:0}
.choices li::before{content:'';display:inline-block;width:.8em;height:.8em;border:1px solid #16181d;margin-right:.6em}
.blank{display:inline-block;width:9em;border-bottom:1px solid #16181d}
.hint,.notes,.more{font-size:.92em}
.notes{border-left:4px double #8a90a0;padding-left:.8em;break-before:avoid;break-inside:avoid}
.answers{break-before:page}
.answers h2{margin-top:1.4em}
.answers .choices,dt,dd{break-inside:avoid}
dt{break-after:avoid}
.answers section>div{display:grid;grid-template-columns:2fr 3fr;column-gap:1.5em;align-items:start}
.answers figure{margin:.5em 0}
.choices .right{font-weight:600}
.choices .right::before{content:'✓';line-height:.8em;text-align:center}
dl{margin:.5em 0}
dt{font-style:italic}
dd{margin:0 0 .3em 1em}
dd p{margin:0}
@media print{body{max-width:none;margin:0;padding:0;orphans:3;widows:3}figure svg{max-height:72mm}.answers figure svg{max-height:52mm}}
)";

/// A handout is read on a screen too, where its links to web pages can be followed.
std::string printed(const Markdown& markdown) { return to_html(markdown, WebLinks::open); }

/// `name` begins the names of what it defines, so that they are unique on the page.
std::string picture(const PrintedPicture& picture, const std::string& title, const std::string& name) {
  return element("figure", to_svg_element(picture.shapes, {picture.size, title}, name)) + "\n";
}

/// Whether one of the choices is the answer, and they are listed.
bool is_chosen_from_list(const PrintedQuestion& question) {
  const Question::Kind kind = question.asked.kind;
  return kind == Question::Kind::cell || kind == Question::Kind::row || kind == Question::Kind::choice;
}

/// The choices, each with a box; the right one is ticked once it is known.
std::string choices(const PrintedQuestion& question, std::optional<double> right) {
  std::string html;
  for (const std::size_t choice : question.choices)
    html += fmt::format("<li{}>{}</li>\n", right == static_cast<double>(choice) ? " class=\"right\"" : "",
                        escaped(question.asked.choices[choice]));
  return fmt::format("<ul class=\"choices\">\n{}</ul>\n", html);
}

std::string question(const PrintedQuestion& question) {
  std::string html = printed(question.asked.ask);
  if (question.asked.kind == Question::Kind::order) html += "<p>Number them.</p>\n";
  if (question.asked.kind == Question::Kind::draw) html += "<p>Write a share beside each, 100 % in all.</p>\n";
  if (question.asked.kind == Question::Kind::find) html += "<p>Mark your answer in the picture.</p>\n";
  else if (question.choices.empty()) html += "<p>Your answer: <span class=\"blank\"></span></p>\n";
  else html += choices(question, std::nullopt);
  return fmt::format("<div class=\"question\">\n{}</div>\n", html);
}

std::string heading(std::size_t number, std::string_view title) {
  return fmt::format("<h2><span class=\"number\">{}</span>{}</h2>\n", number, escaped(title));
}

/// What may tell the answer is printed beside it.
std::string more(const PrintedStep& step) {
  return step.more.empty() ? std::string() : fmt::format("<div class=\"more\">\n{}</div>\n", printed(step.more));
}

std::string step(const PrintedStep& step, std::size_t number) {
  std::string html = heading(number, step.title) + printed(step.words) +
                     picture(step.picture, step.title, fmt::format("step{}-", number));
  if (!step.code.empty()) html += code_block(step.code);
  html += step.question ? question(*step.question) : more(step);
  if (!step.notes.empty())
    html += fmt::format("<div class=\"notes\"><strong>For the speaker</strong>\n{}</div>\n", printed(step.notes));
  return fmt::format("<section>\n{}</section>\n", html);
}

std::string hints(const Handout& handout) {
  std::string html;
  for (std::size_t i = 0; i < handout.steps.size(); ++i) {
    const auto& question = handout.steps[i].question;
    if (!question || question->asked.hint.empty()) continue;
    html += fmt::format("<dt>{}. {}</dt>\n<dd>{}</dd>\n", i + 1, escaped(handout.steps[i].title),
                        printed(question->asked.hint));
  }
  return html.empty() ? html : fmt::format("<h1>Hints</h1>\n<dl>\n{}</dl>\n", html);
}

std::string misses(const std::vector<PrintedMiss>& misses) {
  std::string html;
  for (const PrintedMiss& miss : misses)
    html += miss.choice.empty()
                ? printed(miss.words)
                : fmt::format("<dt>Not {}</dt>\n<dd>{}</dd>\n", escaped(miss.choice), printed(miss.words));
  return misses.empty() || misses.front().choice.empty() ? html : element("dl", html) + "\n";
}

/// The question again, with its answer beside a small picture, and why others are wrong.
std::string answer(const PrintedStep& step, std::size_t number) {
  const PrintedQuestion& question = *step.question;
  std::string words = printed(question.asked.ask);
  if (!question.choices.empty() && is_chosen_from_list(question)) words += choices(question, question.answered.answer);
  words += fmt::format("<p class=\"answer\">{}</p>\n", escaped(words_of_answer(question.answered))) +
           printed(question.answered.why) + misses(question.misses) + more(step);
  return fmt::format("<section>\n{}<div>\n{}<div>\n{}</div>\n</div>\n</section>\n", heading(number, step.title),
                     picture(question.picture, step.title, fmt::format("answer{}-", number)), words);
}

std::string answers(const Handout& handout) {
  std::string html;
  for (std::size_t i = 0; i < handout.steps.size(); ++i)
    if (handout.steps[i].question) html += answer(handout.steps[i], i + 1);
  if (html.empty()) return {};
  return fmt::format("<div class=\"answers\">\n<h1>Answers</h1>\n{}</div>\n", html);
}

/// The paper, with the title and the number of the page below, in browsers that can put them there.
std::string page_rule(const Handout& handout, Paper paper) {
  std::string title;
  for (const char c : writable(handout.title)) title += c == '"' || c == '\\' || c == '<' ? '\'' : c;
  return fmt::format(
      "@page{{size:{};margin:18mm;@bottom-left{{content:\"{}\";{style}}}"
      "@bottom-right{{content:counter(page) \" / \" counter(pages);{style}}}}}\n",
      css_name(paper), title, fmt::arg("style", "font:8pt Inter,sans-serif;color:#5a6070"));
}

/// The fonts' characters that the pictures need, and those of the words around them.
std::string fonts(const Handout& handout, const std::string& body) {
  DisplayList all;
  const auto add = [&](const PrintedPicture& picture) {
    all.drawn.insert(all.drawn.end(), picture.shapes.drawn.begin(), picture.shapes.drawn.end());
  };
  for (const PrintedStep& step : handout.steps) {
    add(step.picture);
    if (step.question) add(step.question->picture);
  }
  std::string words = body + "✓";  // of the right choices
  std::erase(words, '\n');
  for (const TextStyle style : {TextStyle::body, TextStyle::body_strong, TextStyle::code}) {
    TextShape text;
    text.text = words;
    text.style = style;
    all.drawn.push_back({{}, std::move(text)});
  }
  return font_styles(all);
}

}  // namespace

std::string to_html(const Handout& handout, Paper paper) {
  std::string words = element("h1", escaped(handout.title)) + "\n";
  if (!handout.source.empty()) words += fmt::format("<p class=\"source\">{}</p>\n", escaped(handout.source));
  words += printed(handout.goals) + fmt::format("<div class=\"hint\">\n{}</div>\n", printed(handout.reading));
  for (std::size_t i = 0; i < handout.steps.size(); ++i) words += step(handout.steps[i], i + 1);
  words += hints(handout) + answers(handout);
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>{}</title>\n"
      "<style>\n{}{}{}</style>\n</head>\n<body>\n{}</body>\n</html>\n",
      escaped(handout.title), page_rule(handout, paper), css, fonts(handout, words), words);
}

}  // namespace headlight
