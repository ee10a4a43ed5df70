// Figures as pixels and as files.
#pragma once

#include <filesystem>
#include <functional>

#include "app/figures/figure.hpp"
#include "app/platform/pictures/image.hpp"

namespace headlight {

class Session;

/// The figure of what the session shows, drawn offscreen with the code of the window. The session is read; its display
/// stays as it is. Another OpenGL context is current afterwards. Throws MachineError where there is no OpenGL 3.3.
Image draw_pixels(Session& session, const Figure& figure);

/// Draws the figure into a file, by the ending of its name: a PNG with the setup and the place in it, an SVG, or a PDF.
/// The file is replaced in one step. Throws InputError where the ending is another or the file cannot be written.
/// `report`, which may be empty, is told how much is done, from 0 to 1.
void write_figure(const std::filesystem::path& path, Session& session, const Figure& figure,
                  const std::function<void(double fraction)>& report = {});

/// Throws InputError (source: "-o") where write_figure does not know the ending.
void require_picture_ending(const std::filesystem::path& path);

}  // namespace headlight
