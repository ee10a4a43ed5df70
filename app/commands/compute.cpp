#include "app/commands/compute.hpp"

#include <cstdio>

#include <fmt/format.h>

#include "app/commands/exit_code.hpp"
#include "core/engine/learning_curve.hpp"
#include "core/formats/arrays/npz.hpp"

namespace headlight {
namespace {

void report_blind_queries(const Trace& trace) {
  if (trace.blind_queries.empty()) return;
  const auto [batch, query] = trace.blind_queries.front();
  fmt::print(stderr,
             "headlight: note: {} of {} queries see no key (first: batch item {}, query {}); their weights are zeros\n",
             trace.blind_queries.size(), trace.setup.sizes.batch * trace.setup.sizes.query_length, batch, query);
}

void report_explosion(const Trace& trace) {
  if (trace.learning == nullptr || !trace.learning->exploded_at) return;
  fmt::print(stderr, "headlight: note: {}\n", words_of_explosion(*trace.learning->exploded_at));
}

}  // namespace

int compute(const What& what, const std::filesystem::path& output) {
  ProgressLine progress(false);
  const auto trace = trace_of(what, progress.part("computing", 0, 0.5));
  write_npz(output, *trace, progress.part("writing", 0.5, 1));
  report_blind_queries(*trace);
  report_explosion(*trace);
  return done;
}

}  // namespace headlight
