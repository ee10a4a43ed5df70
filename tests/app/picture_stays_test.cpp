// survey
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/session/lesson.hpp"
#include "app/ui/text/markdown.hpp"
#include "app/views/base/layout.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/story/arrangement.hpp"
#include "app/views/story/story.hpp"
#include "app/views/tensors/picture_fit.hpp"
#include "legibility.hpp"
#include "scripted.hpp"

using namespace headlight;
using namespace headlight::testing;

TEST_CASE("survey") {
  Session all;
  Documents().load_lectures(all);
  struct Screen { int w, h; };
  for (const auto& lecture : all.lectures())
    for (const bool presenting : {false, true})
      for (const Screen& screen : {Screen{1280, 720}, Screen{1440, 900}, Screen{1920, 1080}}) {
        Session session = lecture_session(lecture->id);
        session.set_timed(false);
        session.set_display(with_presenting(session.display(), presenting));
        HeadlightApp app(std::move(session));
        Offscreen surface(app, screen.w, screen.h, 1);
        Session& s = app.session();
        for (std::size_t step = 0; step < s.lesson().step_count(); ++step) {
          Lesson(s).go_to(step);
          for (int state = 0; state < 3; ++state) {
            if (state > 0 && !s.lesson().question()) break;
            if (state > 0) {
              Lesson(s).show_answer();
              s.wait();
              const auto answer = answer_of(s);
              if (!answer) { fmt::print("{} {} no answer\n", lecture->id, step + 1); break; }
              const auto choices = words_of_step(s)->question->choices.size();
              Lesson(s).ask_again();
              s.wait();
              double guess = *answer;
              if (state == 2) {
                std::size_t longest = 0;
                const Question& q = *s.lesson().question();
                std::vector<double> guesses;
                if (q.is_chosen()) { for (std::size_t i = 0; i < choices; ++i) if (double(i) != *answer) guesses.push_back(double(i)); }
                else guesses = {*answer + 2 * q.within + 1};
                for (double g : guesses) {
                  Lesson(s).guess(g); Lesson(s).show_answer(); s.wait();
                  const std::size_t length = plain_text(words_of_step(s)->question->why).size();
                  if (length >= longest) { longest = length; guess = g; }
                  Lesson(s).ask_again(); s.wait();
                }
              }
              Lesson(s).guess(guess); Lesson(s).show_answer(); s.wait();
            }
            const DisplayList drawing = surface.settled_drawing(true);
            const Rect whole{0, 0, drawing.width, drawing.height};
            const Rect area = presenting ? whole : layout_of(whole, s.display()).centre;
            std::optional<Rect> cells; int without = 0, unread = 0, pictures = 0; float least_h = 999, least_w = 999;
            for (const PlacedItem& item : surface.items()) {
              if (!item.path.ends_with("/cells") || !area.contains(item.rect.center())) continue;
              ++pictures;
              const Rect r = item.rect.intersected(area);
              cells = cells ? cells->joined(r) : r;
              const CellCount c = count_cells(drawing, item.rect);
              if (c.rows <= 12 && c.columns <= 12) { without += c.without_number; least_h = std::min(least_h, item.rect.h / float(std::max(1, c.rows))); least_w = std::min(least_w, item.rect.w / float(std::max(1, c.columns))); }
              else ++unread;
            }
            const auto complaints = text_complaints(drawing, area, 12);
            const auto& a = app.memory().get<KeptArrangement>().arrangement;
            fmt::print("{}|{}|{}|{}|{}x{}|view{}|pic {:.2f} cells {:.2f}x{:.2f}|n{} cell {:.0f}x{:.0f} without {} unread {}|at {} rung {:b} cells{}|{}", lecture->id, step + 1, presenting ? "S" : "W", "uRX"[state], screen.w, screen.h, int(s.display().view), a.picture.h / area.h, cells ? cells->w / area.w : 0, cells ? cells->h / area.h : 0, pictures, least_w, least_h, without, unread, int(a.at), a.rung.given, int(a.rung.cells), complaints.size());
            if (s.lesson().question() && state > 0) {
              const bool has_next = surface.item("question/again").has_value();
              if (!has_next) fmt::print(" NOBUTTON");
              else if (const auto r = *surface.item("question/again"); r.bottom() > area.bottom()) fmt::print(" BUTTONBELOW");
            }
            if (!shows_text(drawing, area, plain_text(*step_story(s).words))) fmt::print(" WORDSCUT");
            if (const auto words = words_of_step(s); words->question && words->question->shown && !shows_text(drawing, area, plain_text(words->question->why))) fmt::print(" WHYCUT");
            for (std::size_t i = 0; i < std::min<std::size_t>(2, complaints.size()); ++i) fmt::print(" [{}]", complaints[i]);
            fmt::print("\n");
          }
        }
      }
}
