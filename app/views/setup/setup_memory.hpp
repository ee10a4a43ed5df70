// The state of the setup panel between frames: what is being typed or painted, refused, unfolded.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/setup/keys.hpp"

namespace headlight {

/// A text that is being typed into a field. After every letter the whole text is applied to `base`, the setup before
/// the first letter, so that a sentence that is short for a moment loses nothing.
struct SetupDraft {
  std::string key;
  std::string text;
  Setup base;
  bool ended = false;  ///< another control has the focus now; the draft is kept only if it was refused
};

/// An edit that was not applied, and why, to be shown at its control.
struct SetupRefusal {
  std::string key;
  std::string why;
  std::optional<Setup> with_draws = {};  ///< what the edit would give if the numbers in its way were drawn
};

/// A size that an edit of another one has changed, and its value before.
struct SetupAdapted {
  std::string key;
  std::string was;
};

/// The stroke of a brush over the mask.
struct MaskStroke {
  bool hides = true;
  Index row = 0;  ///< where the brush was in the last frame, in cells of the grid
  Index column = 0;
};

struct SetupPanelMemory {
  Setup setup;  ///< the setup of the draft and the refusal, which end when it changes
  bool draws_open = false;
  std::optional<SetupDraft> draft;
  std::optional<SetupRefusal> refusal;
  std::vector<SetupAdapted> adapted;  ///< by the last edit in the panel
  std::optional<MaskStroke> stroke;
  std::string sentence_key;             ///< of the labels that are being typed as a sentence; empty while chips show
  int sentence_age = 0;                 ///< frames since that began: a text field takes a moment to get the focus
  std::string new_draw;                 ///< typed into the line below the draws
  std::optional<SetupGroup> asked_for;  ///< the section to scroll to in the next frame
  std::string asked_row;                ///< the row whose control is to be focused; empty: none
};

}  // namespace headlight
