#include "app/session/checking.hpp"

#include <utility>

#include "app/session/practice.hpp"
#include "app/session/session.hpp"

namespace headlight {

bool takes_work(const Session& session) {
  if (practice_of(session) != nullptr) return true;
  const bool nothing_to_compare = session.state().checking.reference.empty();
  return session.display().view == View::compare && (session.state().checking.work().shown || nothing_to_compare);
}

void Checking::set_reference() {
  session_.change([](SessionState& state) { state.checking.reference = state.layers; });
}

void Checking::show_states() {
  CheckedWork work = session_.state().checking.work();
  if (!std::exchange(work.shown, false)) return;
  set_work(std::move(work));
}

void Checking::clear_reference() {
  session_.change([](SessionState& state) { state.checking.reference = {}; });
}

void Checking::set_work(CheckedWork work) {
  session_.change([&](SessionState& state) {
    state.checking.own = std::move(work);
    state.checking.instead_of_step = true;
  });
}

void Checking::restore(const KeptWork& kept) {
  set_work(read_again(kept));
  session_.change([&](SessionState& state) { state.checking.instead_of_step = kept.instead_of_step; });
}

}  // namespace headlight
