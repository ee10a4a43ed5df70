#include "app/views/setup/random_section.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/session/edits/setup_edits.hpp"
#include "app/views/setup/draws_section.hpp"
#include "core/model/shapes.hpp"

namespace headlight {
namespace {

std::string_view words_of(Distribution distribution) {
  switch (distribution) {
    case Distribution::uniform: return "uniform [0, 1)";
    case Distribution::normal: return "normal";
    case Distribution::zeros: return "zeros";
    case Distribution::linear: return "nn.Linear";
    case Distribution::xavier_uniform: return "xavier uniform";
  }
  return "";
}

/// Tensors that share one control for their distribution, and the distributions that it offers.
struct Group {
  std::string_view key;
  std::string_view label;
  std::vector<TensorId> tensors;
  std::vector<Distribution> choices;
};

/// The distribution of a tensor. A bias without a draw of its own comes with its weight if that is drawn as nn.Linear.
Distribution drawn_as(const Setup& setup, TensorId id) {
  if (const auto own = distribution_of(setup, id)) return *own;
  const auto weight = info(id).weight;
  const bool with_weight = weight && distribution_of(setup, *weight) == Distribution::linear;
  return with_weight ? Distribution::linear : Distribution::zeros;
}

/// The distribution of all tensors of the group, or nothing if they differ.
std::optional<Distribution> drawn_as(const Setup& setup, const Group& group) {
  const Distribution first = drawn_as(setup, group.tensors.front());
  for (TensorId id : group.tensors)
    if (drawn_as(setup, id) != first) return std::nullopt;
  return first;
}

std::string words_of(const Setup& setup, const Group& group) {
  const auto distribution = drawn_as(setup, group);
  return std::string(distribution ? words_of(*distribution) : "mixed");
}

/// The distribution of each tensor, for the tooltip.
std::string details(const Setup& setup, const Group& group) {
  std::string text;
  for (TensorId id : group.tensors)
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", name(id), words_of(drawn_as(setup, id)));
  return text;
}

Setup with_group(const Setup& setup, const Group& group, Distribution distribution) {
  Setup edited = setup;
  for (TensorId id : group.tensors) edited = with_distribution(edited, id, distribution);
  return edited;
}

Setup with_group_of(const Setup& lecture, const Setup& own, const Group& group) {
  Setup edited = own;
  for (TensorId id : group.tensors) edited = with_distribution(edited, id, drawn_as(lecture, id));
  return edited;
}

void draw_group(SetupRows& rows, const Group& group) {
  const auto chosen = drawn_as(rows.setup(), group);
  std::vector<std::string> items;
  int index = -1;
  for (Distribution choice : group.choices) {
    if (choice == chosen) index = static_cast<int>(items.size());
    items.emplace_back(words_of(choice));
  }
  if (index < 0) {
    index = static_cast<int>(items.size());
    items.push_back(words_of(rows.setup(), group));
  }
  const auto lecture = rows.changed(
      group.key, [&](const Setup& setup) { return words_of(setup, group); },
      [&rows, group](const Setup& theirs) { return with_group_of(theirs, rows.setup(), group); });
  rows.row(
      {.key = group.key, .label = group.label, .control_width = choice_width, .tooltip = details(rows.setup(), group)},
      lecture, [&](const Rect& r) {
        if (!select(rows.ui(), group.key, r, items, index) || index >= static_cast<int>(group.choices.size())) return;
        rows.edit(group.key, with_group(rows.setup(), group, group.choices[static_cast<std::size_t>(index)]));
      });
}

std::vector<Distribution> plain_choices() { return {Distribution::uniform, Distribution::normal, Distribution::zeros}; }

std::vector<Distribution> weight_choices(const Setup& setup) {
  if (setup.random.generator != GeneratorKind::torch) return plain_choices();
  return {Distribution::uniform, Distribution::normal, Distribution::zeros, Distribution::linear,
          Distribution::xavier_uniform};
}

// --- Generator and seed --------------------------------------------------------------------------------------------

void draw_generator(SetupRows& rows) {
  constexpr std::array<std::string_view, 3> names{"NumPy", "Torch", "rng"};
  rows.choice(
      {.key = "random.generator",
       .label = "Generator",
       .control_width = choice_width,
       .tooltip =
           "NumPy: np.random.seed. Torch: torch.manual_seed, on the CPU. rng: NumPy's np.random.default_rng. The "
           "same numbers as theirs"},
      names, [](const Setup& setup) { return static_cast<int>(setup.random.generator); },
      [&](int index) { return with_generator(rows.setup(), static_cast<GeneratorKind>(index)); });
}

std::string seed_text(const Setup& setup) {
  const auto seed = first_seed(setup);
  return seed ? std::to_string(*seed) : std::string{};
}

Parsed parse_seed(const Setup& base, const std::string& text) {
  std::int64_t seed = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, seed);
  if (error != std::errc{} || stop != end) return {{}, fmt::format("found \"{}\"; allowed: a whole number", text)};
  return {with_seed(base, seed), {}};
}

/// Another seed, short enough to be read out to a class.
std::int64_t thrown_seed(const Setup& setup) {
  constexpr std::int64_t seeds = 10'000;
  std::random_device device;
  const auto seed = static_cast<std::int64_t>(device() % seeds);
  return seed == first_seed(setup) ? (seed + 1) % seeds : seed;
}

void draw_seed(SetupRows& rows) {
  const auto lecture = rows.changed(
      "seed", [](const Setup& setup) { return first_seed(setup) ? seed_text(setup) : "none"; },
      [&rows](const Setup& theirs) { return with_seed(rows.setup(), first_seed(theirs).value_or(0)); });
  rows.row({.key = "seed", .label = "Seed", .control_width = 124}, lecture, [&](Rect r) {
    const Rect dice = r.cut_right(28);
    r.cut_right(6);
    rows.number_text(r, "seed", seed_text(rows.setup()), {.hint = "none", .step = stepped_seed}, parse_seed);
    if (icon_button(rows.ui(), "dice", dice, Icon::dice, {.tooltip = "Another seed", .keys = "D"}))
      rows.edit("seed", with_seed(rows.setup(), thrown_seed(rows.setup())));
  });
}

void draw_biases(SetupRows& rows) {
  const auto lecture = rows.changed(
      "biases", [](const Setup& setup) { return std::string(has_biases(setup) ? "on" : "off"); },
      [&rows](const Setup& theirs) { return with_biases(rows.setup(), has_biases(theirs)); });
  rows.row({.key = "biases", .label = "Biases", .control_width = toggle_width}, lecture, [&](const Rect& r) {
    bool on = has_biases(rows.setup());
    if (toggle(rows.ui(), "biases", {r.x, r.y + 5}, on)) rows.edit("biases", with_biases(rows.setup(), on));
  });
  if (has_biases(rows.setup()))
    draw_group(rows, {"bias distribution", "Biases b", tensors_of(TensorKind::bias), plain_choices()});
}

}  // namespace

void draw_random_section(SetupRows& rows) {
  rows.section(SetupTopic::random, "Random");
  draw_generator(rows);
  draw_seed(rows);
  for (TensorId input : tensors_of(TensorKind::input)) {
    const std::string label = fmt::format("Input {}", name(input));
    if (exists(input, rows.setup()) && is_drawn(input, rows.setup()))
      draw_group(rows, {name(input), label, {input}, plain_choices()});
  }
  if (exists(TensorId::P, rows.setup()) && is_drawn(TensorId::P, rows.setup()))
    draw_group(rows, {"P", "Positions P", {TensorId::P}, plain_choices()});
  draw_group(rows, {"W", "Weights W", tensors_of(TensorKind::weight), weight_choices(rows.setup())});
  draw_biases(rows);
  draw_draws(rows);
  rows.end_section();
}

}  // namespace headlight
