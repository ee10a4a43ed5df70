#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include <doctest/doctest.h>

#include "core/formats/arrays/npy.hpp"
#include "core/formats/arrays/npz.hpp"
#include "core/formats/files.hpp"
#include "core/model/problem.hpp"
#include "tests/core/temporary_folder.hpp"

using namespace headlight;
using headlight::testing::TemporaryFolder;

namespace {

/// The numbers 0, 1/3, 2/3, ... in row-major order.
Tensor counting(Precision precision, const Shape& shape) {
  Tensor tensor = Tensor::uninitialized(precision, shape);
  with_element_type(precision, [&](auto zero) {
    using T = decltype(zero);
    for (Index i = 0; i < tensor.elements(); ++i) tensor.writable<T>()[i] = static_cast<T>(i) / 3;
  });
  return tensor;
}

std::string bytes_of(const Tensor& tensor, std::size_t at_a_time) {
  NpyStream stream(tensor);
  std::string bytes;
  std::string piece(at_a_time, '\0');
  while (const std::size_t count = stream.read(piece.data(), piece.size())) bytes.append(piece, 0, count);
  CHECK(bytes.size() == stream.size());
  return bytes;
}

/// Gives a few bytes at a time.
class FewBytes : public ByteSource {
 public:
  explicit FewBytes(std::string bytes) : bytes_(std::move(bytes)) {}
  std::uint64_t size() const override { return bytes_.size(); }
  std::size_t read(char* to, std::size_t count) override {
    const std::size_t given = bytes_.copy(to, std::min<std::size_t>(count, 7), at_);
    at_ += given;
    all_ += given;
    return given;
  }
  void seek(std::uint64_t offset) override { at_ = offset; }
  /// How many bytes were read in all.
  std::size_t all() const { return all_; }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
  std::size_t all_ = 0;
};

Tensor tensor_of(const std::string& bytes, std::int64_t limit = 1 << 20, std::optional<Index> entry = {}) {
  FewBytes source(bytes);
  return NpyArray(source, "array").read(limit, entry);
}

std::string npy(const std::string& header, const std::string& data) {
  const std::string length{static_cast<char>(header.size() & 0xFF), static_cast<char>(header.size() >> 8)};
  return std::string("\x93NUMPY\x01\x00", 8) + length + header + data;
}

std::string bytes_of(std::vector<double> values) {
  std::string bytes(values.size() * sizeof(double), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

std::vector<NamedTensor> windows() {
  const Tensor base = counting(Precision::float64, {2, 3, 8});
  Tensor special = counting(Precision::float32, {4});
  special.writable<float>()[1] = -std::numeric_limits<float>::infinity();
  special.writable<float>()[2] = std::numeric_limits<float>::quiet_NaN();
  special.writable<float>()[3] = -0.0F;
  return {{"X", base},
          {"Q_heads", base.split_heads(4)},
          {"turned", base.transposed(1, 2)},
          {"narrowed", base.narrowed(1, 1, 2).narrowed(2, 3, 4)},
          {"selected", base.selected(2, 5)},
          {"special", special},
          // Larger than a piece of NpyStream, with rows that begin in one piece and end in the next.
          {"large", counting(Precision::float32, {3, 70'001}).transposed(0, 1)}};
}

}  // namespace

TEST_CASE("the header is the one that NumPy writes") {
  const std::string header = npy_header(Precision::float64, {2, 3});
  CHECK(header.size() == 128);
  CHECK(header.substr(0, 10) == std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  CHECK(header.substr(10).starts_with("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }   "));
  CHECK(header.back() == '\n');
  CHECK(npy_header(Precision::float32, {8}).find("'<f4'") != std::string::npos);
  CHECK(npy_header(Precision::float32, {8}).find("(8,)") != std::string::npos);
}

TEST_CASE("arrays read back equal, whatever the window and the size of the pieces") {
  for (const auto& [name, tensor] : windows()) {
    const std::string bytes = bytes_of(tensor, 1 << 16);
    if (tensor.elements() < 1000) CHECK(bytes_of(tensor, 13) == bytes);
    CHECK_MESSAGE(identical(tensor_of(bytes), tensor), name);
  }
}

TEST_CASE("arrays of Fortran order, of version 2 and of no axes are read") {
  const Tensor turned =
      tensor_of(npy("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }\n", bytes_of({1, 2, 3, 4, 5, 6})));
  CHECK(turned.shape() == Shape{2, 3});
  CHECK(turned.at({0, 1}) == 3);
  CHECK(turned.at({1, 2}) == 6);

  const std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (), }\n";
  const std::string version_2 =
      std::string("\x93NUMPY\x02\x00", 8) + std::string{static_cast<char>(header.size()), 0, 0, 0} + header;
  CHECK(tensor_of(version_2 + bytes_of({7})).at(std::span<const Index>{}) == 7);
  CHECK(tensor_of(npy("{'shape':(0,),'descr':'<f8','fortran_order':False}", "")).elements() == 0);
}

TEST_CASE("numbers of the other byte order are read, and a header with the other quotes") {
  std::string swapped = bytes_of({1.5, -2});
  for (std::size_t number = 0; number < swapped.size(); number += sizeof(double))
    std::reverse(swapped.begin() + static_cast<std::ptrdiff_t>(number),
                 swapped.begin() + static_cast<std::ptrdiff_t>(number + sizeof(double)));
  for (const std::string header : {"{'descr': '>f8', 'fortran_order': False, 'shape': (2,), }",
                                   R"({"descr": ">f8", "fortran_order": False, "shape": (2,)})"}) {
    const Tensor tensor = tensor_of(npy(header, swapped));
    CHECK(tensor.at({0}) == 1.5);
    CHECK(tensor.at({1}) == -2);
  }
  CHECK(tensor_of(npy("{'descr': '=f8', 'fortran_order': False, 'shape': (1,), }", bytes_of({3}))).at({0}) == 3);
}

TEST_CASE("arrays of another kind are refused, and the message says what they are") {
  const auto problem = [](const std::string& bytes) {
    try {
      tensor_of(bytes);
    } catch (const InputError& error) {
      return error.problems().front();
    }
    return Problem{};
  };
  CHECK(problem("").found == "an array that ends early");
  CHECK(problem("PK and so on").found == "something other than an array");
  CHECK(problem(std::string("\x93NUMPY\x09\x00", 8)).found == ".npy version 9");
  CHECK(problem(npy("{'descr': '<c16', 'fortran_order': False, 'shape': (1,), }", bytes_of({1, 1}))).message() ==
        "array: descr: found '<c16'; allowed: floats ('<f8', '<f4', '<f2'), whole numbers ('<i8') or '|b1', of either "
        "byte order");
  CHECK(problem(npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", "pickle")).message() ==
        "array: descr: found '|O': Python objects, which are a pickle and never loaded; allowed: an array of numbers");
  CHECK(problem(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }", bytes_of({1}))).key == "shape");
  CHECK(problem(npy("{'descr': '<f8', 'fortran_order': Maybe, 'shape': (1,), }", bytes_of({1}))).key ==
        "fortran_order");
  CHECK(problem(npy("{'descr': '<f8', 'fortran_order': False}", bytes_of({1}))).key == "shape");
  CHECK(problem(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", bytes_of({1}))).found ==
        "an array that ends early");
  CHECK(problem(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }", bytes_of({1, 2}))).found ==
        "bytes after the array");
  CHECK(problem(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (200000,), }", std::string(1'600'000, ' ')))
            .allowed == "up to 1.0 MiB of numbers");
}

TEST_CASE("an array of too many axes is refused with as many as are read") {
  const auto message = [](const std::string& order, const std::string& shape, std::optional<Index> entry) {
    const std::string bytes = npy("{'descr': '<f8', 'fortran_order': " + order + ", 'shape': (" + shape + "), }", "");
    try {
      tensor_of(bytes, 1 << 20, entry);
    } catch (const InputError& error) {
      return error.problems().front().message();
    }
    return std::string();
  };
  const std::string five = "0, 1, 1, 1, 1", six = "2, 0, 1, 1, 1, 1";
  CHECK(message("False", five, {}) == "array: shape: found (0, 1, 1, 1, 1); allowed: up to 4 axes");
  CHECK(message("True", five, {}) == "array: shape: found (0, 1, 1, 1, 1); allowed: up to 4 axes");
  CHECK(message("False", "2, 0, 1, 1, 1", 1).empty());
  CHECK(message("False", six, 1) == "array: shape: found (2, 0, 1, 1, 1, 1); allowed: up to 5 axes");
  CHECK(message("True", "2, 0, 1, 1", 1).empty());
  CHECK(message("True", "2, 0, 1, 1, 1", 1) ==
        "array: shape: found (2, 0, 1, 1, 1); allowed: up to 4 axes in Fortran's order");
  // A list of arrays names the shape of any array that NumPy can write.
  CHECK(message("False", "-1", {}) == "array: shape: found (-1); allowed: up to 64 extents of at least 0");
  std::string extents = "1";
  for (int axis = 1; axis < 64; ++axis) extents += ", 1";
  const std::string long_one = "{'descr': '<f8', 'fortran_order': False, 'shape': (" + extents + "), }";
  FewBytes source(npy(long_one, bytes_of({1})));
  CHECK(NpyArray(source, "array").info().extents.size() == 64);
  CHECK(message("False", extents + ", 1", {}).ends_with("up to 64 extents of at least 0"));
}

TEST_CASE("a header that promises other numbers than there are is refused before anything is made for them") {
  const auto found = [](const std::string& shape, std::size_t bytes, const char* type = "<f8") {
    FewBytes source(npy(std::string("{'descr': '") + type + "', 'fortran_order': False, 'shape': (" + shape + "), }",
                        std::string(bytes, ' ')));
    try {
      const NpyArray array(source, "array");
      return std::string("read");
    } catch (const InputError& error) {
      return error.problems().front().found;
    }
  };
  CHECK(found("1000000000, 1, 1, 1, 1", 64) == "an array that ends early");
  CHECK(found("4611686018427387904, 4611686018427387904", 64) == "an array that ends early");
  CHECK(found("9", 64) == "an array that ends early");
  CHECK(found("7", 64) == "bytes after the array");
  CHECK(found("0, 4611686018427387904, 8", 64) == "bytes after the array");
  CHECK(found("0, 4611686018427387904, 8", 0) == "read");
  CHECK(found("8", 64) == "read");
  CHECK(found("16", 64, "<U1") == "read");
  CHECK(found("1000000000", 64, "<U1") == "an array that ends early");
  CHECK(found("1000000000", 64, "|O") == "read");  // how long objects are is not known, and none is read
}

TEST_CASE("the entries of an array are read once when they are read in order, and found again in any other") {
  const Tensor whole = counting(Precision::float32, {50, 3, 2});
  const std::string bytes = bytes_of(whole, 4096);
  FewBytes source(bytes);
  NpyArray array(source, "array");
  for (Index entry = 0; entry < 50; ++entry)
    CHECK(identical(array.read(1 << 20, entry), whole.selected(0, entry).contiguous()));
  CHECK(source.all() == bytes.size());
  CHECK(identical(array.read(1 << 20, -50), whole.selected(0, 0).contiguous()));
  CHECK(identical(array.read(1 << 20), whole));
}

TEST_CASE("an open archive gives its arrays in any order, and one after the other") {
  const TemporaryFolder folder;
  const std::vector<NamedTensor> written = windows();
  write_npz(folder / "a.npz", written);
  NpzFile file(folder / "a.npz");
  for (int round = 0; round < 2; ++round)
    for (auto each = written.rbegin(); each != written.rend(); ++each)
      CHECK(identical(file.read(each->name, 1 << 20, {}), each->tensor));
  CHECK(file.arrays().size() == written.size());
  const Tensor& large = written.back().tensor;
  for (const Index entry : {Index{7}, Index{70'000}, Index{3}})
    CHECK(identical(file.read("large", 1 << 20, entry), large.selected(0, entry).contiguous()));
}

TEST_CASE("an archive reads back equal, and equal tensors give equal bytes") {
  const TemporaryFolder folder;
  const std::vector<NamedTensor> written = windows();
  write_npz(folder / "a.npz", written);
  write_npz(folder / "b.npz", written);
  const std::vector<NamedTensor> read = read_npz(folder / "a.npz");
  REQUIRE(read.size() == written.size());
  for (std::size_t i = 0; i < read.size(); ++i) {
    CHECK(read[i].name == written[i].name);
    CHECK(identical(read[i].tensor, written[i].tensor));
  }
  CHECK(read_bytes(folder / "a.npz", 1 << 24) == read_bytes(folder / "b.npz", 1 << 24));
  CHECK(folder.entries() == 2);
}

TEST_CASE("a trace is written with the tensors that it has, under their names") {
  const TemporaryFolder folder;
  Trace trace;
  trace[TensorId::X] = counting(Precision::float64, {1, 4, 8});
  trace[TensorId::weights] = counting(Precision::float64, {1, 2, 4, 4});
  write_npz(folder / "trace.npz", ModelTrace{{std::make_shared<const Trace>(trace)}});
  const auto read = read_npz(folder / "trace.npz");
  REQUIRE(read.size() == 2);
  CHECK(read[0].name == "X");
  CHECK(read[1].name == "weights");
  CHECK(identical(read[1].tensor, trace[TensorId::weights]));
}

TEST_CASE("an array file of its own is read") {
  const TemporaryFolder folder;
  const Tensor tensor = counting(Precision::float32, {2, 2});
  write_file(folder / "x.npy", bytes_of(tensor, 4096));
  CHECK(identical(read_npy(folder / "x.npy"), tensor));
  CHECK_THROWS_AS(read_npy(folder / "missing.npy"), InputError);
}

TEST_CASE("archives that cannot be read or written are named") {
  const TemporaryFolder folder;
  const auto message = [](auto&& body) -> std::string {
    try {
      body();
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  const std::vector<NamedTensor> tensors{{"X", counting(Precision::float64, {64, 64})}};
  write_npz(folder / "x.npz", tensors);
  CHECK(message([&] { read_npz(folder / "x.npz", 1000); }) ==
        (folder / "x.npz").string() + ": X.npy: shape: found (64, 64); allowed: up to 1000 B of numbers");
  CHECK(message([&] { read_npz(folder / "missing.npz"); }).find("no such file") != std::string::npos);
  CHECK(message([&] { read_npz(folder.path()); }).find("a folder") != std::string::npos);
  write_file(folder / "text.npz", "version = 1\n");
  CHECK(message([&] { read_npz(folder / "text.npz"); }).find("a damaged archive") != std::string::npos);
  write_npz(folder / "none.npz", std::vector<NamedTensor>{});
  CHECK_FALSE(message([&] { read_npz(folder / "none.npz"); }).empty());

  CHECK(message([&] { write_npz(folder / "nowhere/x.npz", tensors); }).find("no folder") != std::string::npos);
  CHECK(message([&] { write_npz(folder.path(), tensors); }).find("a folder") != std::string::npos);
  CHECK(message([&] { write_npz("/dev/null", tensors); }).find("a device") != std::string::npos);
}

TEST_CASE("damaged archives are read or refused, never crashed on") {
  const TemporaryFolder folder;
  std::vector<NamedTensor> tensors = windows();
  tensors.pop_back();
  write_npz(folder / "good.npz", tensors);
  const std::string good = read_bytes(folder / "good.npz", 1 << 20);
  std::mt19937 random(11);
  const auto below = [&](std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
  };
  int refused = 0;
  for (int round = 0; round < 400; ++round) {
    std::string bytes = good;
    if (below(3) == 0) bytes.resize(below(bytes.size()));
    for (auto flips = 1 + below(5); flips > 0 && !bytes.empty(); --flips)
      bytes[below(bytes.size())] = static_cast<char>(below(256));
    FileWriter writer(folder / "damaged.npz");
    writer.append(bytes);
    writer.commit();
    try {
      read_npz(folder / "damaged.npz", 1 << 20);
    } catch (const InputError&) {
      ++refused;
    }
  }
  CHECK(refused > 200);
}
