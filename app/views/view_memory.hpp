// What views remember between frames and nobody undoes or saves: an open list, what is being typed, a zoom. One small
// value per view; whatever a person would miss at the next start belongs to the session instead.
#pragma once

#include <string>

namespace headlight {

struct SetupPanelMemory {};
struct EquationMemory {};
struct InspectorMemory {};
struct HeadsMemory {};
struct TokensMemory {};
struct CompareMemory {};

/// The window's own: palette, cards.
struct ShellMemory {
  std::string palette_text;
};

struct ViewMemory {
  SetupPanelMemory setup_panel;
  EquationMemory equation;
  InspectorMemory inspector;
  HeadsMemory heads;
  TokensMemory tokens;
  CompareMemory compare;
  ShellMemory shell;
};

}  // namespace headlight
