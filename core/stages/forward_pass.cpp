// Multi-head attention, from the tokens to the loss. This is the table that runs: a line for each tensor that is
// computed, in order, with its shape. It says what is made, by which operation, and from what.
//
// The operation `project` is in project.cpp, with its backward pass beside it, and so on, unless another file is named
// beside its declaration. W_q and the other weights and biases are drawn or given (draw.cpp). Not every setup has every
// tensor: positions, norms, rotation, biases and dropout are options. From a list first_of(...) a line reads the first
// tensor that exists; tensor_table.inc says when it does.
#include "core/stages/forward_pass.hpp"

namespace headlight {

namespace operations {
extern const Operation encode, add_positions, project, rotate, multiply, bias_by_distance, scale, cap, mask, softmax,
    dropout, mix, multiply_by_head;
extern const Operation split, join;                                                              // split.cpp
extern const Operation normalise, normalise_heads;                                               // norm.cpp
extern const Operation pass_on, add, activate, multiply_cells;                                   // block.cpp
extern const Operation hold_symbols, take_answers, share_of_symbols, surprise, mean_over_asked;  // task.cpp
extern const Operation look_up;                                                                  // embed.cpp
}  // namespace operations

std::vector<Line> forward_pass() {
  using namespace operations;
  using enum TensorId;
  return {
      phase("Input", "the vectors of the tokens"),
      // With a task; else X is drawn or given. Its tokens are the queries, and in self-attention before them past ones.
      {embed, look_up, {W_E}},                  // (batch, token, d_model)
      {X, hold_symbols, {embed}},               // (batch, token, d_model)
      {P, encode},                              // (position, d_model)
      {X_plus_P, add_positions, {X, plus(P)}},  // (batch, token, d_model)
      {Y_plus_P, add_positions, {Y, plus(P)}},  // (batch, key, d_source): Y is the second input of cross-attention

      {resid_pre, pass_on, {first_of(X_plus_P, X)}},  // (batch, token, d_model): the residual stream

      phase("Norm", "each row is scaled to the same spread"),
      // (batch, token, d_model): in cross-attention Y is projected as it is
      {N, normalise, {first_of(resid_pre, X_plus_P, X), times(norm_gain), plus(norm_bias)}},

      phase("Project", "three views of each token: query, key and value"),
      {Q, project, {first_of(N, resid_pre, X_plus_P, X), times(W_q), plus(b_q)}},  // (batch, query, heads·d_head)
      // (batch, key, kv_heads·d_head)
      {K, project, {first_of(Y_plus_P, Y, N, resid_pre, X_plus_P, X), times(W_k), plus(b_k)}},
      // (batch, key, kv_heads·d_head)
      {V, project, {first_of(Y_plus_P, Y, N, resid_pre, X_plus_P, X), times(W_v), plus(b_v)}},

      phase("Split", "each head takes its own columns"),
      {Q_heads, split, {Q}},  // (batch, head, query, d_head)
      {K_heads, split, {K}},  // (batch, kv_head, key, d_head)
      {V_heads, split, {V}},  // (batch, kv_head, key, d_head)
      // (batch, head, query, d_head)
      {Q_normed, normalise_heads, {Q_heads, times(first_of(q_gain, q_head_gains))}},
      // (batch, kv_head, key, d_head)
      {K_normed, normalise_heads, {K_heads, times(first_of(k_gain, k_head_gains))}},
      {Q_rotated, rotate, {first_of(Q_normed, Q_heads)}},  // (batch, head, query, d_head)
      {K_rotated, rotate, {first_of(K_normed, K_heads)}},  // (batch, kv_head, key, d_head)

      phase("Scores", "every query meets every key"),
      // (batch, head, query, key)
      {dot_products,
       multiply,
       {first_of(Q_rotated, Q_normed, Q_heads), times_transposed(first_of(K_rotated, K_normed, K_heads))}},
      {position_bias, bias_by_distance},                         // (head, query, key)
      {scores, scale, {dot_products, plus(position_bias)}},      // (batch, head, query, key)
      {capped_scores, cap, {scores}},                            // (batch, head, query, key)
      {masked_scores, mask, {first_of(capped_scores, scores)}},  // (batch, head, query, key)

      phase("Weights", "softmax turns scores into shares"),
      {weights, softmax, {masked_scores, plus(sinks)}},  // (batch, head, query, key): a sink is one more score
      {dropped_weights, dropout, {weights}},             // (batch, head, query, key)

      phase("Context", "each query averages the values by its weights"),
      {context, mix, {first_of(dropped_weights, weights), times(V_heads)}},  // (batch, head, query, d_head)

      phase("Concat", "the heads are put side by side again"),
      {concat, join, {context}},  // (batch, query, heads·d_head)

      phase("Output", "a last projection mixes the heads"),
      {output, project, {concat, times(W_o), plus(b_o)}},  // (batch, query, d_out)

      phase("Block", "what the heads wrote joins the stream, and an MLP adds to it, position by position"),
      {resid_mid, add, {resid_pre, plus(output)}},                                        // (batch, query, d_model)
      {N_post, normalise, {resid_mid, times(norm_gain), plus(norm_bias)}},                // (batch, query, d_model)
      {N_mlp, normalise, {resid_mid, times(mlp_norm_gain), plus(mlp_norm_bias)}},         // (batch, query, d_model)
      {mlp_pre, project, {first_of(N_mlp, N_post, resid_mid), times(W_in), plus(b_in)}},  // (batch, query, d_mlp)
      {mlp_gate, project, {first_of(N_mlp, N_post, resid_mid), times(W_gate), plus(b_gate)}},  // (batch, query, d_mlp)
      {mlp_act, activate, {first_of(mlp_gate, mlp_pre)}},                                      // (batch, query, d_mlp)
      {mlp_post, multiply_cells, {mlp_act, times(mlp_pre)}},                                   // (batch, query, d_mlp)
      {mlp_out, project, {first_of(mlp_post, mlp_act), times(W_out), plus(b_out)}},  // (batch, query, d_model)
      // (batch, query, d_model)
      {resid_post, add, {first_of(N_post, resid_mid, resid_pre), plus(first_of(mlp_out, output))}},
      {N_mlp_post, normalise, {resid_post, times(mlp_norm_gain), plus(mlp_norm_bias)}},  // (batch, query, d_model)
      // (batch, query, d_model)
      {N_final, normalise, {first_of(N_mlp_post, resid_post, N_post), times(final_norm_gain), plus(final_norm_bias)}},
      // (batch, query, answers·symbols)
      {unembed, project, {first_of(N_final, N_mlp_post, resid_post, N_post, output), times(W_U), plus(b_U)}},

      phase("Loss", "how far the answers are from the right ones"),
      // (batch, query, answers·symbols)
      {logits, take_answers, {first_of(unembed, N_final, N_mlp_post, resid_post, N_post, output)}},
      {probabilities, share_of_symbols, {logits}},  // (batch, query, answers·symbols)
      {loss, surprise, {probabilities}},            // (batch, query)
  };
}

Line start_of_backward_pass() {
  return {gradient_of(TensorId::loss), operations::mean_over_asked};  // (batch, query)
}

std::vector<Line> head_matrices() {
  using namespace operations;
  using enum TensorId;
  return {
      {W_qk, multiply_by_head, {W_q, times_transposed(W_k)}},  // (head, d_model, d_source)
      {W_vo, multiply_by_head, {W_v, times(W_o)}},             // (head, d_source, d_out)
  };
}

}  // namespace headlight
