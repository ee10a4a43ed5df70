// The target of an action, and what actions do with it. Keys pass the shown target, and a context menu the one that it
// was opened on.
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
  /// A cell uses all of it, a head and a tensor only the matrix. A token is a row of the attention weights, or a column
  /// if it is a key.
  Selection at = {};
  bool as_key = false;

  friend bool operator==(const Target&, const Target&) = default;
};

/// The target of keys: the pinned cell, else the hovered one, else the selected one.
Target shown_target(const Session& session);
/// A head of the selected tensor, or of the weights if that has no heads; and the matrix of a tensor that `head` reads.
Target head_target(const Session& session, Index head);
Target tensor_target(const Session& session, TensorId tensor, Index head);
/// A position of the sentence, as a query or as a key.
Target token_target(const Session& session, Index position, bool as_key);

/// The target in words, as the heading of its menu: "scores[0,1,2,0]", "head 1", "sat, a query", "Q (1, 4, 8)".
std::string words_of(const Target& target, const Setup& setup);

// --- Verbs -----------------------------------------------------------------------------------------------------------

/// Explains a number in the inspector, a head or a tensor in the pipeline view, a token in the tokens view.
void explain(Session& session, const Target& target);
void walk_upstream(Session& session, const Target& target);
void walk_downstream(Session& session, const Target& target);

/// These copy text to the clipboard: the number, its row, its matrix for a spreadsheet or as a table, the token's word.
void copy_number(Session& session, const Target& target);
void copy_row(Session& session, const Target& target);
void copy_matrix(Session& session, const Target& target);
void copy_as_markdown(Session& session, const Target& target);
void copy_as_latex(Session& session, const Target& target);
void copy_word(Session& session, const Target& target);

/// Pins the target's cell, or unpins it.
void pin_or_release(Session& session, const Target& target);

void toggle_head(Session& session, const Target& target);
/// Ablates the target's head, or restores it.
void toggle_ablated(Session& session, const Target& target);
/// Shows what the target's head asks for (W_qk), or what it writes (W_vo).
void show_asking(Session& session, const Target& target);
void show_writing(Session& session, const Target& target);
/// Hides the cell's key from its query in the painted mask, or from every query, or shows it again.
void toggle_blocked_cell(Session& session, const Target& target);
void toggle_blocked_key(Session& session, const Target& target);

/// Opens the target's number to play with.
void play_with(Session& session, const Target& target);

/// Opens the export dialog with choices that suit the target.
void export_target(Session& session, const Target& target);
void compare_with_reference(Session& session, const Target& target);

/// Opens a field over the target's number.
void type_over(Session& session, const Target& target);
/// Pastes numbers into the target's tensor, and a single one into its cell.
void paste_into(Session& session, const Target& target);
/// Resets the target's number, or all numbers of its tensor, to what the lecture says.
void undo_change(Session& session, const Target& target);
void undo_changes(Session& session, const Target& target);

// --- Conditions ------------------------------------------------------------------------------------------------------

/// Whether the target's cell has a query and a key.
bool is_on_a_query_and_key(const Session& session, const Target& target);
/// Whether the target names a key: a token that is one, or a cell that has one.
bool names_a_key(const Session& session, const Target& target);
/// Whether it is a number of an input, a weight or a bias.
bool is_a_drawn_number(const Session& session, const Target& target);
/// Whether it is one that differs from the lecture's, and whether any number of the tensor does.
bool is_a_changed_number(const Session& session, const Target& target);
bool has_changed_numbers(const Session& session, const Target& target);
/// Whether it is in one of several heads.
bool is_in_a_head(const Session& session, const Target& target);
/// Whether it is in a head.
bool has_a_head(const Session& session, const Target& target);
bool has_reference(const Session& session, const Target& target);

}  // namespace headlight
