#include "app/commands/render.hpp"

#include "app/commands/exit_code.hpp"
#include "app/commands/progress_line.hpp"
#include "app/figures/draw_figure.hpp"

namespace headlight {

void draw_job(const std::filesystem::path& output, Session& session, const ExportJob& job, const ShowAgain& show_again,
              const Report& report) {
  const Figure figure = figure_of(job);
  Display display = session.display();
  display.appearance.theme = figure.theme;
  display.appearance.scale = figure.scale;
  session.set_display(display);
  if (job.choices.what == ExportWhat::animation) write_animation(output, session, job, show_again, report);
  else write_figure(output, session, figure, report);
}

int render(const What& what, const RenderOptions& options) {
  require_picture_ending(options.output);
  const ExportChoices choices = choices_of(options, false);
  ProgressLine progress(options.progress);
  Session session = session_of(what, options, choices, progress.part("computing", 0, 0.5));
  draw_job(options.output, session, job_of(session, options, choices), {}, progress.part("drawing", 0.5, 1));
  return done;
}

}  // namespace headlight
