// Colours the cells of one tensor slice. The geometry mirrors HeatmapLayout, the colours mirror ColorScale and Theme.
// QUIETS is defined where some cells are not lit.

uniform sampler2D cells;       // r: the value, g: its kind
uniform vec4 area;             // left, top, width, height in device pixels, y down
uniform vec2 surface;
uniform vec2 pitch;            // device pixels from texel to texel
uniform vec2 start;            // where the area begins, in texels
uniform ivec2 texels;
uniform float gap;             // device pixels
uniform float radius;
uniform float scale;           // device pixels per design pixel
uniform float hatch_spacing;
uniform vec4 lit;              // lit columns [x, y) and rows [z, w), in texels
uniform float quiet_strength;

uniform bool logarithmic;
uniform float origin;
uniform float factor;
uniform vec2 bounds;
uniform vec3 positive[9];
uniform vec3 negative[9];

uniform vec3 canvas_color;
uniform vec3 panel_color;
uniform vec3 error_color;
uniform vec3 frame_color;
uniform vec3 mask_background;
uniform vec3 mask_ink;
uniform float quiet_towards_grey;
uniform float quiet_towards_canvas;

out vec4 color;

const int MASKED = 1;
const int FIRST_ERROR = 2;

// Cells begin on whole pixels.
vec2 edge(ivec2 texel) { return floor((vec2(texel) - start) * pitch + 0.5); }

ivec2 texel_at(vec2 p) {
  ivec2 last = texels - 1;
  ivec2 texel = clamp(ivec2(floor(p / pitch + start)), ivec2(0), last);
  texel -= ivec2(lessThan(p, edge(texel)));
  texel = max(texel, ivec2(0));
  texel += ivec2(greaterThanEqual(p, edge(texel + 1)));
  return min(texel, last);
}

// Signed distance to a rounded rectangle, negative inside.
float outside(vec2 p, vec2 low, vec2 high, float r) {
  vec2 from_center = abs(p - (low + high) * 0.5) - (high - low) * 0.5 + r;
  return length(max(from_center, 0.0)) + min(max(from_center.x, from_center.y), 0.0) - r;
}

vec3 stop_between(vec3 map[9], float t) {
  float place = clamp(t, 0.0, 1.0) * 8.0;
  int below = min(int(place), 7);
  return mix(map[below], map[below + 1], place - float(below));
}

vec3 color_of_value(float value) {
  float position;
  if (logarithmic)
    position = value > origin ? log(value / origin) * factor : 0.0;
  else
    position = (value - origin) * factor;
  position = clamp(position, bounds.x, bounds.y);
  return position < 0.0 ? stop_between(negative, -position) : stop_between(positive, position);
}

vec3 quiet(vec3 c) {
  vec3 light = mix(c / 12.92, pow((c + 0.055) / 1.055, vec3(2.4)), step(vec3(0.04045), c));
  float y = dot(light, vec3(0.2126, 0.7152, 0.0722));
  float grey = y <= 0.0031308 ? 12.92 * y : 1.055 * pow(y, 1.0 / 2.4) - 0.055;
  return mix(mix(c, vec3(grey), quiet_towards_grey), canvas_color, quiet_towards_canvas);
}

// Lines x + y = k · step through the whole surface, so that neighbours continue each other and the canvas's hatches.
vec3 hatch(vec2 on_surface) {
  const float sqrt_half = 0.70710678;
  float period = hatch_spacing / sqrt_half;
  float sum = on_surface.x + on_surface.y;
  float from_line = abs(sum - period * floor(sum / period + 0.5)) * sqrt_half;
  float half_width = 0.45 * scale;
  return mix(mask_background, mask_ink, clamp(half_width - from_line + 0.5, 0.0, 1.0));
}

void main() {
  vec2 p = vec2(gl_FragCoord.x, surface.y - gl_FragCoord.y) - area.xy;
  ivec2 texel = texel_at(p);
  vec2 cell = texelFetch(cells, texel, 0).rg;
  int kind = int(cell.g + 0.5);

  vec2 low = edge(texel);
  vec2 high = edge(texel + 1) - gap;
  float distance = outside(p, low, high, radius);
  float coverage = radius > 0.0 ? clamp(0.5 - distance, 0.0, 1.0) : float(distance < 0.0);
  float thinner_side = min(high.x - low.x, high.y - low.y);

  if (kind == MASKED) {
    // Masked cells with small gaps form one hatched field; only with wide gaps does each get a frame.
    if (gap < 2.0 * scale) coverage = 1.0;
    vec3 fill = hatch(area.xy + p);
    bool framed = gap >= 2.0 * scale;
    float frame = framed ? clamp(distance + 0.5 + scale, 0.0, 1.0) : 0.0;
    color = vec4(mix(fill, frame_color, frame), coverage);
    return;
  }
  if (kind >= FIRST_ERROR) {
    float outline = thinner_side < 6.0 * scale ? 1.0 : clamp(distance + 0.5 + 1.5 * scale, 0.0, 1.0);
    color = vec4(mix(panel_color, error_color, outline), coverage);
    return;
  }
  vec3 fill = color_of_value(cell.r);
#ifdef QUIETS
  vec2 at = vec2(texel) + 0.5;
  bool is_lit = (at.x > lit.x && at.x < lit.y) || (at.y > lit.z && at.y < lit.w);
  if (!is_lit) fill = mix(fill, quiet(fill), quiet_strength);
#endif
  color = vec4(fill, coverage);
}
