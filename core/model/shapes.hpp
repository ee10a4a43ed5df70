// Which tensors a setup has and their shapes, known before anything is computed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/model/names.hpp"
#include "core/model/setup.hpp"

namespace headlight {

/// The extent of an axis under a (valid) setup.
Index extent(Axis axis, const Setup& setup);

/// The axis that a person reads: the features of Y and of the output are d_model too where they are as many, and the
/// positions of X are those of the queries where none is before them.
Axis named_axis(Axis axis, const Setup& setup);

/// What the tensor is, in one sentence: as the names table says, unless the setup makes it another one.
std::string_view words_about(TensorId id, const Setup& setup);

/// Whether a trace of this setup holds the tensor, as the names table says.
bool exists(TensorId id, const Setup& setup);
std::vector<TensorId> existing_tensors(const Setup& setup);
/// "X, Q, K", for messages.
std::string existing_names(const Setup& setup);

/// The tensor that names a picture of this one: if nothing is masked, masked scores are just the scores.
TensorId named_after(TensorId id, const Setup& setup);

/// Whether the setup draws or gives the tensor: nothing is computed to have it.
bool is_drawn(TensorId id, const Setup& setup);

/// The tensors that training changes: every weight, bias, gain and shift of the setup, and a learned P, in the order of
/// drawn_tensors.
std::vector<TensorId> learned_tensors(const Setup& setup);

/// The shape of a tensor, in the order of its axes in the names table (rows are queries).
Shape shape(TensorId id, const Setup& setup);

/// Whether traces of both setups hold the tensor with the same shape and precision, or neither holds it.
bool same_form(TensorId id, const Setup& a, const Setup& b);

/// The index on an axis that picks the matrix of a batch item and a query head: the item, the head, or the key and
/// value head that the query head reads; 0 on every other axis.
Index index_on(Axis axis, Index batch, Index head, const Setup& setup);

}  // namespace headlight
