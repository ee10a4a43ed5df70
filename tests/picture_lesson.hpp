// A lecture with a step for each kind of picture, for the tests of core and app.
#pragma once

#include <string>

namespace headlight::testing {

/// The bank of a river, and then the bank that gives loans.
inline const std::string picture_lesson = R"lesson(+++
title = "Which bank?"
[setup]
tokens = ["the", "river", "bank", "flooded"]
features = ["water", "money", "verb", "filler"]
[setup.sizes]
heads = 1
query_length = 4
d_model = 4
[setup.values]
X = [[0, 0, 0, 1], [2, 0, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0]]
W_q = [[2, 0, 0, 0], [0, 2, 0, 0], [0, 0, 2, 0], [0, 0, 0, 2]]
W_k = [[2, 0, 0, 0], [0, 2, 0, 0], [0, 0, 2, 0], [0, 0, 0, 2]]
W_v = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
W_o = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
[[parts]]
id = "large"
[parts.setup]
sizes = { batch = 32, query_length = 10, d_model = 64, heads = 8 }
+++
## One sentence
```step
cell = "weights[0,0,2,1]"
[picture]
kind = "sentence"
rows = ["scores", "weights"]
```
Bank asks every word. [One word more](<set:tokens += {today = [0, 0, 0, 1]}>)

## New neighbours
```step
cell = "weights[0,0,2,1]"
set = ['tokens=["the","loan","bank","approved"]', "values.X=[[0,0,0,1],[0,2,0,0],[1,1,0,0],[0,1,1,0]]"]
picture = { kind = "mirror", features = ["water", "money"] }
```
**river** becomes **loan**, **flooded** becomes **approved**. Nothing else changes.
```question
ask = "Where does bank look now?"
choices = ["mostly at loan", "exactly as before", "mostly at itself"]
answer = "1 if abs(weights[0,0,2,1] - was(weights[0,0,2,1])) < 1e-9 else 0"
hides = ["weights[0,0,2]", "output[0,2]"]
right = "Loan matches bank's money, as river matched its water."
wrong = "It gets {weights[0,0,2,1]:.0%}, as river did."
```

## How sharp?
```step
cell = "weights[0,0,2,1]"
[picture]
kind = "curve"
play = "temperature=0.1..1e6"
watch = ["weights[0,0,2,0]", "weights[0,0,2,1]", "weights[0,0,2,2]", "weights[0,0,2,3]"]
```
From looking something up to averaging everything.

## Turned
```step
cell = "dot_products[0,0,0,3]"
set = ["tokens=[]", "position.encoding=rotary", "position.layout=interleaved", "values.X=[[1,0,0,0],[1,0,0,0],[1,0,0,0],[1,0,0,0]]"]
[picture]
kind = "arrows"
pair = [0, 1]
```
Each position turns its arrow further.
```question
ask = "What is the last one?"
within = 0.1
answer = "dot_products[0,0,0,3]"
hides = ["dot_products[0,0,0,3]"]
```

## Boxes
```step
tensor = "Q"
part = "large"
picture = { kind = "shapes" }
```
A batch of 32.
)lesson";

}  // namespace headlight::testing
