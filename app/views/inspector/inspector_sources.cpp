#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/inspector/inspector_column.hpp"
#include "app/views/pictures/sources_picture.hpp"

namespace headlight {
namespace {

constexpr float room_for_names = 84;
constexpr float narrowest = 42;

/// A table of a cell, made once for each cell and state of the model.
template <class Table>
struct KeptTable {
  std::optional<Cell> cell;
  std::vector<std::uint64_t> versions;
  std::size_t most = 0;
  Table table;

  template <class Make>
  const Table& of(const ModelTrace& model, const Cell& wanted, std::size_t places, const Make& make) {
    std::vector<std::uint64_t> now;
    for (const auto& layer : model.layers) now.push_back(layer->version);
    if (cell == wanted && versions == now && most == places) return table;
    cell = wanted;
    versions = std::move(now);
    most = places;
    return table = table_of(make(model, wanted), places);
  }
};

/// The first number of the cell's head, or of its batch item's logits.
Cell first_of(Cell cell) {
  cell.index[cell.index.rank() - 2] = 0;
  cell.index[cell.index.rank() - 1] = 0;
  return cell;
}

struct SourcesMemory {
  KeptTable<PartsTable> number;
  KeptTable<WholePartsTable> whole;
  int of_whole = 0;  ///< 1: the head's, or the logits', in place of the number's
};

}  // namespace

void draw_sources(Column& column, const Cell& shown) {
  const Session& session = column.context.session;
  const ModelTrace& model = session.model_trace();
  if (!session.setup().block.residual || session.lesson().asks()) return;
  const auto cell = cell_with_parts(model, shown);
  if (!cell) return;
  SourcesMemory& memory = column.context.memory.get<SourcesMemory>();
  const auto places = static_cast<std::size_t>(std::clamp((column.width - room_for_names) / narrowest - 1, 2.0f, 6.0f));
  const PartsTable& table = memory.number.of(model, *cell, places, parts_of);
  if (table.rows.size() * table.columns.size() < 2) return;
  const bool is_score = info(cell->tensor).rank == 4;
  draw_section(column, "By source", *cell == shown ? "" : is_score ? "of its score" : "of its logit");
  const std::array<std::string_view, 2> choices{is_score ? "This score" : "This logit",
                                                is_score ? "The whole head" : "All logits"};
  segmented(column.context.ui, "sources of", column.row(28), choices, memory.of_whole);
  const Canvas canvas = column.context.ui.canvas();
  canvas.text_in(column.row(22), is_score ? "query's part down, key's part across" : "what each has written",
                 TextStyle::caption, canvas.theme().text3);
  if (memory.of_whole == 0) return draw_sources_table(column.context, column.row(sources_height(table)), table, *cell);
  const Cell whole = first_of(*cell);
  const WholePartsTable& tiles = memory.whole.of(model, whole, std::min<std::size_t>(places, 4), rows_of_sources);
  draw_sources_table(column.context, column.row(sources_height(tiles, column.width)), tiles, *cell);
}

}  // namespace headlight
