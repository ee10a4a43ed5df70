// A model as a whole: its layers computed from one another. Only what is known is in the chain; where a part isn't, it
// is cut there, and says so.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/formats/layers/attention_layer.hpp"
#include "core/formats/layers/blocks.hpp"
#include "core/formats/layers/model_arrays.hpp"
#include "core/model/problem.hpp"
#include "core/model/setup.hpp"

namespace headlight {

/// What fills a tensor of one of the layers, or of the ends, which have no layer.
struct ChainArray {
  LayerArray array;
  Index layer = 0;
};

struct WholeModel {
  std::filesystem::path file;
  std::shared_ptr<const NamedArrays> arrays;
  const BlockFamily* family = nullptr;
  std::string stack;         ///< the path of its blocks: "transformer.h"
  AttentionLayer attention;  ///< of its first layer, which those of all others are like
  Index stored = 0;          ///< layers that the file has
  Index layers = 0;          ///< layers in the chain, at most as many
  Index length = 0;          ///< positions of the text
  Mlp mlp = Mlp::none;       ///< none only where the chain is cut before the first MLP
  Index d_mlp = 0;
  NormPlacement placement = NormPlacement::before;
  bool bend_is_assumed = false;  ///< no file tells how the MLP bends
  bool placement_is_assumed = false;
  double epsilon = 0;
  std::vector<ChainArray> numbers;       ///< of the layers in the chain
  std::vector<LayerArray> ends;          ///< of the last norm and the unembedding, as far as they are known
  Index columns = 0;                     ///< of the unembedding; 0: none is known
  std::optional<std::size_t> input;      ///< what enters the first layer, if the file has it
  std::optional<std::size_t> embedding;  ///< else rows of this array, where there is one
  std::optional<std::size_t> positions;  ///< which are added to them
  std::vector<Index> symbols;            ///< the rows that a person asked for; empty: the first ones
  Labels tokens;                         ///< of the positions; may be null
  std::string cut;                       ///< where the chain is cut, and why; empty where it is whole
  std::vector<std::string> assumed;      ///< assumed, because no file tells
  std::vector<std::string> findings;     ///< what captured results say
  std::vector<Problem> problems;         ///< why there is no chain; empty where there is one

  bool has_last_norm() const;
  /// "layers 0 to 11 of 12, computed from one another", "layer 0 of 2, without its MLP".
  std::string in_words() const;
  /// What a person should know before believing its numbers: what captured results say, and where it is cut.
  std::vector<std::string> remarks() const;
};

/// Keeps so many layers of the chain, and nothing after them.
void shorten(WholeModel& whole, Index layers, std::string why);

}  // namespace headlight
