#include "app/heatmap/heatmap_renderer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <limits>
#include <list>
#include <stdexcept>
#include <string>
#include <string_view>

#include <epoxy/gl.h>
#include <imgui.h>

#include "app/slices/pyramid.hpp"

extern "C" {
extern const char _binary_heatmap_vert_start[];
extern const char _binary_heatmap_vert_end[];
extern const char _binary_heatmap_frag_start[];
extern const char _binary_heatmap_frag_end[];
}

namespace headlight {
namespace {

/// The number of frames for which an unused texture or pyramid is kept. Not longer, because it keeps its tensor in
/// memory, and while a slider is dragged every frame has new tensors.
constexpr int frames_kept = 1;

using Vec3 = std::array<float, 3>;

Vec3 as_vec3(Color c) {
  const auto unit = [](std::uint8_t v) { return static_cast<float>(v) / 255.0f; };
  return {unit(c.r), unit(c.g), unit(c.b)};
}

GLuint compile(GLenum kind, std::string_view beginning, std::string_view source) {
  const GLuint shader = glCreateShader(kind);
  const std::string whole = std::string(beginning).append(source);
  const char* const text = whole.c_str();
  glShaderSource(shader, 1, &text, nullptr);
  glCompileShader(shader);
  GLint compiled = 0;
  glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
  if (compiled) return shader;
  std::array<char, 2048> log{};
  glGetShaderInfoLog(shader, static_cast<GLsizei>(log.size()), nullptr, log.data());
  throw std::runtime_error(std::string("the heatmap shader does not compile:\n") + log.data());
}

/// The fragment shader has a part for cells that are not lit, or not. A software driver computes that part for all
/// cells, even if none is quiet, and it is the most expensive part.
GLuint link_program(std::string_view beginning, bool quiets) {
  const GLuint vertex = compile(GL_VERTEX_SHADER, beginning, {_binary_heatmap_vert_start, _binary_heatmap_vert_end});
  const std::string with_quiets = std::string(beginning) + "#define QUIETS\n";
  const GLuint fragment = compile(GL_FRAGMENT_SHADER, quiets ? with_quiets : beginning,
                                  {_binary_heatmap_frag_start, _binary_heatmap_frag_end});
  const GLuint program = glCreateProgram();
  glAttachShader(program, vertex);
  glAttachShader(program, fragment);
  glLinkProgram(program);
  glDeleteShader(vertex);
  glDeleteShader(fragment);
  GLint linked = 0;
  glGetProgramiv(program, GL_LINK_STATUS, &linked);
  if (!linked) throw std::runtime_error("the heatmap shader does not link");
  return program;
}

/// The linked program, and the locations of its uniforms, because drivers are slow at finding one by its name.
struct Shader {
  GLuint program;
  GLint area = uniform("area");
  GLint surface = uniform("surface");
  GLint pitch = uniform("pitch");
  GLint start = uniform("start");
  GLint texels = uniform("texels");
  GLint gap = uniform("gap");
  GLint radius = uniform("radius");
  GLint scale = uniform("scale");
  GLint hatch_spacing = uniform("hatch_spacing");
  GLint lit = uniform("lit");
  GLint quiet_strength = uniform("quiet_strength");
  GLint cells = uniform("cells");
  GLint logarithmic = uniform("logarithmic");
  GLint origin = uniform("origin");
  GLint factor = uniform("factor");
  GLint bounds = uniform("bounds");
  GLint positive = uniform("positive");
  GLint negative = uniform("negative");
  GLint canvas_color = uniform("canvas_color");
  GLint panel_color = uniform("panel_color");
  GLint error_color = uniform("error_color");
  GLint frame_color = uniform("frame_color");
  GLint mask_background = uniform("mask_background");
  GLint mask_ink = uniform("mask_ink");
  GLint quiet_towards_grey = uniform("quiet_towards_grey");
  GLint quiet_towards_canvas = uniform("quiet_towards_canvas");

  Shader(std::string_view beginning, bool quiets) : program(link_program(beginning, quiets)) {}
  ~Shader() { glDeleteProgram(program); }
  Shader(const Shader&) = delete;
  Shader& operator=(const Shader&) = delete;

