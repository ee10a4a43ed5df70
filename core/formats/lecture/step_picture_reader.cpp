#include "core/formats/lecture/step_readers.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/composition/parts.hpp"
#include "core/formats/setup/setup_overrides.hpp"
#include "core/model/shapes.hpp"
#include "core/setup/play_number.hpp"
#include "core/text/wording.hpp"

namespace headlight {
namespace {

/// Whether each row of the tensor belongs to a query or to a key. The rows of X and of what is made from it count as
/// queries.
bool has_rows_of(TensorId tensor, Axis axis) {
  const TensorInfo& about = info(tensor);
  if (about.rank < 2) return false;
  const Axis rows = about.axes[static_cast<std::size_t>(about.rank - 2)];
  return rows == axis || (axis == Axis::query && rows == Axis::token);
}

constexpr Index most_features = 12;
constexpr std::size_t most_lines = 8;
constexpr Index most_arrows = 12;
constexpr std::array query_rows{TensorId::dot_products, TensorId::scores, TensorId::masked_scores, TensorId::weights};

/// The index of a feature, given by its name or its index; nullopt if it is neither.
std::optional<Index> feature_in(const TomlValue& value, Index count, const Setup& setup) {
  if (const auto* feature = value.as<std::int64_t>())
    return *feature >= 0 && *feature < count ? std::optional<Index>(*feature) : std::nullopt;
  const auto* const name = value.as<std::string>();
  if (name == nullptr || !setup.names_features()) return std::nullopt;
  for (Index feature = 0; feature < std::min(count, setup.sizes.d_model); ++feature)
    if (setup.feature_label(feature) == *name) return feature;
  return std::nullopt;
}

std::string allowed_features(Index count, const Setup& setup) {
  std::vector<std::string> allowed;
  if (setup.names_features() && count <= most_features)
    for (Index feature = 0; feature < count; ++feature)
      allowed.push_back(fmt::format("\"{}\"", setup.feature_label(feature)));
  allowed.push_back(fmt::format("an index from 0 to {}", count - 1));
  return listed(allowed);
}

/// The features that a key lists, each once.
std::vector<Index> read_features(TomlReader& reader, std::string_view key, Index count, const Setup& setup) {
  std::vector<Index> features;
  const TomlList& list = reader.list(key, "a list of features, such as [\"water\", \"money\"] or [0, 1]");
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto feature = feature_in(list[i], count, setup);
    if (feature && std::ranges::find(features, *feature) == features.end()) features.push_back(*feature);
    else
      reader.add_entry(key, i, feature ? describe(list[i]) + " again" : describe(list[i]),
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
  for (const std::size_t row : reader.read_words("rows", words)) picture.rows.push_back(*tensor_named(words[row]));
}

SentencePicture read_sentence(TomlReader& reader, const CheckedSetup& checked, const Step& step, bool mirrored) {
  const Setup& setup = checked.setup;
  SentencePicture picture{.mirrored = mirrored, .features = {}, .rows = {}};
  const Index count = setup.d_source();
  picture.features = read_features(reader, "features", count, setup);
  if (!reader.has("features")) {
    for (Index feature = 0; feature < std::min(count, most_features); ++feature) picture.features.push_back(feature);
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
  if (about.rank < 2 || !has_rows_of(about.id, Axis::query))
    reader.add("kind", fmt::format("a step about {}", name(step.look_at.tensor)),
               "a cell with a query, as cell = \"weights[0,0,2,1]\"");
  return picture;
}

/// A plain cell is labelled by its index on its last axis.
std::string label_of(const std::string& watched, const Setup& setup) {
  try {
    const Cell cell = parse_cell(watched, setup);
    const TensorInfo& about = info(cell.tensor);
    const Axis last = about.axes[static_cast<std::size_t>(about.rank - 1)];
    if (last == Axis::key) return setup.key_label(cell.index[about.rank - 1]);
    if (last == Axis::d_model) return setup.feature_label(cell.index[about.rank - 1]);
  } catch (const InputError&) {
    // An expression is its own label.
  }
  return watched;
}

/// A setup for each setting that `setups` lists, as in `set`.
std::vector<Setup> read_setups(TomlReader& reader, const CheckedSetup& checked, const std::filesystem::path& folder) {
  std::vector<std::string> settings;
  reader.read("setups", settings);
  std::vector<Setup> setups;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    try {
      setups.push_back(with_overrides(checked.setup, {settings[i]}, "setups",
                                      {.folder = folder, .access = ValueFiles::Access::in_folder}));
    } catch (const InputError& error) {
      for (const Problem& problem : error.problems()) reader.add_entry("setups", i, problem.found, problem.allowed);
    }
  }
  return setups;
}

/// One expression in each of several setups, or several in the setup that is shown.
CurvePicture read_curve(TomlReader& reader, const CheckedSetup& checked, const std::filesystem::path& folder) {
  CurvePicture picture;
  reader.read("play", picture.play);
  if (!can_play(checked.setup, picture.play))
    reader.add("play", picture.play.empty() ? "none" : fmt::format("\"{}\"", picture.play),
               "a number of the setup and its range, as \"temperature=0.1..10\" or \"W_q[2,5]=-2..2\"");
  std::vector<std::string> watched;
  std::vector<std::string> labels;
  reader.read("watch", watched);
  reader.read("labels", labels);
  const std::vector<Setup> setups = read_setups(reader, checked, folder);
  if (reader.has("setups")) {
    if (watched.size() != 1 || !reader.has("labels"))
      reader.add("setups", fmt::format("{} expressions and {} labels", watched.size(), labels.size()),
                 "one expression in watch, and a label for each setup");
    if (watched.size() == 1) watched = std::vector(setups.size(), watched.front());
  }
  if (watched.empty() || watched.size() > most_lines)
    reader.add("watch", fmt::format("{} expressions", watched.size()), fmt::format("1 to {}", most_lines));
  if (reader.has("labels") && labels.size() != watched.size())
    reader.add("labels", fmt::format("{} labels for {} lines", labels.size(), watched.size()), "one for each");
  labels.resize(watched.size());
  for (std::size_t i = 0; i < watched.size(); ++i) {
    try {
      if (!reader.has("labels")) labels[i] = label_of(watched[i], checked.setup);
      picture.lines.push_back({labels[i], Expression(watched[i]), {}});
      if (i < setups.size()) picture.lines.back().setup = setups[i];
    } catch (const InputError& error) {
      for (const Problem& problem : error.problems())
        reader.add_entry("watch", i, fmt::format("\"{}\": {}", watched[i], problem.found), problem.allowed);
    }
  }
  return picture;
}

/// The tensors whose rows are arrows: one, or two whose rows meet in a dot product.
std::vector<TensorId> read_tensors(TomlReader& reader, const Setup& setup) {
  const bool rotates = exists(TensorId::Q_rotated, setup);
  if (!reader.has("tensors"))
    return rotates ? std::vector{TensorId::Q_rotated, TensorId::K_rotated}
                   : std::vector{TensorId::Q_heads, TensorId::K_heads};
  std::vector<std::string> names;
  reader.read("tensors", names);
  std::vector<TensorId> tensors;
  for (const std::string& one : names)
    if (const auto tensor = tensor_named(one); tensor && exists(*tensor, setup)) tensors.push_back(*tensor);
  const auto fits = [&](TensorId tensor) {
    const bool rows = has_rows_of(tensor, Axis::query) || has_rows_of(tensor, Axis::key);
    return rows && info(tensor).axes[static_cast<std::size_t>(info(tensor).rank - 1)] != Axis::key;
  };
  const bool all = tensors.size() == names.size() && std::ranges::all_of(tensors, fits);
  const bool pair = tensors.size() == 2 && has_rows_of(tensors[0], Axis::query) && has_rows_of(tensors[1], Axis::key);
  if (all && (tensors.size() == 1 || pair)) return tensors;
  reader.add("tensors", fmt::format("[{}]", fmt::join(names, ", ")),
             "one with a row for each word, as [\"X\"], or that of the queries and that of the keys, as [\"Q_heads\", "
             "\"K_heads\"]");
  return {};
}

ArrowsPicture read_arrows(TomlReader& reader, const CheckedSetup& checked) {
  ArrowsPicture picture;
  picture.tensors = read_tensors(reader, checked.setup);
  if (picture.tensors.empty()) {
    for (std::string_view key : {"pair", "keys"}) reader.value(key);
    return picture;
  }
  const Shape extents = shape(picture.tensors.back(), checked.setup);
  const Index features = extents[extents.rank() - 1];
  const Index rows = extents[extents.rank() - 2];
  if (reader.has("pair")) {
    const auto pair = read_features(reader, "pair", features, checked.setup);
    if (pair.size() == 2) picture.pair = {pair[0], pair[1]};
    else reader.add("pair", fmt::format("{} features", pair.size()), "two, as [0, 1]");
  } else if (features < 2) {
    reader.add("tensors", fmt::format("{} with 1 feature", name(picture.tensors.back())),
               "one with 2 features or more");
  }
  reader.read("keys", picture.rows);
  for (std::size_t i = 0; i < picture.rows.size(); ++i)
    if (picture.rows[i] < 0 || picture.rows[i] >= rows)
      reader.add_entry("keys", i, fmt::format("{}", picture.rows[i]), fmt::format("a position from 0 to {}", rows - 1));
  const auto arrows = picture.rows.empty() ? rows : static_cast<Index>(picture.rows.size());
  if (arrows > most_arrows) reader.add("keys", fmt::format("{} arrows", arrows), fmt::format("up to {}", most_arrows));
  return picture;
}

/// SourcesPicture or HeadSourcesPicture.
template <class Picture>
Picture read_sources(TomlReader& reader, const CheckedSetup& checked, const Step& step) {
  const TensorId tensor = step.look_at.tensor;
  if (!has_parts(tensor))
    reader.add("kind", fmt::format("a step about {}", name(tensor)),
               "a score or a logit, as cell = \"L1.scores[0,0,9,4]\"");
  else if (checked.setup.sizes.layers > 1 && checked.setup.norms(NormPlacement::after))
    reader.add("kind", "a model with norms after attention and MLP", "no norms, or norms before");
  return {};
}

}  // namespace

std::optional<StepPicture> read_picture(TomlReader& reader, const CheckedSetup& checked, const Step& step,
                                        const std::filesystem::path& folder) {
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
    case 1: picture = read_sentence(table, checked, step, true); break;
    case 2: picture = read_curve(table, checked, folder); break;
    case 3: picture = read_arrows(table, checked); break;
    case 4: picture = ShapesPicture{}; break;
    case 5: picture = read_sources<SourcesPicture>(table, checked, step); break;
    default: picture = read_sources<HeadSourcesPicture>(table, checked, step); break;
  }
  table.finish();
  return reader.problems().size() == before ? picture : std::nullopt;
}

}  // namespace headlight
