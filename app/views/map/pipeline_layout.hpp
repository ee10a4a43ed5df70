// The layout of the pipeline map: thumbnails, wires and phases as a function of the setup.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "app/ui/drawing/geometry.hpp"
#include "core/model/names.hpp"
#include "core/model/setup.hpp"
#include "core/stages/table.hpp"

namespace headlight {

/// A live picture of one matrix: a whole tensor, or one head of it.
struct MapThumb {
  Index head = 0;  ///< a query head; for keys and values the first that reads them; 0 without heads
  Rect rect;       ///< of the cells; the frame is around it

  friend bool operator==(const MapThumb&, const MapThumb&) = default;
};

struct MapTensor {
  TensorId id = TensorId::X;
  std::vector<MapThumb> thumbs = {};
  Rect bounds = {};         ///< of all thumbs
  bool has_letter = false;  ///< to the left: nothing else on the map names it
  bool stacked = false;     ///< too many heads to show: one thumb represents them all
  float slot_left = 0;      ///< the room for words below the tensor: to the middles of its neighbours
  float slot_right = 0;

  friend bool operator==(const MapTensor&, const MapTensor&) = default;
};

struct MapWire {
  enum class Path : std::uint8_t {
    direct,      ///< leaves and arrives horizontally
    underneath,  ///< level until below its target, then climbs
    to_rail,     ///< leaves horizontally, arrives from below
    upright      ///< between the rail and what is below it
  };
  Point from;
  Point to;
  Role role = Role::neutral;
  Path path = Path::direct;

  friend bool operator==(const MapWire&, const MapWire&) = default;
};

/// The residual stream of several layers: a line above the pictures. What reads it hangs below it, and what is added to
/// it climbs up to a ⊕.
struct MapRail {
  struct Piece {
    float from;
    float to;

    friend bool operator==(const Piece&, const Piece&) = default;
  };
  float y = 0;
  float joint = 0;            ///< radius of a ⊕
  std::vector<Piece> pieces;  ///< from left to right; a norm after the addition interrupts it
  std::vector<float> joints;  ///< the middles of the ⊕

  friend bool operator==(const MapRail&, const MapRail&) = default;
};

/// One phase of the forward pass, numbered as in the lectures.
struct MapPhase {
  PhaseInfo about;
  Rect area = {};  ///< lit while one of its tensors is selected
  float text_x = 0;
  std::vector<TensorId> tensors = {};  ///< from left to right on the map

  bool holds(TensorId id) const;
  friend bool operator==(const MapPhase&, const MapPhase&) = default;
};

struct PipelineLayout {
  std::vector<MapPhase> phases;
  std::vector<MapTensor> tensors;  ///< every tensor of the setup; empty if there is room only for names
  std::vector<MapWire> wires;
  std::optional<MapRail> rail;  ///< of a setup with several layers, if there is room for pictures
  float heading_baseline = 0;
  float operation_baseline = 0;  ///< 0 if there is no room for operations
  float shape_baseline = 0;      ///< 0 if there is no room for shapes

  const MapTensor* find(TensorId id) const;
};

/// How many columns of pictures the map has, side by side.
Index map_columns(const Setup& setup);

/// `head` is the selected head: if there are too many to show, its picture represents them all.
PipelineLayout pipeline_layout(const Rect& area, const Setup& setup, Index head);

}  // namespace headlight