 private:
  GLint uniform(const char* name) const { return glGetUniformLocation(program, name); }
};

void set(GLint uniform, float v) { glUniform1f(uniform, v); }
void set(GLint uniform, float x, float y) { glUniform2f(uniform, x, y); }
void set(GLint uniform, Color c) { glUniform3fv(uniform, 1, as_vec3(c).data()); }
void set(GLint uniform, const ColorMap& map) {
  std::array<Vec3, 9> stops;
  std::transform(map.stops.begin(), map.stops.end(), stops.begin(), as_vec3);
  glUniform3fv(uniform, static_cast<GLsizei>(stops.size()), stops[0].data());
}

/// The colour scale in the shader's form: position = clamp((v − origin) · factor, low, high), or the same with
/// logarithms.
struct ScaleUniforms {
  int logarithmic = 0;
  float origin = 0;
  float factor = 1;
  float low = 0;
  float high = 1;
};

float as_float(double v) {
  constexpr auto limit = static_cast<double>(std::numeric_limits<float>::max());
  return static_cast<float>(std::clamp(v, -limit, limit));
}

/// The power of two by which numbers and their scale are divided for the graphics card, which compares them in float32:
/// it holds neither 1e160 nor, on many cards, 1/1e38. 0, no division, for scales that are far from there.
int exponent_of(const ColorScale& scale) {
  constexpr int far = 100;
  const double largest = std::max(std::abs(scale.lo), std::abs(scale.hi));
  const int exponent = largest > 0 && std::isfinite(largest) ? std::ilogb(largest) : 0;
  return std::abs(exponent) > far ? exponent : 0;
}

ScaleUniforms uniforms_of(ColorScale scale) {
  const int exponent = exponent_of(scale);
  scale.lo = std::ldexp(scale.lo, -exponent);
  scale.hi = std::ldexp(scale.hi, -exponent);
  const auto inverse = [](double length) {
    return length > 0 ? as_float(1 / length) : std::numeric_limits<float>::max();
  };
  if (!scale.diverging()) {
    if (scale.logarithmic && scale.lo > 0) return {1, as_float(scale.lo), inverse(std::log(scale.hi / scale.lo)), 0, 1};
    return {0, as_float(scale.lo), inverse(scale.hi - scale.lo), 0, 1};
  }
  if (scale.lo > 0) return {0, as_float(scale.lo), inverse(scale.hi - scale.lo), 0, 1};
  if (scale.hi < 0) return {0, as_float(scale.hi), inverse(scale.hi - scale.lo), -1, 0};
  return {0, 0, inverse(std::max(-scale.lo, scale.hi)), -1, 1};
}

/// The contents of a texture, which is reused if its key is the same.
struct TextureKey {
  Slice slice;
  bool transposed;
  AxisMap across;
  AxisMap down;
  Reduction reduction;
  int exponent;  ///< exponent_of its scale

  bool same(const TextureKey& o) const {
    if (!slice.same_window(o.slice) || transposed != o.transposed || reduction != o.reduction || exponent != o.exponent)
      return false;
    return same_texels(across, o.across) && same_texels(down, o.down);
  }
  /// Axes that are not reduced have one texel per visible cell, whatever the pitch.
  static bool same_texels(const AxisMap& a, const AxisMap& b) {
    if (a.reduced() || b.reduced()) return a == b;
    return a.count == b.count && a.visible() == b.visible();
  }
};

struct Texture {
  TextureKey key;
  GLuint name = 0;
  int frames_unused = 0;
};

/// The pyramid of a slice whose cells are smaller than a pixel.
struct KeptPyramid {
  Pyramid pyramid;
  int frames_unused = 0;
};

struct Job {
  HeatmapRenderer* renderer = nullptr;
  Heatmap heatmap;
  const Theme* theme = nullptr;
};

/// The numbers divided by a power of two, and beside each its kind.
GLuint upload(const Raster& raster, int exponent) {
  std::vector<std::array<float, 2>> texels;
  texels.reserve(raster.texels.size());
  for (const Raster::Texel& texel : raster.texels) {
    const double value = exponent == 0 ? texel.value : std::ldexp(texel.value, -exponent);
    texels.push_back({as_float(value), static_cast<float>(texel.kind)});
  }
  GLuint name = 0;
  glGenTextures(1, &name);
  glBindTexture(GL_TEXTURE_2D, name);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
  glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RG32F, raster.width, raster.height, 0, GL_RG, GL_FLOAT, texels.data());
  return name;
}

}  // namespace

