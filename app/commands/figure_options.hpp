// The options that render and the animations of export share.
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
  std::string view;               ///< empty: the step's, or the pipeline
  std::string tensor;             ///< empty: the step's
  std::optional<Index> head;      ///< left out: the step's
  std::optional<Index> batch;     ///< left out: the first
  std::string cell;               ///< "scores[0,1,2,0]", pinned; empty: the step's
  std::vector<std::string> was;   ///< "sizes.heads=4": what state A of the compare view has instead
  std::vector<std::string> show;  ///< "weights.range=min_max", as in display_settings.hpp
  std::vector<std::string> zoom;  ///< "rows=10..40"
  std::string figure = "window";
  std::string size;           ///< "1440x900" pixels, or "12cmx8cm"; empty: as the figure likes to be
  std::optional<double> dpi;  ///< for sizes in centimetres
  double scale = 1;           ///< at 2 everything is twice as large, in a picture of the size that is given
  std::string theme = "dark";
  bool transparent = false;
  bool progress = false;  ///< says how far it is, line by line
  std::filesystem::path output;
};

/// "window, view or heatmap": what --figure and --view take.
std::string figure_words();
std::string view_words();

/// The figure that is asked for. Throws InputError, as the functions below.
Figure figure_of(const RenderOptions& options);

/// WHAT as the figure shows it; `report` is told how much of it is computed.
Session session_of(const What& what, const RenderOptions& options, const Figure& figure, const Report& report);

/// The view, head, tensor and cell that the options name; what they leave open stays.
void show_place(Session& session, const RenderOptions& options);

}  // namespace headlight
