#include "app/figures/handout/write_handout.hpp"

#include "app/figures/handout/handout_html.hpp"
#include "app/figures/handout/handout_pages.hpp"
#include "app/session/export/export_forms.hpp"
#include "core/formats/files.hpp"
#include "core/model/problem.hpp"

namespace headlight {
namespace {

const ExportForm& form_of(const std::filesystem::path& path) {
  if (const ExportForm* form = form_ending(FormKind::handout, path)) return *form;
  throw InputError({"-o", "", path.string(), "a file name that ends in " + endings_of(FormKind::handout)});
}

}  // namespace

void require_handout_ending(const std::filesystem::path& path) { form_of(path); }

void write_handout(const std::filesystem::path& path, Session& session, const HandoutOptions& options,
                   const std::function<void(double fraction)>& report) {
  const ExportForm& form = form_of(path);
  replaced_file(path);  // throws before anything is drawn if the file cannot be written
  const Handout handout = handout_of(session, options.notes, [&](double fraction) {
    if (report) report(0.9 * fraction);
  });
  write_file(path, form.name == "html" ? to_html(handout, options.paper) : to_pdf(handout, options.paper));
  if (report) report(1);
}

}  // namespace headlight
