// Arrays from files of every kind, and what is said of those that are none.
#include <cmath>
#include <cstring>
#include <limits>

#include <doctest/doctest.h>

#include "core/formats/arrays/array_file.hpp"
#include "core/formats/arrays/csv.hpp"
#include "core/formats/arrays/npy.hpp"
#include "core/formats/arrays/npz.hpp"
#include "core/formats/arrays/safetensors.hpp"
#include "core/formats/files.hpp"
#include "core/model/problem.hpp"
#include "tests/core/refused.hpp"
#include "tests/core/temporary_folder.hpp"

using namespace headlight;
using headlight::testing::problem_of;
using headlight::testing::TemporaryFolder;

namespace {

Tensor matrix(const Shape& shape, const std::vector<double>& values) {
  Tensor tensor = Tensor::uninitialized(Precision::float64, shape);
  std::copy(values.begin(), values.end(), tensor.writable<double>());
  return tensor;
}

bool reads(std::string_view text, const Tensor& expected) { return identical(parse_csv(text, "t.csv"), expected); }

std::string csv_problem(std::string_view text) {
  return problem_of([&] { parse_csv(text, "t.csv"); }).message();
}

template <class T>
std::string raw(std::initializer_list<T> values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), values.begin(), bytes.size());
  return bytes;
}

std::string safetensors(const std::string& header, const std::string& data) {
  return raw<std::uint64_t>({header.size()}) + header + data;
}

/// A file that is there as long as the object.
struct WrittenFile {
  WrittenFile(const char* name, const std::string& bytes) : path(folder / name) { write_file(path, bytes); }
  TemporaryFolder folder;
  std::filesystem::path path;
};

Problem safetensors_problem(const std::string& bytes, std::string_view name = "a") {
  const WrittenFile file("t.safetensors", bytes);
  Problem problem = problem_of([&] { read_array(file.path, name); });
  CHECK(problem.source == file.path.string());
  return problem;
}

}  // namespace

TEST_CASE("csv: fields stand between commas, semicolons, tabs or blanks") {
  const Tensor expected = matrix({2, 3}, {1, -2.5, 3e-2, 4, 5, 6});
  CHECK(reads("1,-2.5,3e-2\n4,5,6\n", expected));
  CHECK(reads("1;-2.5;3e-2\n4;5;6", expected));
  CHECK(reads("1;-2,5;3e-2\r\n4;5;6\r\n", expected));  // a decimal comma
  CHECK(reads("1\t-2.5\t3e-2\n4\t5\t6\n", expected));
  CHECK(reads("# np.savetxt\n  1  -2.5 3e-2  \n\n4 +5 6\n\n", expected));
  CHECK(reads("\"1\", -2.5 ,\"3e-2\"\n4,5,6\n", expected));
  CHECK(reads("7", matrix({1, 1}, {7})));
  CHECK(std::isinf(parse_csv("-inf,nan", "t.csv").at({0, 0})));
  CHECK(std::isnan(parse_csv("-inf,nan", "t.csv").at({0, 1})));
}

TEST_CASE("csv: a header and a column of labels are passed over") {
  const Tensor expected = matrix({2, 2}, {1, 2, 3, 4});
  CHECK(reads("a,b\n1,2\n3,4\n", expected));
  CHECK(reads("the,cat\n1,2\n3,4\n", expected));
  CHECK(reads("The,1,2\ncat,3,4\n", expected));  // labels without a header
  CHECK(reads("query,The,cat\nThe,1,2\ncat,3,4\n", expected));
  CHECK(reads("query,\"a,b\",\"c\"\"\nd\"\n0,1,2\n1,3,4\n", matrix({2, 3}, {0, 1, 2, 1, 3, 4})));
  CHECK(reads(",0,1\n0,1,2\n1,3,4\n", expected));         // as pandas writes it
  CHECK(reads("d_model,0,1\n0,1,2\n1,3,4\n", expected));  // as Headlight writes it
  CHECK(reads("column\n1\n2\n", matrix({2, 1}, {1, 2})));
}

