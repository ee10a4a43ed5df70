// Edits of a setup as a person makes them. Each takes a setup and returns the edited one, with everything else adapted
// so that it can still be computed. If something cannot be adapted, `problems` (validity.hpp) reports it later.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/cell.hpp"
#include "core/model/setup.hpp"
#include "core/model/trace.hpp"

namespace headlight {

// --- Sizes, labels, and the source of keys and values (size_edits.cpp) -----------------------------------------------

/// The divisors of a number >= 1, ascending: what heads may be for a d_model, and kv_heads for heads.
std::vector<Index> divisors(Index number);

/// Other sizes. Heads that share d_model snap to a divisor of it, and kv_heads to one of heads: upwards when that size
/// itself was raised, downwards otherwise. Labels, valid lengths, blocked pairs and draws per head are made to fit.
/// kv_heads that equalled heads follow them. Sizes below 1 become 1.
Setup resized(const Setup& setup, Sizes sizes);
Setup with_query_length(const Setup& setup, Index length);
/// So many positions of X: past ones stay, as long as one query is left.
Setup with_token_count(const Setup& setup, Index count);
Setup with_key_length(const Setup& setup, Index length);  ///< the positions of X in self-attention
Setup with_d_model(const Setup& setup, Index d_model);
Setup with_heads(const Setup& setup, Index heads);

/// Labels of the positions of X (or of the keys) from the words of a sentence; their number becomes the length. A
/// sentence without words removes the labels and keeps the length.
Setup with_sentence(const Setup& setup, std::string_view sentence);
Setup with_key_sentence(const Setup& setup, std::string_view sentence);
/// The labels with blanks between them: what an editor of the sentence starts from.
std::string sentence(const std::vector<std::string>& labels);

/// Another label. Positions without labels get their numbers as soon as one of them is labelled.
Setup with_token(const Setup& setup, Index position, std::string_view label);

/// A token that is put after the last one, with its row of X in every batch item; without one the row stays drawn.
struct AddedToken {
  std::string label;
  std::optional<std::vector<double>> row = {};
};
/// More tokens at the end. Where X is given as a whole, each has its row.
Setup with_added_tokens(const Setup& setup, const std::vector<AddedToken>& added);

/// Self-attention or cross-attention. Y gets the distribution of X and is drawn last, so that every other tensor keeps
/// its numbers.
Setup with_source(const Setup& setup, Source source);

/// The setup with its labels (tokens, features and head names) cut, or continued with their numbers, to fit its sizes.
Setup with_fitting_labels(Setup setup);

/// Everything that depends on the sizes made to fit them: labels, lengths of cross-attention, valid lengths, blocked
/// pairs, heads and draws per head. Settings that fit stay as they are.
Setup fitted(Setup setup);

/// The setup without draws and given numbers of gains and shifts that its norms lack.
Setup without_missing_gains(Setup setup);

// --- Masks and ablated heads (mask_edits.cpp) ------------------------------------------------------------------------

/// A kind of mask on or off. Padding without lengths that fit starts by hiding each item's last key.
Setup with_mask_kind(const Setup& setup, MaskKind kind, bool on);
Setup without_mask(const Setup& setup);
/// Paints one cell of the custom mask, which it switches on.
Setup with_blocked(const Setup& setup, Index query, Index key, bool hidden);
/// Paints many, [query, key] in any order. Pairs that stay keep their order; new ones follow.
Setup with_blocked(const Setup& setup, std::vector<std::pair<Index, Index>> pairs, bool hidden);
bool is_blocked(const Setup& setup, Index query, Index key);

/// Valid lengths one per batch item, and neither they nor blocked pairs beyond the keys.
void fit_mask(Setup& setup);

/// Ablates a head, or brings it back; the heads stay in order.
Setup with_ablated(const Setup& setup, Index head, bool ablated);
/// The same in the layer that has learnt: it learns with or without the head as before.
Setup with_ablated_afterwards(const Setup& setup, Index head, bool ablated);

// --- Draws (draw_edits.cpp) ------------------------------------------------------------------------------------------

/// NumPy does not have some draws of PyTorch: `linear`, `linear_no_bias`, `xavier_uniform` and the packed in-projection
/// become `uniform`, and seeds are brought into its range.
Setup with_generator(const Setup& setup, GeneratorKind generator);

/// The first seed of the draws.
std::optional<std::int64_t> first_seed(const Setup& setup);
/// Another first seed; a setup without one gets it before its first draw.
Setup with_seed(const Setup& setup, std::int64_t seed);

/// How X, Y, a weight or a bias is drawn (the first of its draws); nothing where it is left at zero.
std::optional<Distribution> distribution_of(const Setup& setup, TensorId tensor);
/// The same where nothing is left out: a tensor that is not drawn is zero, and a bias without a draw of its own is
/// drawn with its weight if that is drawn as by nn.Linear.
Distribution drawn_as(const Setup& setup, TensorId tensor);
/// Changes all draws of the tensor, in their places; a tensor that was not drawn is drawn last. The packed
/// in-projection is taken apart first. Numbers given for the whole tensor make room for the draws.
Setup with_distribution(const Setup& setup, TensorId tensor, Distribution distribution);

/// Whether any bias is given, or drawn and not only zeroed.
bool has_biases(const Setup& setup);
/// Biases are drawn last, so that everything else keeps its numbers. Those that nn.Linear draws with its weight cannot
/// be left out without changing what follows them: they are zeroed instead.
Setup with_biases(const Setup& setup, bool on);

/// Dropout needs a seed; a setup without one gets seed 0.
Setup with_dropout(const Setup& setup, double dropout);

/// Another encoding of the positions. A learned P is drawn last, from a normal distribution, unless it is drawn or
/// given already; what is drawn or given for a P that is no longer learned is removed.
Setup with_encoding(const Setup& setup, Encoding encoding);

/// Another sink. Learned sinks are drawn last, from a normal distribution, unless they are drawn or given already.
Setup with_sink(const Setup& setup, Sink sink);

/// The setup with enough features for the symbols of its task and for its answers.
Setup with_room_for_symbols(const Setup& setup);

/// What the setup's block and embedding need, and nothing that they lack: without a residual stream there is no MLP and
/// no norm after it, and the output is as wide as the input where there is one. W_E is drawn last from a normal
/// distribution, and the weights of the MLP and W_U as W_o is, unless they are drawn or given already.
Setup with_parts(Setup setup);

/// Removes the tensor's draws.
void erase_draws(Setup& setup, TensorId tensor);
/// Removes what is drawn or given for the tensor.
void forget(Setup& setup, TensorId tensor);
/// Removes the draws of heads that the setup no longer has.
void drop_head_draws(Setup& setup);
/// Drops draws and values of layers that the setup doesn't have.
void fit_layers(Setup& setup);
/// Of a setup that had one layer: what was drawn for it is drawn for each, in the same order. Layer 0 keeps its numbers
/// where its draws follow one another.
void draw_each_layer(Setup& setup);
/// Of a setup that has one layer now: what was drawn for each is drawn for it.
void draw_one_layer(Setup& setup);
/// Where every head of `before` was drawn on its own, each new head is drawn last and as the last of those was.
void add_head_draws(Setup& setup, const Setup& before);

// --- The task, and the layer that learns it (task_edits.cpp) ---------------------------------------------------------

/// A layer with two heads and one-hot positions that has yet to learn the task: it does so in 300 steps, to
/// over 99 % of the answers from any seed that was tried. `task` is not `none`.
Setup offered_setup(TaskName task);

/// Another task, with the setup that learns it (offered_setup). Without one the layer stays as it is drawn, and X is
/// drawn again.
Setup with_task(const Setup& setup, TaskName task);

/// Another number of symbols; d_model follows where the symbols and the positions just fill it, or no longer fit.
Setup with_symbols(const Setup& setup, Index symbols);

/// After another number of steps, within what a setup can have.
Setup with_steps(const Setup& setup, Index steps);

/// The setup with the weights that a trace of it has learnt, given, and no steps to make. An edit of the layer itself,
/// in the middle of its training, continues from there: training it from the start under the edit would give another
/// layer. The setup unchanged if nothing has been learnt.
Setup going_on_from(const Setup& setup, const ModelTrace& model);

// --- A trained layer (model_edits.cpp) -------------------------------------------------------------------------------

/// The setup with a trained layer: its numbers, sizes, positions and norm, the pieces of the texts as tokens, and what
/// fills up shorter texts hidden by a padding mask. Parts of its tensors that were given stay where they still belong.
/// ModelName::none gives a layer of the same sizes with draws of its own.
Setup with_model(const Setup& setup, const ModelSettings& model);

/// The setup with another text for one batch item of its trained layer.
Setup with_text(const Setup& setup, Index item, std::string_view text);

/// What is given besides the numbers of a trained layer.
Values values_beside_model(const Setup& setup);

// --- Numbers that are given (value_edits.cpp) ------------------------------------------------------------------------

/// The setup with another number in a cell of an input, weight or bias. Where a part of the tensor that holds the cell
/// is given already, the number changes in it; else the cell becomes a part of its own.
Setup with_number(const Setup& setup, const Cell& cell, double number);
/// The setup with these numbers for the whole tensor, in place of all that was given of it.
Setup with_array(const Setup& setup, TensorId tensor, const GivenNumbers& numbers);

/// The setup with the number of the cell, or with all numbers of the tensor, given as in `from`.
Setup with_cell_of(const Values& from, const Setup& setup, const Cell& cell);
Setup with_tensor_of(const Values& from, const Setup& setup, TensorId tensor);

/// Whether the number of the cell is given for itself, and otherwise than in `from`.
bool is_changed(const Setup& setup, const Values& from, const Cell& cell);

}  // namespace headlight
