// Draws figures as pixels or into files.
#pragma once

#include <filesystem>
#include <functional>

#include "app/figures/figure.hpp"
#include "app/platform/pictures/image.hpp"

namespace headlight {

class Session;

/// Draws the figure of what the session shows, offscreen, with the code that draws the window. The session's display
/// stays as it is. Afterwards a different OpenGL context is current. Throws MachineError if there is no OpenGL
/// 3.3.
Image draw_pixels(Session& session, const Figure& figure);

/// Draws the figure into a file, whose form follows from the ending of its name: a PNG with the setup and the place in
/// it, an SVG, or a PDF. The file is replaced in one step. `report`, which may be empty, gets the progress, from 0 to
/// 1. Throws InputError if the ending is another or the file cannot be written.
void write_figure(const std::filesystem::path& path, Session& session, const Figure& figure,
                  const std::function<void(double fraction)>& report = {});

/// Throws InputError (source: "-o") if write_figure cannot write files with this ending.
void require_picture_ending(const std::filesystem::path& path);

}  // namespace headlight
