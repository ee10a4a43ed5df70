#include "app/commands/handout.hpp"

#include "app/commands/exit_code.hpp"
#include "app/commands/progress_line.hpp"
#include "app/commands/session_of.hpp"
#include "app/figures/handout/write_handout.hpp"

namespace headlight {
namespace {

Paper parse_paper(const std::string& name) {
  if (const auto paper = paper_named(name)) return *paper;
  throw InputError({"--paper", "", name, "a4 or letter"});
}

}  // namespace

int write_handout(const What& what, const HandoutArguments& arguments) {
  require_handout_ending(arguments.output);
  const HandoutOptions options{parse_paper(arguments.paper), arguments.notes};
  ProgressLine progress(arguments.progress);
  Session session = session_of(what, progress.part("computing", 0, 0.1));
  write_handout(arguments.output, session, options, progress.part("drawing", 0.1, 1));
  return done;
}

}  // namespace headlight
