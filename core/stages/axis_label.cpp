#include "core/stages/axis_label.hpp"

#include <fmt/format.h>

#include "core/model/task.hpp"
#include "core/stages/table.hpp"

namespace headlight {
namespace {

/// x, y and p for what goes in, v for values, else q or k.
char letter_of(TensorId tensor, bool keys) {
  const TensorInfo& about = info(tensor);
  if (stage_of(tensor).phase == Phase::input) return static_cast<char>(about.symbol.front() | 0x20);
  if (!keys) return 'q';
  return about.role == Role::value ? 'v' : 'k';
}

bool names_positions(const Setup& setup, Axis axis) {
  if (!setup.is_cross()) return !setup.tokens.empty();
  if (axis == Axis::key) return !setup.key_tokens.empty();
  return axis == Axis::query && !setup.tokens.empty();
}

std::string numbered_head(Index head) { return fmt::format("head {}", head); }

std::string named(bool has_name, std::string name) { return has_name ? std::move(name) : std::string{}; }

}  // namespace

AxisLabel label_on_axis(TensorId tensor, int axis, Index place, const Setup& setup) {
  const Axis counts = info(tensor).axes[static_cast<std::size_t>(axis)];
  switch (counts) {
    case Axis::batch: return {"", fmt::format("item {}", place)};
    case Axis::head: return {named(!setup.head_names.empty(), setup.head_label(place)), numbered_head(place)};
    case Axis::kv_head: return {"", numbered_head(place)};
    case Axis::query:
    case Axis::key:
    case Axis::position: {
      const bool keys = counts == Axis::key;
      return {named(names_positions(setup, counts), keys ? setup.key_label(place) : setup.query_label(place)),
              fmt::format("{}{}", letter_of(tensor, keys), place)};
    }
    case Axis::d_model:
    case Axis::other_d_model:
      return {named(setup.names_features(), setup.feature_label(place)), fmt::format("d{}", place)};
    case Axis::answers: return {symbol_word(place % setup.task.symbols), fmt::format("d{}", place)};
    default: return {"", fmt::format("d{}", place)};
  }
}

std::string head_words(Index head, const Setup& setup) {
  return setup.head_names.empty() ? numbered_head(head) : setup.head_label(head);
}

}  // namespace headlight
