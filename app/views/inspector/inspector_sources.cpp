#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/inspector/inspector_parts.hpp"
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

Box sources_part(ViewContext& context, const Cell& shown) {
  const Session& session = context.session;
  const ModelTrace& model = session.model_trace();
  if (!session.setup().block.residual || session.lesson().asks()) return nothing();
  const auto cell = cell_with_parts(model, shown);
  if (!cell) return nothing();
  SourcesMemory& memory = context.memory.get<SourcesMemory>();
  const float width = static_cast<float>(session.display().appearance.inspector_width) - 2 * panel_padding;
  const auto places = static_cast<std::size_t>(std::clamp((width - room_for_names) / narrowest - 1, 2.0f, 6.0f));
  const PartsTable& table = memory.number.of(model, *cell, places, parts_of);
  if (table.rows.size() * table.columns.size() < 2) return nothing();
  const bool is_score = info(cell->tensor).rank == 4;
  Box choice = drawn({}, 28, [&memory, is_score](Ui& ui, const Rect& r) {
    const std::array<std::string_view, 2> choices{is_score ? "This score" : "This logit",
                                                  is_score ? "The whole head" : "All logits"};
    segmented(ui, "sources of", r, choices, memory.of_whole);
  });
  Box says = words(is_score ? "query's part down, key's part across" : "what each has written", TextStyle::caption,
                   context.ui.theme().text3);
  const auto of_table = [&](const auto& of, auto height) {
    return drawn({}, height,
                 [&context, &of, cell = *cell](Ui&, const Rect& r) { draw_sources_table(context, r, of, cell); });
  };
  const auto whole = [&] {
    const WholePartsTable& tiles =
        memory.whole.of(model, first_of(*cell), std::min<std::size_t>(places, 4), rows_of_sources);
    return of_table(tiles, [&tiles](float w) { return sources_height(tiles, w); });
  };
  return section(
      context, "By source",
      *cell == shown ? ""
      : is_score     ? "of its score"
                     : "of its logit",
      {std::move(choice), std::move(says), memory.of_whole == 0 ? of_table(table, sources_height(table)) : whole()});
}

}  // namespace headlight
