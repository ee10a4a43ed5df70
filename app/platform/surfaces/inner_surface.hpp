// A small surface within another one's frame: an app drawn into a texture.
#pragma once

#include <memory>

namespace headlight {

class App;

class InnerSurface {
 public:
  /// A surface of this size in device pixels. Needs the current OpenGL context of the surface around it here, in every
  /// call and in the destructor. Throws MachineError.
  InnerSurface(int width, int height);
  ~InnerSurface();
  InnerSurface(const InnerSurface&) = delete;
  InnerSurface& operator=(const InnerSurface&) = delete;

  int width() const;
  int height() const;
  /// Lets the app draw what it looks like when nothing moves. It gets no input.
  void draw(App& app);
  /// The texture's id in the UI library's draw lists.
  void* texture() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace headlight
