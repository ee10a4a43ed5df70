// Parts of what can be wrong with a setup. The range of a key's value is in its entry (keys.hpp); what compares it with
// other keys, or looks inside it, is a check here, which the entry names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/model/problem.hpp"
#include "core/model/setup.hpp"

namespace headlight {

/// Whether the sizes of all tensors follow from the setup's: none is impossible, and heads that share d_model divide
/// it.
bool has_sizes(const Setup& setup);

/// What a setup must say to have the tensor: "attention.source = \"cross\""; empty if it has it.
std::string_view missing_for(TensorId tensor, const Setup& setup);

/// Whether the generator takes the seed.
bool takes_seed(GeneratorKind generator, std::int64_t seed);

// Each adds what is wrong to `findings`. A check that compares a value with a size does so only if the size is valid
// itself, so that an invalid size is a single problem.

void check_key_length(Findings& findings, const Setup& setup);
void check_past(Findings& findings, const Setup& setup);
void check_heads(Findings& findings, const Setup& setup);
void check_kv_heads(Findings& findings, const Setup& setup);
void check_d_source(Findings& findings, const Setup& setup);
/// Labels of what `of` names: as many as `length`, the value of `length_key`, or none.
void check_labels(Findings& findings, const char* key, std::size_t count, Index length, const char* length_key,
                  const char* of = "position");
void check_key_tokens(Findings& findings, const Setup& setup);
/// Heads of the setup, each once.
void check_list_of_heads(Findings& findings, const Setup& setup, std::string_view name,
                         const std::vector<LayerHead>& heads);
void check_encoding(Findings& findings, const Setup& setup);
void check_fraction(Findings& findings, const Setup& setup);
void check_kinds(Findings& findings, const Setup& setup);
void check_valid_lengths(Findings& findings, const Setup& setup);
void check_blocked(Findings& findings, const Setup& setup);
void check_draws(Findings& findings, const Setup& setup);
/// What a task rules out: it makes X itself, every position answers from its own sequence, and gradients pass through
/// numbers, not through decisions.
void check_task(Findings& findings, const Setup& setup);
void check_text(Findings& findings, const Setup& setup);
void check_shown(Findings& findings, const Setup& setup);
void check_symbols(Findings& findings, const Setup& setup);
void check_steps(Findings& findings, const Setup& setup);

/// What several layers need.
void check_layers(Findings& findings, const Setup& setup);

/// What a residual stream, an MLP, an embedding and an unembedding need.
void check_residual(Findings& findings, const Setup& setup);
void check_mlp(Findings& findings, const Setup& setup);
void check_gated(Findings& findings, const Setup& setup);
void check_placement(Findings& findings, const Setup& setup);
void check_final_norm(Findings& findings, const Setup& setup);
void check_embedding(Findings& findings, const Setup& setup);
void check_unembedding(Findings& findings, const Setup& setup);
void check_symbols_size(Findings& findings, const Setup& setup);

}  // namespace headlight
