// The options of render, export and handout that are choices of an export, and the job that they describe.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/commands/progress_line.hpp"
#include "app/commands/what.hpp"
#include "app/session/export/export_job.hpp"
#include "app/session/session.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace headlight {

/// The text typed for each export choice, by the name of its entry.
using TypedChoices = std::map<std::string, ControlInput, std::less<>>;

/// Adds the options of these export choices.
std::vector<CLI::Option*> add_choices(CLI::App& app, ChoiceOf of, TypedChoices& typed);
/// The choices with what was typed. Throws InputError if it is not allowed.
ExportChoices with_typed(ExportChoices choices, const TypedChoices& typed);

struct RenderOptions {
  std::string view;               ///< "heads"; empty: the step's view, or the pipeline
  std::string tensor;             ///< empty: the step's tensor
  std::optional<Index> head;      ///< left out: the step's head
  std::optional<Index> batch;     ///< left out: the first batch item
  std::string cell;               ///< the cell to pin, "scores[0,1,2,0]"; empty: the step's cell
  std::string draft;              ///< what the view write has written, "3,0,0.8,2,trivial"; empty: nothing yet
  std::vector<std::string> was;   ///< "sizes.heads=4": how state A of the compare view differs
  std::filesystem::path check;    ///< the user's arrays, which the compare view checks; empty: none
  std::vector<std::string> show;  ///< "weights.range=min_max"; see display_entries.hpp
  std::vector<std::string> zoom;  ///< "rows=10..40"
  bool answer = false;            ///< what the step's question asks for shows
  std::string figure = "window";
  std::string size;       ///< "1440x900" in pixels, or "12cmx8cm"; empty: the figure chooses
  TypedChoices choices;   ///< how it looks; also digits of a table, and frames of an animation
  bool progress = false;  ///< prints its progress, line by line
  std::filesystem::path output;
};

/// The words that --figure and --view take: "window, view or heatmap".
std::string figure_words();
std::string view_words();

/// The choices for a picture, or for an animation of it. Throws InputError if an option is wrong, as do the three
/// functions below.
ExportChoices choices_of(const RenderOptions& options, bool animated);

/// A session that shows WHAT as the options ask for it. `report` gets the progress.
Session session_of(const What& what, const RenderOptions& options, const ExportChoices& choices, const Report& report);

/// The job to draw what the session shows.
ExportJob job_of(const Session& session, const RenderOptions& options, const ExportChoices& choices);

/// Selects the view, head, batch item, tensor and cell that the options name. The others stay as they are.
void select_named(Session& session, const RenderOptions& options);

}  // namespace headlight
