// The thing that an action is about: what the pointer is on, or what is pinned.
#pragma once

#include <cstdint>
#include <string>

#include "app/session/session.hpp"

namespace headlight {

enum class TargetKind : std::uint8_t { cell, head, token, tensor };

/// A set of kinds: {.cell = true, .tensor = true}.
struct TargetKinds {
  bool cell = false;
  bool head = false;
  bool token = false;
  bool tensor = false;

  bool has(TargetKind kind) const;
};

struct Target {
  TargetKind kind = TargetKind::cell;
  /// Where it is. A cell uses all of it, a head and a tensor the matrix that it names. A token is a row of attention,
  /// or as a key a column of it.
  Selection place = {};
  bool as_key = false;

  friend bool operator==(const Target&, const Target&) = default;
};

/// What keys are about: the pinned cell; else the hovered one; else the selected one.
Target shown_target(const Session& session);
/// A head of the selected tensor, or of the weights if that has no heads; and the matrix of a tensor that `head` reads.
Target head_target(const Session& session, Index head);
Target tensor_target(const Session& session, TensorId tensor, Index head);
/// A position of the sentence, as a query or as a key.
Target token_target(const Session& session, Index position, bool as_key);

/// The target in words, as the heading of its menu: "scores[0,1,2,0]", "head 1", "sat, a query", "Q (1, 4, 8)".
std::string words_of(const Target& target, const Setup& setup);

}  // namespace headlight