TEST_CASE("csv: what Headlight writes is read again to the last bit") {
  LabelledNumbers numbers{
      .name = "X[0]", .values = matrix({2, 3}, {0.1, 1e-300, -7, 1.0 / 3, 0, 2}), .hidden = {}, .axes = {}};
  numbers.axes = {{.name = "query", .labels = {"The", "c\"a,t"}, .tokens = true},
                  {.name = "d_model", .labels = {"0", "1", "2"}}};
  CHECK(reads(csv_text(numbers), numbers.values));
  numbers.axes[0] = {.name = "query", .labels = {"0", "1"}};
  CHECK(reads(csv_text(numbers), numbers.values));
}

TEST_CASE("csv: a field that isn't a number is named with its line and column") {
  CHECK(csv_problem("1,2\n3,x\n") == "t.csv: line 2, column 2: found \"x\"; allowed: a number");
  CHECK(csv_problem("a,b\n\n1,\n") == "t.csv: line 3, column 2: found nothing; allowed: a number");
  CHECK(csv_problem("1,2\n3\n") == "t.csv: line 2: found 1 fields; allowed: 2, as in the first line");
  CHECK(csv_problem("1 2\n3 4 5\n") == "t.csv: line 2: found 3 fields; allowed: 2, as in the first line");
  CHECK(csv_problem("1,\"2\"3\n") == "t.csv: line 1: found text after a closing quote; allowed: a separator");
  CHECK(csv_problem("1,1e999\n") == "t.csv: line 1, column 2: found \"1e999\"; allowed: a number");
  CHECK(csv_problem("") == "t.csv: found no numbers; allowed: a table of numbers");
  CHECK(csv_problem("a,b\n") == "t.csv: found no numbers; allowed: a table of numbers");
  CHECK(csv_problem("\xFF\xFE").starts_with("t.csv"));
}

TEST_CASE("safetensors: every type of number is read") {
  const WrittenFile file(
      "t.safetensors",
      safetensors(R"({"__metadata__":{"format":"pt"},
      "half":{"dtype":"F16","shape":[6],"data_offsets":[16,28]},
      "a.weight":{"dtype":"F64","shape":[1,2],"data_offsets":[0,16]},
      "brain":{"dtype":"BF16","shape":[2],"data_offsets":[28,32]},
      "single":{"dtype":"F32","shape":[],"data_offsets":[32,36]},
      "whole":{"dtype":"I32","shape":[1],"data_offsets":[36,40]},
      "odd":{"dtype":"F8_E4M3","shape":[4],"data_offsets":[40,44]},
      "none":{"dtype":"F32","shape":[0,3],"data_offsets":[44,44]}})",
                  raw<double>({0.1, -2}) + raw<std::uint16_t>({0x3C00, 0xC000, 0x0001, 0x7BFF, 0xFC00, 0x7E00}) +
                      raw<std::uint16_t>({0x3F80, 0xC049}) + raw<float>({1.5F}) + raw<std::int32_t>({-7}) + "oddx"));
  CHECK(identical(read_array(file.path, "a.weight"), matrix({1, 2}, {0.1, -2})));
  const Tensor half = read_array(file.path, "half");
  CHECK(half.precision() == Precision::float32);
  CHECK(half.at({0}) == 1);
  CHECK(half.at({1}) == -2);
  CHECK(half.at({2}) == 0x1p-24);  // the smallest one
  CHECK(half.at({3}) == 65504);    // the largest one
  CHECK(half.at({4}) == -std::numeric_limits<double>::infinity());
  CHECK(std::isnan(half.at({5})));
  CHECK(read_array(file.path, "brain").at({0}) == 1);
  CHECK(read_array(file.path, "brain").at({1}) == -3.140625);
  CHECK(read_array(file.path, "single").at(std::span<const Index>{}) == 1.5);
  CHECK(read_array(file.path, "whole").at({0}) == -7);
  CHECK(read_array(file.path, "none").elements() == 0);
  CHECK(problem_of([&] { read_array(file.path, "odd"); }).found == "F8_E4M3");
  CHECK(problem_of([&] { read_array(file.path, "weight"); }).message() ==
        file.path.string() +
            ": weight: found no such array; allowed: one of a.weight, half, brain, single, whole, odd, none");
  CHECK(problem_of([&] { read_array(file.path, "a.weight", 15); }).allowed == "up to 15 B of numbers");

  const auto listed = list_arrays(file.path);
  REQUIRE(listed.size() == 7);
  CHECK(listed[0].name == "a.weight");
  CHECK(listed[0].extents == std::vector<Index>{1, 2});
  CHECK(listed[0].type == "F64");
}

