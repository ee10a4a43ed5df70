#include "app/platform/surfaces/surface.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <backends/imgui_impl_opengl3.h>
#include <epoxy/gl.h>
#include <imgui.h>

#include "app/platform/machine_error.hpp"
#include "app/platform/surfaces/framebuffer.hpp"
#include "app/platform/surfaces/graphics.hpp"
#include "app/platform/surfaces/texture.hpp"
#include "app/ui/drawing/imgui_seam.hpp"
#include "app/ui/drawing/theme.hpp"

namespace headlight {
namespace {

/// Styles what ImGui itself draws: the caret, selected text, the background of popups. The canvas draws the rest.
void apply_style(const Theme& theme) {
  ImGuiStyle& style = ImGui::GetStyle();
  style = ImGuiStyle{};
  style.WindowPadding = {0, 0};
  style.WindowBorderSize = 0;
  style.WindowRounding = 0;
  style.WindowMinSize = {1, 1};
  style.PopupBorderSize = 0;
  style.FrameBorderSize = 0;
  style.DisplaySafeAreaPadding = {0, 0};
  style.AntiAliasedLinesUseTex = false;
  style.CircleTessellationMaxError = 0.1f;
  style.CurveTessellationTol = 0.4f;
  style.Colors[ImGuiCol_WindowBg] = as_vec4(theme.canvas);
  style.Colors[ImGuiCol_PopupBg] = as_vec4(theme.raised);
  style.Colors[ImGuiCol_Text] = as_vec4(theme.text);
  style.Colors[ImGuiCol_ModalWindowDimBg] = as_vec4(faded(theme.canvas, 0.6f));
}

/// ImGui's back end makes a texture of all glyphs when it starts. We give it one white pixel instead, because our
/// glyphs come one by one and have a texture of their own.
void start_back_end() {
  imgui::make_no_texture(*ImGui::GetIO().Fonts);
  ImGui_ImplOpenGL3_CreateDeviceObjects();
  ImGui_ImplOpenGL3_DestroyFontsTexture();
}

constexpr ImGuiWindowFlags root_flags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                        ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoSavedSettings |
                                        ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoScrollWithMouse |
                                        ImGuiWindowFlags_NoBackground;

}  // namespace

float roomy_scale(Point room, Point roomy) {
  constexpr float largest = 2.25f;  // larger type is no easier to read
  return std::clamp(std::min(room.x / roomy.x, room.y / roomy.y), 1.0f, largest);
}

namespace {

/// The person's own choice makes a difference in every window, as long as three quarters of the room are left.
float enlarged(float own, Point room, Point roomy) {
  const float most = std::min(room.x / roomy.x, room.y / roomy.y) / 0.75f;
  return std::max(own, std::min(own + roomy_scale(room, roomy) - 1, most));
}

/// Device pixels per design pixel.
float scale_of(const SurfaceLook& look, float display_scale, Point pixels) {
  if (!look.fitted && !look.roomy) return look.ui_scale * display_scale;
  if (!look.fitted) return enlarged(look.ui_scale, pixels * (1 / display_scale), *look.roomy) * display_scale;
  constexpr float least = 0.5f;  // on a tiny surface, too, letters have pixels
  return std::max(least, std::min(pixels.x / look.fitted->x, pixels.y / look.fitted->y));
}

std::optional<Color> ground_of(const SurfaceLook& look) {
  if (look.transparent) return std::nullopt;
  return theme(look.theme).canvas;
}

void clear(const SurfaceLook& look) {
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  const ImVec4 ground = as_vec4(ground_of(look).value_or(Color{0, 0, 0, 0}));
  glViewport(0, 0, static_cast<GLsizei>(size.x), static_cast<GLsizei>(size.y));
  glDisable(GL_SCISSOR_TEST);
  glClearColor(ground.x, ground.y, ground.z, ground.w);
  glClear(GL_COLOR_BUFFER_BIT);
}

}  // namespace

void Surface::ContextDeleter::operator()(ImGuiContext* context) const {
  ImGui::SetCurrentContext(context);
  ImGui_ImplOpenGL3_Shutdown();
  ImGui::DestroyContext(context);
}

Surface::Surface() : context_(ImGui::CreateContext()) {
  make_current();
  ImGui::GetIO().IniFilename = nullptr;
  ImGui::GetIO().LogFilename = nullptr;
  if (!ImGui_ImplOpenGL3_Init(glsl_version()))
    throw MachineError(
        "OpenGL 3.3 can't be started on this machine; \"headlight compute\" and \"headlight explain\" don't need it");
  start_back_end();
  heatmaps_ = std::make_unique<HeatmapRenderer>(glsl_beginning());
}

Surface::~Surface() = default;

void Surface::restore() {
  make_current();
  ImGui_ImplOpenGL3_DestroyDeviceObjects();
  start_back_end();
  heatmaps_ = std::make_unique<HeatmapRenderer>(glsl_beginning());
  inner_.clear();
  texture_.reset();  // the app makes it anew
  fonts_.reset();    // prepare() makes them, with their texture
}

void Surface::make_current() { ImGui::SetCurrentContext(context_.get()); }

void Surface::prepare(const SurfaceLook& look, float display_scale, Point pixels) {
  make_current();
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = {pixels.x, pixels.y};
  io.DisplayFramebufferScale = {1, 1};
  const float scale = scale_of(look, display_scale, pixels);
  if (!fonts_ || fonts_->scale() != scale || fonts_->full()) {
    fonts_.emplace(*io.Fonts, scale);
    glyphs_ = std::make_unique<GlyphTexture>(fonts_->glyphs().side());
    io.Fonts->SetTexID(glyphs_->id());
    io.FontDefault = &fonts_->font(TextStyle::control);
  }
  look_ = look;
  apply_style(theme(look.theme));
}

FrameResult Surface::frame(App& app, Input input, const FrameTiming& timing, DisplayList* record,
                           const Surroundings& around) {
  const Theme& colors = theme(look_.theme);
  memory_.reduce_motion = look_.reduce_motion;
  ImGui_ImplOpenGL3_NewFrame();
  ImGui::NewFrame();
  // Textures of the last frame are released only now, because that frame may have been rendered late, or twice.
  heatmaps_->end_frame();
  heatmaps_->begin_frame();
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
  ImGui::Begin("##surface", nullptr, root_flags);
  Ui ui(*fonts_, colors, std::move(input), memory_, timing.time, timing.step);
  DisplayList over;
  if (record) {
    *record = {ui.surface().w, ui.surface().h, ground_of(look_), {}, record->outlines};
    over.outlines = record->outlines;
    ui.record(*record, over);
  }
  FrameContext frame{ui, *heatmaps_, texture_, around, inner_};
  app.frame(frame);
  if (record) std::move(over.drawn.begin(), over.drawn.end(), std::back_inserter(record->drawn));
  ImGui::End();
  ImGui::Render();
  take_picture_ = std::move(frame.take_picture);
  return {fonts_->full() ? 0 : ui.next_frame_in(), frame.close, memory_.frames_to_keyboard > 0, frame.opened,
          frame.far_pointer};
}

std::vector<InputEvent> Surface::take(InputQueue& events, const App& app, const FrameResult& last) const {
  if (!last.opened) events.opened_nothing();
  const KeysGoTo keys = last.awaits_keyboard           ? KeysGoTo::nothing
                        : ImGui::GetIO().WantTextInput ? KeysGoTo::text
                                                       : KeysGoTo::actions;
  return events.take(
      keys, [&](const Chord& chord) { return memory_.wants(chord) ? KeyEffect::anything : app.effect_of(chord); });
}

void Surface::render() {
  clear(look_);
  glyphs_->update(fonts_->glyphs());
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  if (!take_picture_) return;
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  std::exchange(take_picture_, {})(read_pixels(static_cast<int>(size.x), static_cast<int>(size.y)));
}

}  // namespace headlight
