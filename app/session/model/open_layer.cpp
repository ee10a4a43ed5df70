#include "app/session/model/open_layer.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/session/selecting.hpp"
#include "core/formats/layers/layer_setup.hpp"
#include "core/model/attention_alone.hpp"

namespace headlight {
namespace {

/// Whether the layer's first array, its W_q or its attention weights, is what the values give.
bool is_of(const ModelLayer& layer, const Values& values) {
  if (layer.layer.arrays.empty()) return false;
  const LayerArray& first = layer.layer.arrays.front();
  const auto given = std::ranges::find_if(
      values.entries(), [&](const GivenValue& each) { return each.tensor == first.tensor && each.part == first.part; });
  if (given == values.entries().end() || !given->numbers.source()) return false;
  const ArraySource& source = *given->numbers.source();
  const StoredArray& array = (*layer.arrays)[first.array];
  return array.info.name == source.name && first.steps == source.steps && array.file == source.path;
}

/// Selects the last query's largest weight: under a causal mask the first query sees only itself, in all layers alike.
void select_last_query(Session& session) {
  const Tensor& weights = session.trace()[TensorId::weights];
  Selection selection{.tensor = TensorId::weights, .row = weights.shape()[2] - 1};
  double largest = -1;
  for (Index key = 0; key < weights.shape()[3]; ++key) {
    const double weight = weights.at({0, 0, selection.row, key});
    if (!(weight > largest)) continue;
    largest = weight;
    selection.column = key;
  }
  Selecting(session).select(selection);
}

std::optional<std::size_t> stepped(const Session& session, int by) {
  const auto here = shown_layer(session);
  if (!here || !session.state().model) return std::nullopt;
  const auto there = static_cast<std::ptrdiff_t>(*here) + by;
  if (there < 0 || there >= std::ssize(session.state().model->layers)) return std::nullopt;
  return static_cast<std::size_t>(there);
}

}  // namespace

std::optional<std::size_t> shown_layer(const Session& session) {
  const auto& model = session.state().model;
  if (!model) return std::nullopt;
  const auto found = std::ranges::find_if(
      model->layers, [&](const ModelLayer& layer) { return is_of(layer, session.wanted().values); });
  if (found == model->layers.end()) return std::nullopt;
  return static_cast<std::size_t>(found - model->layers.begin());
}

namespace {

bool is_computed(const Session& session) { return session.setup().sizes.layers > 1; }

}  // namespace

std::size_t layer_count(const Session& session) {
  if (is_computed(session)) return session.model_trace().layers.size();
  return session.state().model ? session.state().model->layers.size() : 0;
}

std::optional<std::size_t> layer_at_hand(const Session& session) {
  return is_computed(session) ? static_cast<std::size_t>(session.setup().layer) : shown_layer(session);
}

std::string layer_name(const Session& session, std::size_t layer) {
  return is_computed(session) ? std::string() : session.state().model->layers[layer].name;
}

Index heads_of_layer(const Session& session, std::size_t layer) {
  return is_computed(session) ? session.setup().sizes.heads : session.state().model->layers[layer].layer.heads;
}

std::vector<Problem> go_to_layer(Session& session, std::size_t layer) {
  if (!is_computed(session)) return open_layer(session, layer);
  session.look_at_layer(static_cast<Index>(layer));
  return {};
}

std::vector<Problem> open_layers(Session& session, OpenModel model) {
  const auto before = session.state().model;
  const auto opened = std::make_shared<const OpenModel>(std::move(model));
  session.set_model(opened);
  std::vector<Problem> problems;
  constexpr int most_read = 16;  // the window waits for each
  int read = 0;
  for (std::size_t layer = 0; layer < opened->layers.size() && read < most_read; ++layer) {
    const std::vector<Problem> found = open_layer(session, layer);
    if (problems.empty()) problems = found;
    if (opened->layers[layer].layer.problems.empty()) ++read;
    if (!found.empty()) continue;
    session.when_shown([](Session& shown) {
      select_last_query(shown);
      shown.show(View::layers);
    });
    return {};
  }
  session.set_model(before);
  return problems;
}

std::vector<Problem> open_layer(Session& session, std::size_t layer) {
  try {
    const ModelLayer& opened = session.state().model->layers.at(layer);
    const Setup setup = layer_setup(opened, session.memory_limit());
    std::vector<Problem> problems = session.open_setup(setup, session.state().model);
    if (!problems.empty()) return problems;
    // What only a person can judge is said once, as soon as the numbers are shown.
    if (const auto remarks = opened.layer.remarks(); !remarks.empty())
      session.notify(fmt::format("{}", fmt::join(remarks, ". ")));
    if (!setup.has_attention_alone()) return problems;
    const std::string doubts = doubts_about_rows(setup.values.whole(TensorId::weights)->tensor());
    if (!doubts.empty()) session.notify(doubts);
    return problems;
  } catch (const InputError& error) {
    return error.problems();
  }
}

bool can_step_layer(const Session& session, int by) {
  const Setup& setup = session.wanted();
  if (setup.sizes.layers > 1) return setup.layer + by >= 0 && setup.layer + by < setup.sizes.layers;
  return stepped(session, by).has_value();
}

void step_layer(Session& session, int by) {
  if (const Setup& setup = session.wanted(); setup.sizes.layers > 1) {
    if (!can_step_layer(session, by)) return;
    session.look_at_layer(setup.layer + by);
    return session.notify(fmt::format("layer {} of {}, counted from 0", session.wanted().layer, setup.sizes.layers));
  }
  const auto there = stepped(session, by);
  if (!there) return;
  const auto problems = open_layer(session, *there);
  if (!problems.empty()) session.notify(problems.front().message());
}

}  // namespace headlight
