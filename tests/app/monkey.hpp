// A user who presses keys, clicks, drags, types and drops files at random.
#pragma once

#include <array>
#include <filesystem>
#include <random>
#include <utility>
#include <vector>

#include "scripted.hpp"

namespace headlight::testing {

class Monkey {
 public:
  Monkey(Scripted& person, std::vector<std::filesystem::path> files, unsigned seed)
      : person_(person), files_(std::move(files)), random_(seed) {}

  void act() {
    Offscreen& surface = person_.surface;
    switch (pick(0, 9)) {
      case 0:
      case 1:
      case 2: surface.key(chord()); break;
      case 3:
      case 4: surface.click(point()); break;
      case 5:
        surface.drag(point(), point(), pick(1, 3), static_cast<MouseButton>(pick(0, 5) == 0 ? pick(1, 2) : 0));
        break;
      case 6:
        surface.move_mouse(point());
        surface.hold_ctrl(pick(0, 2) == 0);
        surface.wheel(static_cast<float>(pick(-3, 3)));
        surface.hold_ctrl(false);
        break;
      case 7:
        surface.type(std::array{"3", "x", "causal", "-1", "1e9", "√ wörd"}[static_cast<std::size_t>(pick(0, 5))]);
        break;
      case 8:
        if (pick(0, 4) == 0) resize();
        else if (pick(0, 3) == 0)
          surface.key({.key = Key::m, .shift = true});  // takes the brush, so that later drags paint
        else surface.double_click(point());
        break;
      default:
        if (pick(0, 9) == 0)
          surface.drop({files_[static_cast<std::size_t>(pick(0, static_cast<int>(files_.size()) - 1))]});
        else surface.move_mouse(point());
        surface.frames(1);
        break;
    }
  }

 private:
  int pick(int low, int high) { return std::uniform_int_distribution(low, high)(random_); }
  Point point() { return {static_cast<float>(pick(-5, width_ + 5)), static_cast<float>(pick(-5, height_ + 5))}; }
  Chord chord() {
    const auto key = static_cast<Key>(pick(1, static_cast<int>(Key::slash)));
    return {key, pick(0, 3) == 0, pick(0, 3) == 0, pick(0, 5) == 0};
  }
  void resize() {
    width_ = pick(640, 1600);
    height_ = pick(360, 1000);
    person_.surface.resize(width_, height_);
  }

  Scripted& person_;
  std::vector<std::filesystem::path> files_;
  std::mt19937 random_;
  int width_ = 1280;
  int height_ = 720;
};

}  // namespace headlight::testing
