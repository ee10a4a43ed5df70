#include "core/formats/arrays/safetensors.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/formats/arrays/element_type.hpp"
#include "core/formats/files.hpp"
#include "core/formats/json.hpp"
#include "core/model/problem.hpp"
#include "core/text/characters.hpp"

namespace headlight {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::uint64_t length_bytes = 8;
constexpr std::uint64_t largest_safetensors_header = largest_text_file;
constexpr const char* a_header =
    "a safetensors header, {\"name\": {\"dtype\": ..., \"shape\": ..., \"data_offsets\": ...}}";

constexpr std::array<std::pair<std::string_view, ElementType>, 13> safetensors_types{{
    {"BOOL", ElementType::boolean},
    {"I8", ElementType::int8},
    {"I16", ElementType::int16},
    {"I32", ElementType::int32},
    {"I64", ElementType::int64},
    {"U8", ElementType::uint8},
    {"U16", ElementType::uint16},
    {"U32", ElementType::uint32},
    {"U64", ElementType::uint64},
    {"F16", ElementType::float16},
    {"BF16", ElementType::bfloat16},
    {"F32", ElementType::float32},
    {"F64", ElementType::float64},
}};

std::optional<ElementType> type_named(std::string_view word) {
  const auto* const found =
      std::ranges::find(safetensors_types, word, &std::pair<std::string_view, ElementType>::first);
  if (found == safetensors_types.end()) return std::nullopt;
  return found->second;
}

/// One array in the header, with its place in the bytes after the header.
struct Entry {
  ArrayInfo info;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

struct SafetensorsHeader {
  std::vector<Entry> entries;  ///< in the order of their places
  std::uint64_t data = 0;      ///< where the numbers begin in the file
};

/// Reads and judges the header of a file that is open at its beginning.
class HeaderReader {
 public:
  HeaderReader(FileReader& file, std::string source) : file_(file), source_(std::move(source)) {}

  SafetensorsHeader read() {
    SafetensorsHeader header;
    const std::string text = read_text();
    header.data = length_bytes + text.size();
    const Json document = parse_json_object(text, source_, a_header, RepeatedKeys::refused);
    header.entries.reserve(document.size());
    for (const auto& [name, value] : document.items()) {
      if (name != "__metadata__") header.entries.push_back(entry(name, value));
    }
    std::ranges::sort(header.entries, [](const Entry& a, const Entry& b) {
      return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    require_side_by_side(header);
    return header;
  }

 private:
  [[noreturn]] void fail(std::string_view key, std::string found, std::string allowed) const {
    throw InputError({source_, std::string(first_bytes(key, 200)), std::move(found), std::move(allowed)});
  }

  std::string read_text() {
    std::array<unsigned char, length_bytes> bytes{};
    if (file_.read(reinterpret_cast<char*>(bytes.data()), length_bytes) != length_bytes)
      fail("", "a file that ends early", "a safetensors file");
    std::uint64_t length = 0;
    for (std::size_t i = bytes.size(); i > 0; --i) length = length << 8 | bytes[i - 1];
    if (length > file_.size() - length_bytes) {
      fail("", fmt::format("a header of {} bytes in a file of {}", length, file_.size()),
           "a safetensors file, which holds its header");
    }
    if (length > largest_safetensors_header)
      fail("", fmt::format("a header of {} bytes", length), fmt::format("up to {}", largest_safetensors_header));
    std::string text(length, '\0');
    if (file_.read(text.data(), length) != length) fail("", "a file that ends early", "a safetensors file");
    return text;
  }

  Entry entry(const std::string& name, const Json& value) const {
    Entry result;
    result.info.name = name;
    result.info.type = text_of(name, value);
    result.info.extents = wholes(name, value, "shape");
    result.info.has_numbers = type_named(result.info.type).has_value();
    const std::vector<Index> offsets = wholes(name, value, "data_offsets");
    if (offsets.size() != 2 || offsets[0] > offsets[1])
      fail(name, fmt::format("data_offsets [{}]", fmt::join(offsets, ", ")), "where its bytes begin and end");
    result.begin = static_cast<std::uint64_t>(offsets[0]);
    result.end = static_cast<std::uint64_t>(offsets[1]);
    require_size(result);
    return result;
  }

  std::string text_of(const std::string& name, const Json& value) const {
    const auto found = value.is_object() ? value.find("dtype") : value.end();
    if (!value.is_object() || found == value.end() || !found->is_string()) fail(name, "no dtype", a_header);
    return found->get<std::string>();
  }

  std::vector<Index> wholes(const std::string& name, const Json& value, const char* key) const {
    const auto found = value.find(key);
    if (found == value.end() || !found->is_array()) fail(name, fmt::format("no {}", key), a_header);
    std::vector<Index> numbers;
    for (const Json& number : *found) {
      if (!number.is_number_unsigned() || number.get<std::uint64_t>() > largest_whole)
        fail(name, fmt::format("{} with something other than whole numbers", key), a_header);
      numbers.push_back(number.get<Index>());
    }
    return numbers;
  }

  /// Types that are not known here have sizes that are not known either.
  void require_size(const Entry& entry) const {
    const auto type = type_named(entry.info.type);
    if (!type) return;
    std::uint64_t bytes = bytes_of(*type);
    for (const Index extent : entry.info.extents) {
      if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(extent), &bytes)) bytes = largest_whole;
    }
    if (entry.end - entry.begin == bytes) return;
    fail(entry.info.name, fmt::format("{} bytes", entry.end - entry.begin),
         fmt::format("{} for {} of shape ({})", bytes, entry.info.type, fmt::join(entry.info.extents, ", ")));
  }

