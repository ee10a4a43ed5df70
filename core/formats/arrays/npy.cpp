#include "core/formats/arrays/npy.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/formats/arrays/element_type.hpp"
#include "core/model/problem.hpp"
#include "core/text/characters.hpp"
#include "core/text/numbers.hpp"

namespace headlight {
namespace {

static_assert(std::endian::native == std::endian::little, "the numbers are written as they are in memory");

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t preamble = 10;  // magic, two bytes for the version, two for the header's length
constexpr std::size_t largest_npy_header = 65536;
constexpr std::size_t most_axes = 64;  // of NumPy

const char* type_code(Precision precision) { return precision == Precision::float32 ? "<f4" : "<f8"; }

/// Copies the elements [first, first + count) of a tensor, in row-major order, to `to`.
template <class T>
void copy_elements(const Tensor& tensor, Index first, Index count, T* to) {
  const T* from = tensor.data<T>();
  if (tensor.is_contiguous()) {
    std::copy_n(from + first, count, to);
    return;
  }
  const Shape& extents = tensor.shape();
  const int last = extents.rank() - 1;
  const Index columns = extents[last];
  for (Index done = 0; done < count;) {
    // Copies row by row. `offset` is where the row starts in the tensor's memory, `wanted` how many of its elements to
    // copy.
    const Index column = (first + done) % columns;
    Index row = (first + done) / columns;
    Index offset = 0;
    for (int axis = last - 1; axis >= 0; --axis) {
      offset += row % extents[axis] * tensor.strides()[axis];
      row /= extents[axis];
    }
    const Index stride = tensor.strides()[last];
    const Index wanted = std::min(columns - column, count - done);
    for (Index i = 0; i < wanted; ++i) to[done + i] = from[offset + (column + i) * stride];
    done += wanted;
  }
}

/// The first bytes of a value in a header, for a message. A damaged file can have any bytes there.
std::string shown(std::string_view bytes) {
  constexpr std::size_t most = 40;
  if (bytes.empty()) return "nothing";
  std::string text(bytes.substr(0, most));
  for (char& c : text)
    if (c < ' ' || c > '~') c = '?';
  return text;
}

/// The header of a .npy file: the numbers after it.
struct NpyHeader {
  ElementType type = ElementType::float64;
  bool big_endian = false;
  bool fortran_order = false;
  std::vector<Index> extents = {};
};

/// By their codes, without the letter in front, which is the order of the bytes.
constexpr std::array<std::pair<std::string_view, ElementType>, 12> npy_types{{
    {"f8", ElementType::float64},
    {"f4", ElementType::float32},
    {"f2", ElementType::float16},
    {"i8", ElementType::int64},
    {"i4", ElementType::int32},
    {"i2", ElementType::int16},
    {"i1", ElementType::int8},
    {"u8", ElementType::uint64},
    {"u4", ElementType::uint32},
    {"u2", ElementType::uint16},
    {"u1", ElementType::uint8},
    {"b1", ElementType::boolean},
}};
constexpr std::string_view byte_orders = "<>=|";
constexpr char big_endian = '>';

/// Reads the header's text, a Python literal: {'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }
class HeaderText {
 public:
  HeaderText(std::string_view text, const std::string& source) : text_(text), source_(source) {}

  NpyHeader read() {
    NpyHeader header;
    header.type = read_type();
    header.big_endian = type_text().starts_with(big_endian);
    header.fortran_order = read_order();
    header.extents = read_extents();
    return header;
  }

  /// How many characters each text has room for, and how many bytes a character takes: "<U7", "|S7".
  std::pair<std::size_t, std::size_t> read_text_width() const {
    const std::string_view text = type_text();
    const bool is_unicode = text.starts_with("<U"), is_bytes = text.starts_with("|S");
    const auto width = number_from<Index>(text.substr(std::min<std::size_t>(2, text.size())));
    constexpr Index widest = 10'000;
    if (!(is_unicode || is_bytes) || !width || *width < 0 || *width > widest)
      fail("descr", fmt::format("'{}'", shown(text)),
           "texts ('<U7' or '|S7'), as np.array([\"The\", \"cat\"]) has; no Python objects, which are a pickle");
    return {static_cast<std::size_t>(*width), is_unicode ? 4 : 1};
  }

  ArrayInfo read_info() const { return {"", read_extents(), shown(type_text()), known_type() != npy_types.end()}; }

