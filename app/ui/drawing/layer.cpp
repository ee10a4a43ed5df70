#include "app/ui/drawing/layer.hpp"

#include <string>

#include "app/ui/drawing/imgui_types.hpp"

namespace headlight {

Layer::Layer(Ui& ui, std::string_view id, const Rect& r) : ui_(ui) {
  const Rect device = ui.canvas().snapped(r);
  ImGui::SetNextWindowPos(as_vec2(device.min() * ui.scale()));
  ImGui::SetNextWindowSize({device.w * ui.scale(), device.h * ui.scale()});
  const std::string name = "##" + std::string(id);
  ImGui::Begin(name.c_str(), nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoNav |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoScrollWithMouse |
                   ImGuiWindowFlags_NoBackground);
  ui_.push_id(id);
}

Layer::~Layer() {
  ui_.pop_id();
  ImGui::End();
}

}  // namespace headlight
