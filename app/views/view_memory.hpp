// What views remember between frames and nobody undoes or saves: an open list, what is being typed, a zoom. One small
// value per view. What a person would miss at the next start belongs to the session instead.
#pragma once

#include <string>

#include "app/views/tensor_scale.hpp"

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
  StatisticsCache statistics;  ///< of tensors, shared by all views
  SetupPanelMemory setup_panel;
  EquationMemory equation;
  InspectorMemory inspector;
  HeadsMemory heads;
  TokensMemory tokens;
  CompareMemory compare;
  ShellMemory shell;
};

}  // namespace headlight
