#include "app/commands/handout.hpp"

#include <fmt/format.h>

#include "app/commands/exit_code.hpp"
#include "app/commands/progress_line.hpp"
#include "app/commands/session_of.hpp"
#include "app/figures/handout/handout_html.hpp"
#include "app/session/export/export_choices.hpp"
#include "core/formats/files.hpp"

namespace headlight {
namespace {

void require_html(const std::filesystem::path& file) {
  if (form_ending(FormKind::handout, file) != nullptr) return;
  std::string allowed = "a file name that ends in " + endings_of(FormKind::handout);
  if (file.extension() == ".pdf")
    allowed += fmt::format(": write {} and print it from a browser",
                           std::filesystem::path(file).replace_extension(".html").string());
  throw InputError({"-o", "", file.string(), allowed});
}

}  // namespace

int write_handout(const What& what, const HandoutArguments& arguments) {
  require_html(arguments.output);
  const ExportChoices choices = with_typed({}, arguments.choices);
  ProgressLine progress(arguments.progress);
  Session session = session_of(what, progress.part("computing", 0, 0.1));
  replaced_file(arguments.output);  // throws before anything is drawn if the file cannot be written
  const Handout handout = handout_of(session, choices.notes, progress.part("drawing", 0.1, 1));
  write_file(arguments.output, to_html(handout, choices.paper));
  return done;
}

}  // namespace headlight
