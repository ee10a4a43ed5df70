// Reads the arrays behind a path as a layer of one family, as far as names and shapes allow.
#pragma once

#include <optional>
#include <string>

#include "core/formats/layers/attention_layer.hpp"
#include "core/formats/layers/model_arrays.hpp"

namespace headlight {

/// Whether such modules attend to another sequence, by their names.
bool is_cross_name(std::string_view path);

class LayerReader {
 public:
  LayerReader(const NamedArrays& model, const Family& family, const std::string& path);

  /// The number of the family's weights that are there.
  std::size_t found() const;
  bool is_complete() const { return found() == weight_names(family_).size(); }
  /// The path ends as it should, and at least half of the weights are there: not the output's alone, whose name many
  /// modules share.
  bool is_likely() const;

  /// The layer with its widths, but without heads and arrays; with its problems where weights are missing, do not fit,
  /// or are such that no setup can hold them. `source` is the file that was asked for.
  AttentionLayer read(const std::string& source);

 private:
  /// How many numbers a weight makes of how many, for each of its parts.
  struct Widths {
    Index in = 0;
    Index out = 0;
  };

  const ProjectionArrays& arrays_of(Projection projection) const {
    return family_.projections[static_cast<std::size_t>(projection)];
  }
  const StoredArray& weight_of(Projection projection) const {
    return *model_.find(layer_.path, arrays_of(projection).weight.name);
  }
  std::optional<Widths> widths(Projection projection) const;
  void add(const StoredArray& array, std::string found, std::string allowed);
  void report_missing(const std::string& source);
  void read_widths();
  void check_shapes();
  void check_shape(const ArrayPiece& piece, const Shape& wanted);
  void read_source();

  const NamedArrays& model_;
  const Family& family_;
  AttentionLayer layer_;
};

}  // namespace headlight