struct HeatmapRenderer::Impl {
  Shader plain;
  Shader quieting;
  GLuint vertex_array = 0;
  std::list<Texture> textures;
  std::list<KeptPyramid> pyramids;
  std::shared_ptr<const std::vector<Pyramid>> prepared = std::make_shared<const std::vector<Pyramid>>();
  std::shared_ptr<Threads> threads = std::make_shared<Threads>(1);
  std::deque<Job> jobs;
  HeatmapWork work;

  explicit Impl(std::string_view beginning) : plain(beginning, false), quieting(beginning, true) {
    glGenVertexArrays(1, &vertex_array);
  }
  ~Impl() {
    for (const Texture& texture : textures) glDeleteTextures(1, &texture.name);
    glDeleteVertexArrays(1, &vertex_array);
  }

  GLuint texture_for(const Heatmap& heatmap) {
    TextureKey key{heatmap.shaded(),  heatmap.layout.shape().transposed, heatmap.layout.across(), heatmap.layout.down(),
                   heatmap.reduction, exponent_of(heatmap.scale)};
    for (Texture& texture : textures) {
      if (!texture.key.same(key)) continue;
      texture.frames_unused = 0;
      for (KeptPyramid& kept : pyramids)
        if (kept.pyramid.slice().same_window(heatmap.shaded())) kept.frames_unused = 0;
      return texture.name;
    }
    const Raster raster = raster_of(heatmap);
    const GLuint name = upload(raster, key.exponent);
    ++work.uploads;
    work.cells += raster.cells_read;
    work.texels += static_cast<Index>(raster.texels.size());
    textures.push_back({std::move(key), name, 0});
    return name;
  }

  Raster raster_of(const Heatmap& heatmap) {
    if (heatmap.reduction != Reduction::largest_magnitude)
      return rasterize(heatmap.shaded(), heatmap.layout, heatmap.reduction);
    const auto is_of_slice = [&](const Pyramid& one) { return one.slice().same_window(heatmap.shaded()); };
    auto found = std::find_if(pyramids.begin(), pyramids.end(),
                              [&](const KeptPyramid& kept) { return is_of_slice(kept.pyramid); });
    if (found == pyramids.end()) {
      const auto ready = std::find_if(prepared->begin(), prepared->end(), is_of_slice);
      found = pyramids.insert(pyramids.end(), {ready != prepared->end() ? *ready : Pyramid(heatmap.shaded()), 0});
    }
    found->frames_unused = 0;
    return rasterize(found->pyramid, heatmap.layout, *threads);
  }

  void render(const Job& job, const ImVec4& clip);
  static void set_geometry(const Shader& shader, const Heatmap& heatmap, float surface_height);
  static void set_colors(const Shader& shader, const Heatmap& heatmap, const Theme& theme);
};

void HeatmapRenderer::Impl::set_geometry(const Shader& shader, const Heatmap& heatmap, float surface_height) {
  const HeatmapLayout& layout = heatmap.layout;
  const AxisMap& across = layout.across();
  const AxisMap& down = layout.down();
  const float scale = layout.scale();
  const auto pitch = [](const AxisMap& axis) { return axis.reduced() ? 1.0f : axis.pitch(); };
  const auto start = [](const AxisMap& axis) {
    return axis.reduced() ? 0.0f : static_cast<float>(axis.view.start - static_cast<double>(axis.visible().begin));
  };
  const Rect& area = layout.area();
  glUniform4f(shader.area, area.x * scale, area.y * scale, area.w * scale, area.h * scale);
  set(shader.surface, ImGui::GetIO().DisplaySize.x, surface_height);
  set(shader.pitch, pitch(across), pitch(down));
  set(shader.start, start(across), start(down));
  glUniform2i(shader.texels, across.texels(), down.texels());
  set(shader.gap, layout.reduced() ? 0 : layout.gap() * scale);
  set(shader.radius, layout.radius() * scale);
  set(shader.scale, scale);
  const bool small = std::min(layout.pitch_x(), layout.pitch_y()) < 14;
  set(shader.hatch_spacing, (small ? 4.0f : 8.0f) * scale);
  const LitTexels lit = lit_texels(heatmap);
  glUniform4f(shader.lit, static_cast<float>(lit.across.begin), static_cast<float>(lit.across.end),
              static_cast<float>(lit.down.begin), static_cast<float>(lit.down.end));
  set(shader.quiet_strength, heatmap.emphasis.strength);
}

