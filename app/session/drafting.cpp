#include "app/session/drafting.hpp"

#include <algorithm>

#include "app/session/session.hpp"
#include "core/setup/checks.hpp"
#include "core/setup/edits.hpp"

namespace headlight {

DraftSymbols drafted(const Session& session) {
  return symbols_of(session.state().draft, session.setup(), session.selection().batch);
}

bool writes(const Session& session) {
  return session.display().view == View::write && why_silent(session.setup()).empty();
}

void Drafting::set(const Draft& draft, std::string_view gesture) {
  if (draft == session_.state_.draft) return;
  session_.change([&](SessionState& state) { state.draft = draft; });
  session_.history_.record(session_.entry(), gesture);
}

void Drafting::restore(const Draft& draft) {
  session_.change([&](SessionState& state) { state.draft = draft; });
  session_.history_.replace(session_.entry());
}

void Drafting::write(std::int64_t symbol, std::string_view gesture) {
  const DraftSymbols before = drafted(session_);
  session_.change([&](SessionState& state) { state.symbols_owed = std::max<Index>(state.symbols_owed - 1, 0); });
  if (!before.goes_on()) return owe(0);
  const Setup& setup = session_.setup();
  Draft next = session_.state_.draft;
  next.prompt = prompt_of(next, setup, session_.selection().batch);
  // What doesn't fit the model's text or window is no part of what goes on.
  DraftSymbols kept = before;
  kept.read.erase(kept.read.begin() + 1, kept.read.begin() + 1 + kept.prompt);
  next.written = text_of(kept, setup) + setup.task.corpus().character(symbol);
  set(next, gesture);
  if (!drafted(session_).goes_on()) owe(0);
}

void Drafting::take_back() {
  owe(0);
  const DraftSymbols before = drafted(session_);
  Draft next = session_.state_.draft;
  if (before.ended) {
    next.written.pop_back();
  } else if (before.written() > 0) {
    const std::string last = session_.setup().task.corpus().character(before.read.back());
    next.written.erase(next.written.size() - last.size());
  }
  set(next);
}

void Drafting::begin_another() {
  owe(0);
  Draft next = session_.state_.draft;
  next.written.clear();
  if (takes_seed(session_.setup().random.generator, next.seed + 1)) ++next.seed;
  set(next);
}

void Drafting::owe(Index symbols) {
  session_.end_gesture();
  session_.change([&](SessionState& state) { state.symbols_owed = symbols; });
}

void Drafting::explain() {
  const Setup wanted = session_.wanted();
  const std::string text = text_of(drafted(session_), session_.setup());
  Setup next = wanted;
  if (next.task.shown.empty()) {
    // Texts that are drawn come before those that the model learns with, which would be others without them.
    next = going_on_from(next, session_.model_trace());
    next.sizes.batch = 1;
    next.task.shown = {text};
  } else {
    next.task.shown.at(static_cast<std::size_t>(session_.selection().batch)) = text;
  }
  Draft draft = session_.state_.draft;
  draft.prompt = prompt_of(draft, session_.setup(), session_.selection().batch);
  session_.change([&](SessionState& state) { state.draft = draft; });
  if (const auto problems = session_.edit(next); !problems.empty()) session_.notify(problems.front().message());
}

}  // namespace headlight
