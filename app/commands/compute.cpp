#include <cstdio>

#include <fmt/format.h>

#include "app/commands/commands.hpp"
#include "core/engine.hpp"
#include "core/formats/npz.hpp"

namespace headlight {
namespace {

void report_blind_queries(const Trace& trace) {
  if (trace.blind_queries.empty()) return;
  const auto [batch, query] = trace.blind_queries.front();
  fmt::print(stderr, "headlight: note: {} of {} queries see no key (first: batch item {}, query {}); their weights are zeros\n",
             trace.blind_queries.size(), trace.setup.sizes.batch * trace.setup.sizes.query_length, batch, query);
}

}  // namespace

int compute(const What& what, const std::filesystem::path& output) {
  const Setup setup = setup_of(what);
  const auto trace = compute_trace(setup, what.memory_limit);
  write_npz(output, *trace);
  report_blind_queries(*trace);
  return done;
}

}  // namespace headlight