void HeatmapRenderer::Impl::set_colors(const Shader& shader, const Heatmap& heatmap, const Theme& theme) {
  const ScaleUniforms scale = uniforms_of(heatmap.scale);
  glUniform1i(shader.logarithmic, scale.logarithmic);
  set(shader.origin, scale.origin);
  set(shader.factor, scale.factor);
  set(shader.bounds, scale.low, scale.high);
  set(shader.positive, positive_colors(theme, heatmap.scale.map));
  set(shader.negative, theme.negative);
  set(shader.canvas_color, theme.canvas);
  set(shader.panel_color, theme.panel);
  set(shader.error_color, theme.error);
  set(shader.frame_color, theme.line_strong);
  set(shader.mask_background, theme.mask_background);
  set(shader.mask_ink, theme.mask_ink);
  set(shader.quiet_towards_grey, static_cast<float>(quiet_towards_grey));
  set(shader.quiet_towards_canvas, static_cast<float>(theme.quiet_towards_canvas));
}

void HeatmapRenderer::Impl::render(const Job& job, const ImVec4& clip) {
  const float height = ImGui::GetIO().DisplaySize.y;
  const float left = std::max(clip.x, 0.0f);
  const float bottom = std::max(height - clip.w, 0.0f);
  const float wide = clip.z - left;
  const float tall = height - clip.y - bottom;
  if (wide <= 0 || tall <= 0) return;
  glScissor(static_cast<GLint>(left), static_cast<GLint>(bottom), static_cast<GLsizei>(wide),
            static_cast<GLsizei>(tall));
  const Shader& shader = job.heatmap.emphasis.strength > 0 ? quieting : plain;
  glUseProgram(shader.program);
  glBindVertexArray(vertex_array);
  glActiveTexture(GL_TEXTURE0);
  glBindTexture(GL_TEXTURE_2D, texture_for(job.heatmap));
  glUniform1i(shader.cells, 0);
  set_geometry(shader, job.heatmap, height);
  set_colors(shader, job.heatmap, *job.theme);
  glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

HeatmapRenderer::HeatmapRenderer(std::string_view glsl_beginning) : impl_(std::make_unique<Impl>(glsl_beginning)) {}
HeatmapRenderer::~HeatmapRenderer() = default;

void HeatmapRenderer::draw(const Canvas& canvas, const Heatmap& heatmap) {
  const Rect visible = canvas.clip().intersected(heatmap.layout.area());
  if (visible.empty() || heatmap.slice.rows() == 0 || heatmap.slice.columns() == 0) return;
  if (canvas.recording()) record(canvas, heatmap);
  impl_->jobs.push_back({this, heatmap, &canvas.theme()});
  canvas.list().AddCallback(
      [](const ImDrawList*, const ImDrawCmd* command) {
        const auto& job = *static_cast<const Job*>(command->UserCallbackData);
        job.renderer->impl_->render(job, command->ClipRect);
      },
      &impl_->jobs.back());
  canvas.list().AddCallback(ImDrawCallback_ResetRenderState, nullptr);
}

void HeatmapRenderer::use(std::shared_ptr<const std::vector<Pyramid>> prepared, std::shared_ptr<Threads> threads) {
  impl_->prepared = std::move(prepared);
  impl_->threads = std::move(threads);
}

void HeatmapRenderer::begin_frame() { impl_->jobs.clear(); }

void HeatmapRenderer::end_frame() {
  std::erase_if(impl_->textures, [](Texture& texture) {
    if (texture.frames_unused++ < frames_kept) return false;
    glDeleteTextures(1, &texture.name);
    return true;
  });
  std::erase_if(impl_->pyramids, [](KeptPyramid& kept) { return kept.frames_unused++ >= frames_kept; });
}

const HeatmapWork& HeatmapRenderer::work() const { return impl_->work; }
int HeatmapRenderer::held() const { return static_cast<int>(impl_->textures.size()); }

}  // namespace headlight
