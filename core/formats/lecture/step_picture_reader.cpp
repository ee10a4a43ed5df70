#include "core/formats/lecture/step_picture_reader.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/model/shapes.hpp"

namespace headlight {
namespace {

constexpr Index most_features = 12;
constexpr std::array query_rows{TensorId::dot_products, TensorId::scores, TensorId::masked_scores, TensorId::weights};

/// The place of a feature, by its name or its index; nullopt if it is neither.
std::optional<Index> feature_in(const TomlValue& value, Index count, const Setup& setup) {
  if (const auto* place = value.as<std::int64_t>())
    return *place >= 0 && *place < count ? std::optional<Index>(*place) : std::nullopt;
  const auto* const name = value.as<std::string>();
  if (name == nullptr || !setup.names_features()) return std::nullopt;
  for (Index place = 0; place < std::min(count, setup.sizes.d_model); ++place)
    if (setup.feature_label(place) == *name) return place;
  return std::nullopt;
}

std::string allowed_features(Index count, const Setup& setup) {
  std::string names;
  if (setup.names_features() && count <= most_features)
    for (Index place = 0; place < count; ++place)
      names += fmt::format("\"{}\"{}", setup.feature_label(place), place + 1 < count ? ", " : " or ");
  return fmt::format("{}a place from 0 to {}", names, count - 1);
}

/// The features that a key lists, each once.
std::vector<Index> read_features(TomlReader& reader, std::string_view key, Index count, const Setup& setup) {
  std::vector<Index> features;
  const TomlList& list = reader.list(key, "a list of features, such as [\"water\", \"money\"] or [0, 1]");
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto place = feature_in(list[i], count, setup);
    if (place && std::ranges::find(features, *place) == features.end()) features.push_back(*place);
    else
      reader.add_entry(key, i, place ? describe(list[i]) + " again" : describe(list[i]),
                       allowed_features(count, setup));
  }
  return features;
}

void read_rows(TomlReader& reader, const Setup& setup, SentencePicture& picture) {
  std::vector<std::string_view> words;
  for (const TensorId tensor : query_rows)
    if (exists(tensor, setup)) words.push_back(name(tensor));
  picture.rows = {TensorId::weights};
  if (!reader.has("rows")) return;
  picture.rows.clear();
  for (const std::size_t place : reader.read_words("rows", words)) picture.rows.push_back(*tensor_named(words[place]));
}

SentencePicture read_sentence(TomlReader& reader, const CheckedSetup& checked, const Step& step, bool mirrored) {
  const Setup& setup = checked.setup;
  SentencePicture picture{.mirrored = mirrored, .features = {}, .rows = {}};
  const Index count = setup.d_source();
  picture.features = read_features(reader, "features", count, setup);
  if (!reader.has("features")) {
    for (Index place = 0; place < std::min(count, most_features); ++place) picture.features.push_back(place);
    if (count > most_features)
      reader.add("features", fmt::format("none of {}", count), fmt::format("up to {} of them", most_features));
  } else if (picture.features.size() > most_features) {
    reader.add("features", fmt::format("{}", picture.features.size()), fmt::format("up to {}", most_features));
  }
  read_rows(reader, setup, picture);
  picture.blend = std::ranges::find(picture.rows, TensorId::weights) != picture.rows.end() && setup.d_out() == count;
  reader.read("blend", picture.blend);
  if (picture.blend && setup.d_out() != count)
    reader.add("blend", "true",
               fmt::format("false, because the output has {} features and the words have {}", setup.d_out(), count));
  if (mirrored && step.set.empty()) reader.add("kind", "\"mirror\" in a step that sets nothing", "it beside set");
  if (mirrored && picture.rows.empty()) reader.add("rows", "none", "at least one beside \"mirror\"");
  const TensorInfo& about = info(step.look_at.tensor);
  if (about.rank < 2 || about.axes[static_cast<std::size_t>(about.rank - 2)] != Axis::query)
    reader.add("kind", fmt::format("a step about {}", name(step.look_at.tensor)),
               "a cell with a query, as cell = \"weights[0,0,2,1]\"");
  return picture;
}

}  // namespace

std::optional<StepPicture> read_picture(TomlReader& reader, const CheckedSetup& checked, const Step& step) {
  if (!reader.has("picture")) return std::nullopt;
  const std::size_t before = reader.problems().size();
  TomlReader table = reader.table("picture");
  if (!table.has("kind") && reader.problems().size() == before) table.add("kind", "none", one_of(picture_kinds));
  const auto kind = table.read_word("kind", picture_kinds);
  // Where the setup or the kind is unknown, nothing else can be checked.
  if (!kind || !checked.valid) return std::nullopt;
  std::optional<StepPicture> picture;
  switch (*kind) {
    case 0: picture = read_sentence(table, checked, step, false); break;
    default: picture = read_sentence(table, checked, step, true); break;
  }
  table.finish();
  return reader.problems().size() == before ? picture : std::nullopt;
}

}  // namespace headlight