  /// How many bytes an element takes; nothing for types that can't be read.
  std::optional<std::uint64_t> read_width() const {
    if (known_type() != npy_types.end()) return bytes_of(known_type()->second);
    const std::string_view text = type_text();
    if (!text.starts_with("<U") && !text.starts_with("|S")) return std::nullopt;
    const auto [characters, width] = read_text_width();
    return characters * width;
  }

 private:
  [[noreturn]] void fail(std::string key, std::string found, std::string allowed) const {
    throw InputError({source_, std::move(key), std::move(found), std::move(allowed)});
  }

  /// The text after "'key':".
  std::string_view after(std::string_view key) const {
    auto at = text_.find(fmt::format("'{}'", key));
    if (at == std::string_view::npos) at = text_.find(fmt::format("\"{}\"", key));
    if (at == std::string_view::npos)
      fail(std::string(key), "none", "an array header with descr, fortran_order and shape");
    const auto value = text_.find_first_not_of(" :", at + key.size() + 2);
    return value == std::string_view::npos ? std::string_view{} : text_.substr(value);
  }

  /// "<f8"
  std::string_view type_text() const {
    const std::string_view value = after("descr");
    return trimmed(value.substr(0, value.find_first_of(",}")), " '\"");
  }

  const std::pair<std::string_view, ElementType>* known_type() const {
    std::string_view code = type_text();
    if (!code.empty() && byte_orders.find(code.front()) != std::string_view::npos) code.remove_prefix(1);
    return std::ranges::find(npy_types, code, &std::pair<std::string_view, ElementType>::first);
  }

  ElementType read_type() const {
    const std::string_view text = type_text();
    const auto* const found = known_type();
    if (found != npy_types.end()) return found->second;
    if (text.starts_with("|O"))
      fail("descr", "'|O': Python objects, which are a pickle and never loaded", "an array of numbers");
    fail("descr", fmt::format("'{}'", shown(text)),
         "floats ('<f8', '<f4', '<f2'), whole numbers ('<i8') or '|b1', of either byte order");
  }

  bool read_order() const {
    const std::string_view value = after("fortran_order");
    if (!value.starts_with("True") && !value.starts_with("False")) fail("fortran_order", "neither", "True or False");
    return value.starts_with("True");
  }

  std::vector<Index> read_extents() const {
    const std::string_view value = after("shape");
    const auto close = value.find(')');
    if (!value.starts_with('(') || close == std::string_view::npos) fail("shape", "none", "extents in parentheses");
    const auto extents = parse_extents(value.substr(1, close - 1));
    if (!extents)
      fail("shape", shown(value.substr(0, close + 1)), fmt::format("up to {} extents of at least 0", most_axes));
    return *extents;
  }

  static std::optional<std::vector<Index>> parse_extents(std::string_view text) {
    std::vector<Index> extents;
    while (true) {
      text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
      if (text.empty()) return extents;
      Index extent = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
      if (error != std::errc{} || extent < 0 || extents.size() == most_axes) return std::nullopt;
      extents.push_back(extent);
      text.remove_prefix(static_cast<std::size_t>(end - text.data()));
      text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
      if (!text.empty() && text.front() != ',') return std::nullopt;
      if (!text.empty()) text.remove_prefix(1);
    }
  }

  std::string_view text_;
  const std::string& source_;
};

std::size_t little_endian(std::string_view bytes) {
  std::size_t value = 0;
  for (std::size_t i = bytes.size(); i > 0; --i) value = value << 8 | static_cast<unsigned char>(bytes[i - 1]);
  return value;
}

/// The shape with 1 in place of every 0. An array with an axis of length 0 has no elements, but its other axes must
/// still be small enough that their product does not overflow.
Shape without_zeros(Shape shape) {
  for (int axis = 0; axis < shape.rank(); ++axis) shape[axis] = std::max<Index>(shape[axis], 1);
  return shape;
}

Shape reversed(const Shape& shape) {
  Shape result;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) result.push_back(shape[axis]);
  return result;
}

/// Throws InputError if there are more axes than a Shape can hold. An entry has one fewer, but Fortran's order scatters
/// it over the whole file, so that the whole array is held first.
void require_few_axes(const NpyHeader& header, bool of_entry, const std::string& source) {
  const bool picks = of_entry && !header.fortran_order;
  const auto most = static_cast<std::size_t>(Shape::max_rank) + (picks ? 1 : 0);
  if (header.extents.size() <= most) return;
  throw InputError({source, "shape", fmt::format("({})", fmt::join(header.extents, ", ")),
                    fmt::format("up to {} axes{}", most, of_entry && !picks ? " in Fortran's order" : "")});
}

Tensor with_reversed_axes(Tensor tensor) {
  for (int axis = 0; axis < tensor.shape().rank() / 2; ++axis)
    tensor = tensor.transposed(axis, tensor.shape().rank() - 1 - axis);
  return tensor;
}

}  // namespace

