#include "core/model/offered_setup.hpp"

#include <algorithm>

namespace headlight {

Setup offered_setup(TaskName task) {
  constexpr Index symbols = 6, heads = 2;
  const Index length = task == TaskName::lookup ? symbols + 1 : symbols + 2;
  Setup setup;
  setup.task = {.name = task, .symbols = symbols, .seed = 0};
  // Symbols, and answers, in the first features and positions in the last ones.
  const Index features = std::max(features_of(setup.task), answers_of(task) * symbols) + length;
  setup.sizes = {.batch = 16,
                 .query_length = length,
                 .key_length = {},
                 .d_model = (features + heads - 1) / heads * heads,
                 .heads = heads,
                 .kv_heads = {}};
  setup.position.encoding = Encoding::one_hot;
  for (const char* draw : {"seed 0", "W_q normal", "W_k normal", "W_v normal", "W_o normal"})
    setup.random.draws.push_back(*parse_draw(draw));
  setup.training = {.optimizer = OptimizerKind::adam, .learning_rate = 0.02, .batch = 32, .steps = 0};
  return setup;
}

}  // namespace headlight
