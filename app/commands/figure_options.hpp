// The options that `headlight render` shares with the animations of `headlight export`.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/progress_line.hpp"
#include "app/commands/what.hpp"
#include "app/figures/figure.hpp"
#include "app/session/session.hpp"

namespace headlight {

struct RenderOptions {
  std::string view;               ///< "heads"; empty: the step's view, or the pipeline
  std::string tensor;             ///< empty: the step's tensor
  std::optional<Index> head;      ///< left out: the step's head
  std::optional<Index> batch;     ///< left out: the first batch item
  std::string cell;               ///< the cell to pin, "scores[0,1,2,0]"; empty: the step's cell
  std::vector<std::string> was;   ///< "sizes.heads=4": how state A of the compare view differs
  std::filesystem::path check;    ///< somebody's arrays, which the compare view checks; empty: none
  std::vector<std::string> show;  ///< "weights.range=min_max"; see display_entries.hpp
  std::vector<std::string> zoom;  ///< "rows=10..40"
  bool answer = false;            ///< what the step's question asks for shows
  std::string figure = "window";
  std::string play;           ///< "temperature=0.1..10": the number of the figure of a play; empty: the temperature
  std::string watch;          ///< what is watched over it; empty: the cell
  std::string size;           ///< "1440x900" in pixels, or "12cmx8cm"; empty: the figure chooses
  std::optional<double> dpi;  ///< pixels per inch, only for a size in centimetres
  double scale = 1;           ///< at 2 everything is drawn twice as large, in a picture of the same size
  std::string theme = "dark";
  bool transparent = false;
  bool progress = false;  ///< prints its progress, line by line
  std::filesystem::path output;
};

/// The words that --figure and --view take: "window, view or heatmap".
std::string figure_words();
std::string view_words();

/// The figure that the options describe. Throws InputError if an option is wrong, as do the two functions below.
Figure figure_of(const RenderOptions& options);

/// A session that shows WHAT as the options ask for it. `report` is told how much of it is computed.
Session session_of(const What& what, const RenderOptions& options, const Figure& figure, const Report& report);

/// Selects the view, head, batch item, tensor and cell that the options name. The others stay as they are.
void show_place(Session& session, const RenderOptions& options);

}  // namespace headlight
