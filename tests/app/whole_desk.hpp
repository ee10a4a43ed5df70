// A person with the file of a small GPT-2, which has several layers.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/views/base/view_memory.hpp"
#include "app/views/overlays/layers_card.hpp"
#include "captured.hpp"
#include "core/formats/arrays/npz.hpp"
#include "core/formats/files.hpp"
#include "scripted.hpp"

namespace headlight::testing {

/// The arrays of a GPT-2 of 8 features, 2 layers and 12 symbols.
inline std::vector<NamedTensor> gpt2() {
  std::vector<NamedTensor> arrays;
  const auto add = [&](std::string name, const Shape& shape, float size) {
    const auto number = static_cast<int>(arrays.size());
    arrays.push_back({std::move(name), captured_numbers(shape, number, size)});
  };
  add("wte.weight", {12, 8}, 1);
  add("wpe.weight", {6, 8}, 0.3f);
  for (const std::string block : {"h.0.", "h.1."}) {
    for (const std::string norm : {"ln_1", "ln_2"}) {
      add(block + norm + ".weight", {8}, 1);
      add(block + norm + ".bias", {8}, 0.1f);
    }
    add(block + "attn.c_attn.weight", {8, 24}, 0.5f);
    add(block + "attn.c_proj.weight", {8, 8}, 0.5f);
    add(block + "mlp.c_fc.weight", {8, 32}, 0.5f);
    add(block + "mlp.c_proj.weight", {32, 8}, 0.5f);
  }
  add("ln_f.weight", {8}, 1);
  add("ln_f.bias", {8}, 0.1f);
  return arrays;
}

/// Whose pictures tell no time.
inline Session plain_session() {
  Session session;
  session.set_timed(false);
  return session;
}

struct WholeDesk : Scripted {
  TemporaryFolder folder{"whole"};

  explicit WholeDesk(int width = 1280) : Scripted(plain_session(), width, 720) {
    write_file(folder.path() / "config.json", R"({"model_type": "gpt2", "n_head": 2})");
  }
  void drop(const std::vector<NamedTensor>& arrays) {
    write_npz(folder.path() / "model.npz", arrays);
    surface.drop({folder.path() / "model.npz"});
    surface.settle();
  }
  bool has_card() { return app.memory().opened<LayersCard>().has_value(); }
};

}  // namespace headlight::testing
