// A quad over the heatmap's area; the fragment shader finds its cell from the pixel alone.

uniform vec4 area;     // left, top, width, height in device pixels, y down
uniform vec2 surface;  // size of the surface in device pixels

void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  vec2 pixel = area.xy + corner * area.zw;
  vec2 clip = pixel / surface * 2.0 - 1.0;
  gl_Position = vec4(clip.x, -clip.y, 0.0, 1.0);
}
