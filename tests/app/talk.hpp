// A lecture with a question, notes and minutes, for the presenter's window.
#pragma once

#include <stdexcept>
#include <string>

#include "app/session/lesson.hpp"
#include "app/session/session.hpp"
#include "app/view_table.hpp"
#include "core/formats/lecture/lecture_file.hpp"

namespace headlight::testing {

inline const std::string talk = R"talk(+++
title = "Which word?"
minutes = 20
[setup]
tokens = ["the", "river", "bank", "floods"]
[setup.sizes]
query_length = 4
[setup.random]
draws = ["seed 3", "X normal", "W_q normal", "W_k normal", "W_v normal", "W_o normal"]
+++
## Scores first
```step
cell = "scores[0,0,2,1]"
minutes = 4
```
Every word asks every word.
## Whom does bank look at?
```step
cell = "weights[0,0,2,1]"
```
One row of weights belongs to *bank*.
```question
ask = "Where does bank look most?"
choices = ["at the", "at river", "at itself", "at floods"]
answer = "argmax(weights[0,0,2])"
right = "It gets {weights[0,0,2,answer]:.0%}."
wrong = { "at itself" = "A word does not need to know itself best.", other = "It gets {weights[0,0,2,guess]:.0%}." }
```
```notes
Ask for **hands** before you press. Most choose *itself*.

Then point at the largest number.
```
## The blend
```step
cell = "context[0,0,2,1]"
```
The shares blend the values.
)talk";

inline Session talking(std::size_t step = 0) {
  Session session;
  if (!Lesson(session).open(parse_lecture(talk, "talk.md", "talk", lecture_views()), step).empty())
    throw std::runtime_error("the lecture of this test is refused");
  return session;
}

}  // namespace headlight::testing
