// What Dear ImGui's back end asks OpenGL in each frame, to put back afterwards what somebody else has set. In a page
// nobody else has, and each question would wait until the browser's graphics process has nothing else to do. So it
// hears what is true of a context in which nothing was set.
#include <GLES3/gl3.h>

extern "C" {

void known_gl_integer(GLenum what, GLint* value) {
  switch (what) {
    case GL_CURRENT_PROGRAM:
    case GL_TEXTURE_BINDING_2D:
    case GL_SAMPLER_BINDING:
    case GL_ARRAY_BUFFER_BINDING:
    case GL_ELEMENT_ARRAY_BUFFER_BINDING:
    case GL_VERTEX_ARRAY_BINDING:
    case GL_BLEND_DST_RGB:
    case GL_BLEND_DST_ALPHA: *value = 0; return;
    case GL_BLEND_SRC_RGB:
    case GL_BLEND_SRC_ALPHA: *value = GL_ONE; return;
    case GL_BLEND_EQUATION_RGB:
    case GL_BLEND_EQUATION_ALPHA: *value = GL_FUNC_ADD; return;
    case GL_ACTIVE_TEXTURE: *value = GL_TEXTURE0; return;
    case GL_VIEWPORT:  // each frame sets both before it draws
    case GL_SCISSOR_BOX:
      value[0] = value[1] = 0;
      value[2] = value[3] = 1;
      return;
    default: glGetIntegerv(what, value);
  }
}

GLboolean known_gl_switch(GLenum) { return GL_FALSE; }
}
