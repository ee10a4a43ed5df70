// The file config.json beside the weights of a model.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/model/shape.hpp"

namespace headlight {

/// What config.json says of one part of a model: its text, its images, its decoder. A key is looked for in the table of
/// the part, and then in the document, unless that is about another part. What is not of the kind that is asked for
/// counts as absent.
class ConfigPart {
 public:
  /// How positions turn queries and keys.
  struct Rotary {
    std::optional<double> base = {};     ///< rope_theta
    std::optional<double> share = {};    ///< of a head's features that are turned
    std::optional<Index> features = {};  ///< how many of them are
    double ratio = 1;                    ///< rope_ratio, which families read differently
    std::string_view besides = {};       ///< what no setup can say of them, in words; empty: nothing
  };

  /// A number of heads, and the key that has it.
  struct Heads {
    std::string key;
    Index heads = 0;
  };

  ConfigPart() = default;
  ConfigPart(std::shared_ptr<const nlohmann::json> document, std::string_view path);

  /// `model_type`, or what the class in `architectures` is called: "gptneox" of GPTNeoXForCausalLM. Empty if the file
  /// has neither. The type of the whole where the part has none; a part of images is "clip:vision" then.
  std::string type() const;
  /// The file's own word for it, for messages.
  std::string type_in_words() const;

  bool has(const char* key) const;                      ///< as anything but null
  bool says(const char* key) const;                     ///< also as null
  std::optional<double> number(const char* key) const;  ///< above 0
  std::optional<Index> size(const char* key) const;     ///< at least 1
  std::optional<Index> count(const char* key) const;    ///< at least 0
  std::optional<bool> flag(const char* key) const;
  std::string word(const char* key) const;  ///< empty where there is none
  /// The entry of a list of numbers or of true and false.
  std::optional<double> entry(const char* list, Index index) const;
  /// The entry of a list of words; empty where there is none.
  std::string word_in(const char* list, Index index) const;
  Index length(const char* list) const;  ///< 0 where there is no list

  std::optional<Heads> heads() const;
  /// Of the layers of a kind, "full_attention" or "sliding_attention", if the angles differ; else of all.
  Rotary rotary(const char* layers = "full_attention") const;
  bool is_of_images() const { return is_of_images_; }

 private:
  const nlohmann::json* find(const char* key) const;

  std::shared_ptr<const nlohmann::json> document_;
  std::vector<std::pair<std::string, const nlohmann::json*>> tables_;  ///< by name, the part's own first
  std::string path_;
  bool is_of_images_ = false;
};

class ModelConfig {
 public:
  std::string source;  ///< the file; empty where there is none

  ModelConfig() = default;
  ModelConfig(std::string file, nlohmann::json document);

  /// What it says of the part of the model that has the layer with this path.
  ConfigPart part_of(std::string_view path) const { return {document_, path}; }
  /// The number of heads of the layer with this path; nothing if the file has none.
  std::optional<ConfigPart::Heads> heads_of(std::string_view path) const { return part_of(path).heads(); }
  /// How the numbers are packed into few bits, by `quantization_config`: "bitsandbytes"; empty if they are not.
  std::string quantized() const;

 private:
  std::shared_ptr<const nlohmann::json> document_;
};

/// Throws InputError naming `source` if the text is not a JSON object, or if a value that must be a number is not.
ModelConfig parse_model_config(std::string_view text, const std::string& source);

/// Reads the file of this name in the folder, or Meta's params.json; if there is neither, the result is empty.
ModelConfig read_model_config(const std::filesystem::path& folder);

}  // namespace headlight