TEST_CASE("safetensors: a header that lies is told") {
  const auto one = [](const std::string& entry, const std::string& data = std::string(8, 'x')) {
    return safetensors("{\"a\":" + entry + "}", data);
  };
  const auto found = [&](const std::string& bytes) { return safetensors_problem(bytes).found; };
  CHECK(found("short") == "a file that ends early");
  CHECK(found(raw<std::uint64_t>({100}) + "{}") == "a header of 100 bytes in a file of 10");
  CHECK(found(raw<std::uint64_t>({~std::uint64_t{0}}) + "{}") ==
        "a header of 18446744073709551615 bytes in a file of 10");
  CHECK(found(safetensors("[1]", "")) == "no JSON object");
  CHECK(found(safetensors("{", "")) == "no JSON object");
  CHECK(found(safetensors(std::string(100'000, '['), "")) == "lists or objects nested more than 100 deep");
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  CHECK(found(safetensors(R"({"__metadata__":)" + deep + "}", "")) == "lists or objects nested more than 100 deep");
  CHECK(found(safetensors("{}", "")) == "no arrays");
  CHECK(found(one("7")) == "no dtype");
  CHECK(found(one(R"({"dtype":"F32"})")) == "no shape");
  CHECK(found(one(R"({"dtype":"F32","shape":[2]})")) == "no data_offsets");
  CHECK(found(one(R"({"dtype":"F32","shape":[-2],"data_offsets":[0,8]})")) ==
        "shape with something other than whole numbers");
  CHECK(found(one(R"({"dtype":"F32","shape":[2],"data_offsets":[8,0]})")) == "data_offsets [8, 0]");
  CHECK(found(one(R"({"dtype":"F32","shape":[3],"data_offsets":[0,8]})")) == "8 bytes");
  CHECK(found(one(R"({"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,8]})")) == "8 bytes");
  CHECK(found(one(R"({"dtype":"F32","shape":[4],"data_offsets":[0,16]})")) == "bytes up to 16");
  CHECK(found(one(R"({"dtype":"F32","shape":[1],"data_offsets":[4,8]})")) == "bytes from 4");
  CHECK(found(one(R"({"dtype":"F32","shape":[1],"data_offsets":[0,4]})")) == "8 bytes of numbers");
  CHECK(found(one(R"({"dtype":"F32","shape":[1,1,1,1,2],"data_offsets":[0,8]})")) == "shape (1, 1, 1, 1, 2)");
  const std::string entry = R"({"dtype":"F32","shape":[2],"data_offsets":[0,8]})";
  const Problem twice =
      safetensors_problem(safetensors("{\"a\":" + entry + ",\"a\":" + entry + "}", std::string(8, 'x')));
  CHECK(twice.key == "a");
  CHECK(twice.found == "the name twice");
  const Problem overlap = safetensors_problem(safetensors(
      "{\"a\":" + entry + R"(,"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", std::string(8, 'x')));
  CHECK(overlap.key == "b");
  CHECK(overlap.allowed == "from 8, where those before it end: no two overlap, and none are left out");
}

TEST_CASE("an array is read by name from any of the four kinds") {
  const TemporaryFolder folder;
  const Tensor a = matrix({2, 2}, {1, 2, 3, 4});
  const Tensor b = matrix({3}, {5, 6, 7});
  write_npz(folder / "t.npz", std::vector<NamedTensor>{{"a", a}, {"b", b}});
  write_npz(folder / "one.npz", std::vector<NamedTensor>{{"a", a}});
  write_npy(folder / "t.npy", a);
  write_file(folder / "t.csv", "1,2\n3,4\n");
  CHECK(identical(read_array(folder / "t.npz", "a"), a));
  CHECK(identical(read_array(folder / "t.npz", "b"), b));
  CHECK(identical(read_array(folder / "one.npz", ""), a));
  CHECK(identical(read_array(folder / "t.npy", ""), a));
  CHECK(identical(read_array(folder / "t.csv", ""), a));

  const auto listed = list_arrays(folder / "t.npz");
  REQUIRE(listed.size() == 2);
  CHECK(listed[1].name == "b");
  CHECK(listed[1].extents == std::vector<Index>{3});
  CHECK(listed[1].type == "<f8");
  CHECK(list_arrays(folder / "t.csv").at(0).extents == std::vector<Index>{2, 2});

  const auto problem = [&](const char* file, const char* name) {
    return problem_of([&] { read_array(folder / file, name); });
  };
  CHECK(problem("t.npz", "c").message() ==
        (folder / "t.npz").string() + ": c: found no such array; allowed: one of a, b");
  CHECK(problem("t.npz", "").found == "no array name");
  CHECK(problem("t.npy", "a").found == "a name");
  CHECK(problem("none.npz", "a").found == "no such file");
  CHECK(problem("model.pt", "a").message() ==
        (folder / "model.pt").string() +
            ": found .pt, a pickle: loading it may run any program, so Headlight never does; allowed: an .npz or "
            ".safetensors file; in Python: state = torch.load(\"model.pt\", map_location=\"cpu\", weights_only=True); "
            "np.savez(\"model.npz\", **{name: array.float().numpy() for name, array in state.items()})");
  CHECK(problem("model.txt", "a").message() ==
        (folder / "model.txt").string() + ": found .txt; allowed: .npz, .npy, .csv or .safetensors");
  std::filesystem::create_directory(folder / "folder.npy");
  CHECK(problem("folder.npy", "").found == "a folder");
  CHECK(problem_of([&] { read_array(folder / "t.npz", "a", 31); }).allowed == "up to 31 B of numbers");
}

TEST_CASE("npy: whole numbers, halves and truth values are read") {
  const auto read = [](const std::string& type, const std::string& data) {
    const std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (2,), }\n";
    const WrittenFile file("t.npy", std::string("\x93NUMPY\x01\x00", 8) +
                                        std::string{static_cast<char>(header.size()), '\0'} + header + data);
    return read_npy(file.path);
  };
  CHECK(identical(read("<i8", raw<std::int64_t>({-3, 1 << 20})), matrix({2}, {-3, 1 << 20})));
  CHECK(identical(read("|u1", raw<std::uint8_t>({255, 0})), matrix({2}, {255, 0})));
  CHECK(identical(read("|b1", raw<std::uint8_t>({1, 0})), matrix({2}, {1, 0})));
  CHECK(read("<f2", raw<std::uint16_t>({0x3800, 0x8000})).at({0}) == 0.5);
  CHECK(read("<f2", raw<std::uint16_t>({0x3800, 0x8000})).precision() == Precision::float32);
}

TEST_CASE("a file of arrays is opened once for all that is read of it") {
  const TemporaryFolder folder;
  for (int i = 0; i < 40; ++i) write_file(folder / fmt::format("{}.csv", i), fmt::format("{},1\n", i));
  ArrayFiles files;
  ArrayReader* const first = &files.at(folder / "0.csv");
  CHECK(&files.at(folder / "0.csv") == first);
  std::filesystem::remove(folder / "0.csv");
  CHECK(files.at(folder / "0.csv").read("", 1 << 20, {}).at({0, 0}) == 0);
  for (int i = 1; i < 40; ++i) CHECK(files.at(folder / fmt::format("{}.csv", i)).read("", 1 << 20, {}).at({0, 0}) == i);
  CHECK_THROWS_AS(files.at(folder / "0.csv"), InputError);  // by now others took its place
}