std::string npy_header(Precision precision, const Shape& shape) {
  constexpr std::size_t multiple = 64;
  std::string text =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", type_code(precision), shape.to_string());
  const std::size_t used = preamble + text.size() + 1;
  text.append((multiple - used % multiple) % multiple, ' ');
  text += '\n';
  std::string header(magic);
  header += {'\x01', '\x00', static_cast<char>(text.size() & 0xFF), static_cast<char>(text.size() >> 8)};
  return header + text;
}

NpyStream::NpyStream(Tensor tensor)
    : tensor_(std::move(tensor)), piece_(npy_header(tensor_.precision(), tensor_.shape())) {}

std::size_t NpyStream::size() const {
  return npy_header(tensor_.precision(), tensor_.shape()).size() +
         static_cast<std::size_t>(tensor_.elements()) * bytes_per_element(tensor_.precision());
}

void NpyStream::fill_piece() {
  const Index count = std::min(piece_elements, tensor_.elements() - next_);
  piece_at_ = 0;
  piece_.resize(static_cast<std::size_t>(count) * bytes_per_element(tensor_.precision()));
  with_element_type(tensor_.precision(), [&](auto zero) {
    copy_elements(tensor_, next_, count, reinterpret_cast<decltype(zero)*>(piece_.data()));
  });
  next_ += count;
}

std::size_t NpyStream::read(char* to, std::size_t count) {
  std::size_t given = 0;
  while (given < count) {
    if (piece_at_ == piece_.size()) fill_piece();
    if (piece_.empty()) break;
    const std::size_t bytes = std::min(count - given, piece_.size() - piece_at_);
    std::memcpy(to + given, piece_.data() + piece_at_, bytes);
    piece_at_ += bytes;
    given += bytes;
  }
  return given;
}

namespace {

/// The characters of a text in a piece of so many bytes each, as UTF-8, without the zeros at its end.
std::string text_from(std::string_view piece, std::size_t width) {
  std::string text;
  for (; !piece.empty(); piece.remove_prefix(width)) {
    const auto character = static_cast<char32_t>(little_endian(piece.substr(0, width)));
    if (character == 0) break;
    const bool is_valid = character < 0xD800 || (character > 0xDFFF && character < 0x110000);
    text += is_valid ? utf8_of(character) : "\uFFFD";
  }
  return text;
}

/// How many elements an array has; the largest number where that is too large to say.
std::uint64_t elements_of(const std::vector<Index>& extents) {
  std::uint64_t elements = 1;
  if (std::ranges::find(extents, 0) != extents.end()) return 0;
  for (const Index extent : extents)
    if (__builtin_mul_overflow(elements, static_cast<std::uint64_t>(extent), &elements))
      return std::numeric_limits<std::uint64_t>::max();
  return elements;
}

}  // namespace

NpyArray::NpyArray(ByteSource& bytes, std::string source) : bytes_(bytes), source_(std::move(source)) {
  read_header();
  first_byte_ = at_;
  info_ = HeaderText(header_, source_).read_info();
  require_promised();
}

void NpyArray::read_header() {
  const std::string start = read_bytes(magic.size() + 2);
  if (!start.starts_with(magic))
    throw InputError({source_, "", "something other than an array", "an array in NumPy's .npy format"});
  const int version = static_cast<unsigned char>(start[magic.size()]);
  if (version < 1 || version > 3)
    throw InputError({source_, "", fmt::format(".npy version {}", version), "version 1 to 3"});
  const std::size_t length = little_endian(read_bytes(version == 1 ? 2 : 4));
  if (length > largest_npy_header) {
    throw InputError(
        {source_, "", fmt::format("a header of {} bytes", length), fmt::format("up to {}", largest_npy_header)});
  }
  header_ = read_bytes(length);
}

/// A header may say anything, so that nothing is made for it before the bytes are known to be there.
void NpyArray::require_promised() const {
  const auto width = HeaderText(header_, source_).read_width();
  if (!width) return;
  const std::uint64_t there = bytes_.size() - std::min(bytes_.size(), first_byte_);
  const std::uint64_t elements = elements_of(info_.extents);
  if (*width == 0 ? there == 0 : there % *width == 0 && there / *width == elements) return;
  const bool is_short = *width == 0 ? false : there / *width < elements;
  throw InputError({source_, "", is_short ? "an array that ends early" : "bytes after the array",
                    fmt::format("a whole .npy array: {} of shape ({}), and nothing more", info_.type,
                                fmt::join(info_.extents, ", "))});
}

