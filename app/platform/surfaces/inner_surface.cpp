// Draws an app into a texture, in the middle of another app's frame.
#include <epoxy/gl.h>
#include <imgui.h>

#include "app/platform/surfaces/app.hpp"
#include "app/platform/surfaces/framebuffer.hpp"
#include "app/platform/surfaces/surface.hpp"
#include "app/platform/surfaces/texture.hpp"
#include "app/ui/drawing/imgui_seam.hpp"

namespace headlight {
namespace {

/// Returns to the interface and the framebuffer of the surface around.
class Around {
 public:
  Around() { glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &framebuffer_); }
  ~Around() {
    glBindFramebuffer(GL_FRAMEBUFFER, static_cast<GLuint>(framebuffer_));
    ImGui::SetCurrentContext(context_);
  }
  Around(const Around&) = delete;
  Around& operator=(const Around&) = delete;

 private:
  ImGuiContext* context_ = ImGui::GetCurrentContext();
  GLint framebuffer_ = 0;
};

}  // namespace

struct InnerSurface::Impl {
  int width;
  int height;
  Surface surface;
  Framebuffer framebuffer;
  CopiedTexture texture;
  double time = 0;

  Impl(int w, int h) : width(w), height(h), framebuffer(w, h) { imgui::start_input(); }
};

InnerSurface::InnerSurface(int width, int height) {
  const Around around;
  impl_ = std::make_unique<Impl>(width, height);
}

InnerSurface::~InnerSurface() {
  const Around around;
  impl_.reset();
}

int InnerSurface::width() const { return impl_->width; }
int InnerSurface::height() const { return impl_->height; }
void* InnerSurface::texture() const { return impl_->texture.id(); }

void InnerSurface::draw(App& app) {
  constexpr int most_frames = 8;
  constexpr double frame_step = 1.0 / 60;
  const Around around;
  Impl& inner = *impl_;
  inner.surface.make_current();
  ImGui::GetIO().DeltaTime = static_cast<float>(frame_step);
  imgui::remove_pointer();
  SurfaceLook look = app.look();
  look.reduce_motion = true;
  FrameResult last{.next_frame_in = 0};
  for (int frame = 0; frame < 2 || (frame < most_frames && last.next_frame_in <= 0); ++frame) {
    inner.surface.prepare(look, 1, {static_cast<float>(inner.width), static_cast<float>(inner.height)});
    inner.time += frame_step;
    last = inner.surface.frame(app, {}, {inner.time, frame_step});
  }
  inner.framebuffer.bind();
  inner.surface.render();
  inner.texture.copy(inner.width, inner.height);
}

}  // namespace headlight
