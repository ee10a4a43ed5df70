#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "app/session/session.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/inspector/inspector_column.hpp"
#include "app/views/pictures/sources_picture.hpp"

namespace headlight {
namespace {

constexpr float room_for_names = 84;
constexpr float narrowest = 42;

/// The table of a number, made once for each cell and state of the model.
struct KeptSources {
  std::optional<Cell> cell;
  std::vector<std::uint64_t> versions;
  std::size_t most = 0;
  PartsTable table;

  const PartsTable& of(const ModelTrace& model, const Cell& wanted, std::size_t places) {
    std::vector<std::uint64_t> now;
    for (const auto& layer : model.layers) now.push_back(layer->version);
    if (cell == wanted && versions == now && most == places) return table;
    cell = wanted;
    versions = std::move(now);
    most = places;
    return table = table_of(parts_of(model, wanted), places);
  }
};

}  // namespace

void draw_sources(Column& column, const Cell& shown) {
  const Session& session = column.context.session;
  const ModelTrace& model = session.model_trace();
  if (!session.setup().block.residual || session.lesson().asks()) return;
  const auto cell = cell_with_parts(model, shown);
  if (!cell) return;
  const auto places = static_cast<std::size_t>(std::clamp((column.width - room_for_names) / narrowest - 1, 2.0f, 6.0f));
  const PartsTable& table = column.context.memory.get<KeptSources>().of(model, *cell, places);
  if (table.rows.size() * table.columns.size() < 2) return;
  const bool is_score = info(cell->tensor).rank == 4;
  draw_section(column, "By source", *cell == shown ? "" : is_score ? "of its score" : "of its logit");
  const Canvas canvas = column.context.ui.canvas();
  canvas.text_in(column.row(20), is_score ? "query's part down, key's part across" : "what each has written",
                 TextStyle::caption, canvas.theme().text3);
  draw_sources_table(column.context, column.row(sources_height(table)), table, *cell);
}

}  // namespace headlight
