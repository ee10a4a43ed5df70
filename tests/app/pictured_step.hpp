// A session at a step that has a picture.
#pragma once

#include <stdexcept>

#include "../picture_lesson.hpp"
#include "app/session/lesson.hpp"
#include "app/session/session.hpp"
#include "app/view_table.hpp"
#include "core/formats/lecture/lecture_file.hpp"

namespace headlight::testing {

inline Session pictured_step(std::size_t step, bool presenting = false, ThemeName theme = ThemeName::light) {
  Session session;
  if (!Lesson(session).open(parse_lecture(picture_lesson, "a.md", "a", lecture_views()), step).empty())
    throw std::runtime_error("the lecture of this test is refused");
  session.set_timed(false);
  Display display = session.display();
  display.presentation.presenting = presenting;
  display.appearance.theme = theme;
  session.set_display(display);
  return session;
}

}  // namespace headlight::testing
