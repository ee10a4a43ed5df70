#include "app/session/selecting.hpp"

#include <algorithm>
#include <cmath>

#include "app/session/session.hpp"
#include "core/stages/explain.hpp"

namespace headlight {

void Selecting::hover(const std::optional<Cell>& cell) {
  const bool inside = cell && cell->layer == session_.setup().layer && contains(session_.setup(), *cell);
  session_.change([&](SessionState& state) { state.hovered = inside ? cell : std::nullopt; });
}

void Selecting::pin(const Cell& cell) {
  if (!contains(session_.setup(), cell)) return;
  if (cell.layer != session_.setup().layer) {
    session_.look_at_layer(cell.layer);
    return session_.when_shown([cell](Session& shown) {
      if (shown.setup().layer == cell.layer) Selecting(shown).pin(cell);
    });
  }
  const Question* const question = session_.lesson().asks() ? session_.lesson().question() : nullptr;
  // A cell to be found may be in what the step's tensor is made from: the picture of the step stays.
  if (question != nullptr && question->kind == Question::Kind::find)
    if (const auto found = choice_at(*question, cell, session_.setup()))
      return session_.change([&](SessionState& state) { state.lesson.guess(static_cast<double>(*found)); });
  session_.choose(at_cell(session_.selection(), cell, session_.setup()), true);
  const Pin pin{session_.selection(), cell.layer};
  if (session_.pins_.empty() || session_.pins_.current() != pin) session_.pins_.visit(pin);
}

void Selecting::pin() { pin(session_.cell()); }

void Selecting::release() {
  session_.change([](SessionState& state) { state.pinned = false; });
}

void Selecting::select(const Selection& selection) { session_.choose(selection, session_.state_.pinned); }

void Selecting::select_tensor(TensorId tensor) { select(on_tensor(session_.selection(), tensor, session_.setup())); }

void Selecting::look_at(TensorId tensor) {
  if (shown_in(session_.display().view, tensor) != tensor) session_.show(View::pipeline);
  select_tensor(tensor);
}

void Selecting::select_head(Index head) {
  Selection next = session_.selection();
  next.head = head;
  select(next);
}

void Selecting::select_batch(Index batch) {
  Selection next = session_.selection();
  next.batch = batch;
  select(next);
}

void Selecting::step_head(int direction) {
  const Index heads = session_.setup().sizes.heads;
  const Index selected = session_.selection().head;
  Index head = selected;
  do {
    head = (head + direction + heads) % heads;
  } while (session_.display().heads.hides(head) && head != selected);
  select_head(head);
}

void Selecting::move(Direction direction) { select(moved(session_.selection(), direction, session_.setup())); }

void Selecting::go_back() {
  if (session_.pins_.can_go_back()) return_to(session_.pins_.go_back());
}

void Selecting::go_forward() {
  if (session_.pins_.can_go_forward()) return_to(session_.pins_.go_forward());
}

void Selecting::return_to(const Pin& pin) {
  session_.look_at_layer(std::min(pin.layer, session_.wanted().sizes.layers - 1));
  session_.when_shown([pin](Session& shown) { shown.choose(pin.selection, true); });
}

bool Selecting::walk_to(const std::optional<Cell>& next) {
  if (!next) return false;
  pin();
  pin(*next);
  return true;
}

bool Selecting::walk_upstream() { return walk_to(upstream_of(session_.trace_of(session_.cell()), session_.cell())); }

bool Selecting::walk_downstream() {
  return walk_to(downstream_of(session_.trace_of(session_.cell()), session_.cell()));
}

std::optional<Cell> upstream_of(const Trace& trace, const Cell& cell) {
  const Explanation explanation = explain(trace, cell);
  for (const SoftmaxEntry& entry : explanation.softmax_row) {
    if (entry.score.index == cell.index) return entry.score;
  }
  std::optional<Cell> source;
  double largest = -1;
  for (const Term& term : explanation.terms) {
    const double weight = std::isnan(term.value) ? 0 : std::abs(term.value);
    const auto link = std::ranges::find_if(term.factors, [](const Factor& factor) { return factor.cell.has_value(); });
    if (weight <= largest || link == term.factors.end()) continue;
    source = link->cell;
    largest = weight;
  }
  return source;
}

std::optional<Cell> downstream_of(const Trace& trace, const Cell& cell) {
  const Explanation explanation = explain(trace, cell);
  if (explanation.goes_into.empty()) return std::nullopt;
  return explanation.goes_into.front().first;
}

}  // namespace headlight