void NpyArray::go_to(std::uint64_t offset) {
  if (offset == at_) return;
  bytes_.seek(offset);
  at_ = offset;
}

void NpyArray::read_bytes(char* to, std::size_t count) {
  for (std::size_t done = 0; done < count;) {
    const std::size_t got = bytes_.read(to + done, count - done);
    if (got == 0) throw InputError({source_, "", "an array that ends early", "a whole .npy array"});
    done += got;
    at_ += got;
  }
}

std::string NpyArray::read_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  read_bytes(bytes.data(), count);
  return bytes;
}

/// Throws InputError if bytes follow the array. The read past the end is also what makes libzip compare the checksum of
/// an entry.
void NpyArray::require_end() {
  char more = 0;
  if (bytes_.read(&more, 1) != 0)
    throw InputError({source_, "", "bytes after the array", "one array and nothing more"});
}

std::vector<std::string> NpyArray::read_texts() {
  const auto [characters, width] = HeaderText(header_, source_).read_text_width();
  const std::vector<Index>& extents = info_.extents;
  constexpr Index most_texts = 1'000'000;
  const bool is_list = !extents.empty() && std::ranges::count(extents, 1) + 2 >= std::ssize(extents);
  Index count = 1;
  for (const Index extent : extents)
    count = extent <= most_texts && count <= most_texts ? count * extent : most_texts + 1;
  if (!is_list || count > most_texts)
    throw InputError({source_, "shape", fmt::format("({})", fmt::join(extents, ", ")),
                      "a single list of texts, or a list for each batch item"});
  go_to(first_byte_);
  std::vector<std::string> texts;
  for (Index i = 0; i < count; ++i) texts.push_back(text_from(read_bytes(characters * width), width));
  require_end();
  return texts;
}

Tensor NpyArray::read(std::int64_t limit, std::optional<Index> entry) {
  const NpyHeader header = HeaderText(header_, source_).read();
  const auto width = static_cast<std::int64_t>(bytes_per_element(held_as(header.type)));
  ArrayInfo taken{"", header.extents, {}};
  const bool picks = entry && !header.fortran_order;  // Fortran's order scatters an entry over the whole file
  if (entry) {
    const ArrayInfo rest = entry_of(taken, *entry, source_);
    if (picks) taken = rest;
  }
  require_few_axes(header, entry.has_value(), source_);
  const Shape shape(taken.extents);
  if (without_zeros(shape).elements() > limit / width) {
    throw InputError({source_, "shape", shape.to_string(), fmt::format("up to {} of numbers", format_bytes(limit))});
  }
  const auto one = static_cast<std::uint64_t>(shape.elements()) * bytes_of(header.type);
  go_to(first_byte_ + (picks ? static_cast<std::uint64_t>(*entry) * one : 0));  // inside of what the header promised
  const std::size_t turned = header.big_endian ? bytes_of(header.type) : 1;
  const auto read = [&](char* to, std::size_t count) {
    read_bytes(to, count);
    for (std::size_t number = 0; turned > 1 && number < count; number += turned)
      std::reverse(to + number, to + number + turned);
  };
  Tensor tensor = read_numbers(read, header.type, header.fortran_order ? reversed(shape) : shape);
  if (picks) return tensor;
  require_end();
  const Tensor whole = header.fortran_order ? with_reversed_axes(tensor) : tensor;
  return entry ? whole.selected(0, *entry) : whole;
}

void write_npy(const std::filesystem::path& path, const Tensor& tensor, const WriteReport& report) {
  constexpr std::size_t buffer_bytes = 1 << 16;
  FileWriter file(path);
  NpyStream stream(tensor);
  std::string piece(buffer_bytes, '\0');
  std::size_t written = 0;
  while (const std::size_t count = stream.read(piece.data(), piece.size())) {
    file.append({piece.data(), count});
    written += count;
    if (report) report(static_cast<double>(written) / static_cast<double>(stream.size()));
  }
  file.commit();
}

FileBytes::FileBytes(const std::filesystem::path& path) : file_(path) {}

Tensor read_npy(const std::filesystem::path& path, std::int64_t limit) {
  FileBytes bytes(path);
  return NpyArray(bytes, path.string()).read(limit);
}

}  // namespace headlight