  void require_side_by_side(const SafetensorsHeader& header) const {
    const std::uint64_t all = file_.size() - header.data;
    std::uint64_t offset = 0;
    for (const Entry& entry : header.entries) {
      if (entry.end > all)
        fail(entry.info.name, fmt::format("bytes up to {}", entry.end), fmt::format("up to the file's {}", all));
      if (entry.begin != offset) {
        fail(entry.info.name, fmt::format("bytes from {}", entry.begin),
             fmt::format("from {}, where those before it end: no two overlap, and none are left out", offset));
      }
      offset = entry.end;
    }
    if (offset != all) fail("", fmt::format("{} bytes of numbers", all), fmt::format("{}, as in the header", offset));
  }

  static constexpr std::uint64_t largest_whole = std::uint64_t{1} << 62;
  FileReader& file_;
  std::string source_;
};

SafetensorsHeader read_header(FileReader& file, const fs::path& path) {
  return HeaderReader(file, path.string()).read();
}

}  // namespace

struct SafetensorsFile::State {
  explicit State(const fs::path& path) : file(path), source(path.string()) {
    SafetensorsHeader header = read_header(file, path);
    data = header.data;
    require_few_arrays(header.entries.size(), source);
    for (Entry& entry : header.entries) {
      begins.push_back(entry.begin);
      arrays.push_back(std::move(entry.info));
    }
    names = ArrayNames(arrays, source);
  }

  FileReader file;
  std::string source;
  std::vector<ArrayInfo> arrays;
  std::vector<std::uint64_t> begins;  ///< of the arrays' numbers, after `data`
  std::uint64_t data = 0;             ///< where the numbers begin in the file
  ArrayNames names;
};

SafetensorsFile::SafetensorsFile(const fs::path& path) : state_(std::make_unique<State>(path)) {}
SafetensorsFile::~SafetensorsFile() = default;

const std::vector<ArrayInfo>& SafetensorsFile::arrays() { return state_->arrays; }

ArrayInfo SafetensorsFile::info(std::string_view name) { return state_->arrays[state_->names.index_of(name)]; }

Tensor SafetensorsFile::read(std::string_view name, std::int64_t limit, std::optional<Index> wanted_entry) {
  const std::size_t index = state_->names.index_of(name);
  const ArrayInfo& array = state_->arrays[index];
  const std::string& source = state_->source;
  const auto type = type_named(array.type);
  if (!type)
    throw InputError({source, array.name, array.type, "F64, F32, F16, BF16, whole numbers (I8 to U64) or BOOL"});
  const ArrayInfo taken = wanted_entry ? entry_of(array, *wanted_entry, source) : array;
  const Shape shape = shape_within(taken, held_as(*type), source, limit);
  const auto before = static_cast<std::uint64_t>(wanted_entry.value_or(0) * shape.elements()) * bytes_of(*type);
  state_->file.seek(state_->data + state_->begins[index] + before);
  const auto read = [&](char* to, std::size_t count) {
    if (state_->file.read(to, count) != count)
      throw InputError({source, array.name, "a file that ends early", "a whole array"});
  };
  return read_numbers(read, *type, shape);
}

}  // namespace headlight
