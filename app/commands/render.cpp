#include "app/commands/commands.hpp"
#include "app/commands/figure_options.hpp"
#include "app/figures/draw_figure.hpp"

namespace headlight {

int render(const What& what, const RenderOptions& options) {
  require_picture_ending(options.output);
  const Figure figure = figure_of(options);
  Session session = session_of(what, options, figure);
  write_figure(options.output, session, figure);
  return done;
}

}  // namespace headlight
