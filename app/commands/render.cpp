#include "app/commands/render.hpp"

#include "app/commands/exit_code.hpp"
#include "app/commands/progress_line.hpp"
#include "app/figures/draw_figure.hpp"

namespace headlight {

int render(const What& what, const RenderOptions& options) {
  require_picture_ending(options.output);
  const Figure figure = figure_of(options);
  ProgressLine progress(options.progress);
  Session session = session_of(what, options, figure, progress.part("computing", 0, 0.5));
  write_figure(options.output, session, figure, progress.part("drawing", 0.5, 1));
  return done;
}

}  // namespace headlight
