// Beside all layers: the selected head, large, and the same cell of the same head in every layer.
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "app/session/actions/actions.hpp"
#include "app/session/model/open_layer.hpp"
#include "app/session/selecting.hpp"
#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/views/base/frame_tools.hpp"
#include "app/views/base/perform.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/base/views.hpp"
#include "app/views/layers/layers_study.hpp"
#include "app/views/tensors/asked_cells.hpp"
#include "app/views/tensors/range_bar.hpp"
#include "app/views/tensors/tensor_picture.hpp"
#include "app/views/tensors/whole_picture.hpp"

namespace headlight {
namespace {

constexpr float padding = 20;
constexpr float layer_row = 24;
constexpr float foot = 92;

class LayersPanel : FrameTools {
 public:
  LayersPanel(ViewContext& context, const Rect& area)
      : FrameTools(context), study_(context.memory.get<LayersStudy>()), area_(area), shown_(layer_at_hand(session_)) {}

  void draw() {
    Rect rest = area_.inset(padding, 0);
    const Rect range = rest.cut_bottom(foot);
    draw_title(rest.cut_top(48));
    draw_picture(rest.cut_top(std::min(rest.w, rest.h * 0.5f)));
    draw_enter(rest.cut_top(52));
    draw_same_cell(rest);
    draw_range(range);
  }

 private:
  Selection selected_weights() const {
    Selection selection = session_.selection();
    if (selection.tensor != TensorId::weights) selection = on_tensor(selection, TensorId::weights, session_.setup());
    return selection;
  }

  const LayerGlance* own_glance() const { return shown_ ? study_.glance(*shown_) : nullptr; }

  void draw_title(const Rect& row) {
    const Index head = session_.selection().head;
    const std::string title = shown_ ? fmt::format("layer {}, head {}", *shown_, head) : fmt::format("head {}", head);
    canvas_.text_in(row, title, TextStyle::heading, theme_.text);
    const LayerGlance* const glance = asks_about(session_, TensorId::weights) ? nullptr : own_glance();
    if (glance == nullptr || head >= static_cast<Index>(glance->captions.size())) return;
    canvas_.text_in(row, glance->captions[static_cast<std::size_t>(head)].words, TextStyle::control_strong,
                    theme_.text2, Align::right);
  }

  void draw_picture(const Rect& area) {
    const Selection here = selected_weights();
    TensorPicture picture = picture_of(context_, TensorId::weights, here.batch, here.head);
    draw_tensor_picture(context_, "head", area, picture, {.cells = {.numbers = true}});
  }

  void draw_enter(Rect row) {
    const Action& enter = *action_named("model.enter");
    row = Rect{row.x, row.y + 12, row.w, 30};
    const bool by_key = ui_.take_key(Key::enter);
    if (button(ui_, "enter", row, "Go into this head", {.kind = ButtonKind::primary, .keys = "Enter"}) || by_key)
      perform(context_, enter);
  }

  void draw_same_cell(Rect rest) {
    const Selection here = selected_weights();
    const Setup& setup = session_.setup();
    canvas_.fill({area_.x, rest.y, area_.w, 1}, theme_.line);
    const Rect title = rest.cut_top(38);
    canvas_.text_in(title, "The same head and cell", TextStyle::control_strong, theme_.text);
    const std::string query = setup.query_label(here.row), key = setup.key_label(here.column);
    const Run words[] = {{query, TextStyle::control_strong, theme_.query, Script::normal, 5},
                         {"looks at", TextStyle::control, theme_.text2, Script::normal, 5},
                         {key, TextStyle::control_strong, theme_.key}};
    if (canvas_.width(std::span<const Run>(words)) < title.w - 170)
      canvas_.rich({title.right(), title.center().y + 5}, std::span<const Run>(words), Align::right);
    const ScrollArea scroll(ui_, "same cell", {area_.x, rest.y, area_.w, rest.h},
                            layer_row * static_cast<float>(study_.count()), theme_.panel);
    for (std::size_t layer = 0; layer < study_.count(); ++layer) {
      const Rect row{rest.x, scroll.content().y + layer_row * static_cast<float>(layer), rest.w, layer_row};
      if (row.bottom() < rest.y || row.y > rest.bottom()) continue;
      ui_.push_id(static_cast<int>(layer));
      draw_layer(row, layer, here);
      ui_.pop_id();
    }
  }

  void draw_layer(Rect row, std::size_t layer, const Selection& here) {
    const Item item = ui_.item("layer", row);
    const bool own = shown_ == layer;
    ui_.say_control(item, fmt::format("layer {}", layer), "button", own ? "shown" : "");
    const Rect ground{row.x - 8, row.y, row.w + 16, row.h};
    if (own) canvas_.fill(ground, theme_.raised, 4);
    else if (item.hovered) canvas_.fill(ground, theme_.hover, 4);
    if (item.clicked && !own) go_to_layer(session_, layer);
    canvas_.text_in(row.cut_left(62), fmt::format("layer {}", layer),
                    own ? TextStyle::control_strong : TextStyle::control, own ? theme_.text : theme_.text2);
    const bool computed = session_.setup().sizes.layers > 1;
    if (computed && asks_about(session_, TensorId::weights, session_.model_trace().layers[layer]->setup))
      return note(row, "?");
    const LayerGlance* const glance = study_.glance(layer);
    if (glance == nullptr) return note(row, "still to be computed");
    if (!glance->problem.empty()) return note(row, "not computed");
    const Shape& shape = glance->weights.shape();
    if (here.head >= shape[0] || here.row >= shape[1] || here.column >= shape[2]) return note(row, "no such cell");
    const double weight = glance->weights.at({here.head, here.row, here.column});
    const double multiple = glance->multiples.at({here.head, here.row, here.column});
    canvas_.text_in(row.cut_right(46), fmt::format("×{:.{}f}", multiple, multiple < 0.95 ? 1 : 0), TextStyle::code,
                    theme_.text3, Align::right);
    canvas_.text_in(row.cut_right(52), fmt::format("{:.3f}", weight), TextStyle::mono, theme_.text, Align::right);
    const Rect bar{row.x, row.center().y - 6, std::max(1.5f, row.w * static_cast<float>(weight)), 12};
    canvas_.fill(
        bar, positive_colors(theme_, ColorMapName::weights).at(static_cast<float>(std::clamp(weight, 0.25, 1.0))), 2);
  }

  void note(const Rect& row, std::string_view words) { canvas_.text_in(row, words, TextStyle::control, theme_.text3); }

  void draw_range(Rect area) {
    canvas_.fill({area_.x, area.y, area_.w, 1}, theme_.line);
    const ColorScale scale = scale_of_layers(context_, study_);
    area.cut_top(10);
    draw_range_choice(context_, area.cut_top(28), TensorId::weights, scale);
    area.cut_top(10);
    draw_range_bar(context_, area.cut_top(34), TensorId::weights, scale);
  }

  LayersStudy& study_;
  Rect area_;
  std::optional<std::size_t> shown_;
};

}  // namespace

void draw_layers_panel(ViewContext& context, Rect area) {
  if (layer_count(context.session) > 0) LayersPanel(context, area).draw();
}

}  // namespace headlight
