// Compares with numbers that NumPy and PyTorch drew, which tests/golden/generate_random.py wrote down.
#include <algorithm>
#include <bit>
#include <charconv>
#include <fstream>
#include <sstream>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/model/shapes.hpp"
#include "core/random/draws.hpp"
#include "core/random/fill.hpp"
#include "core/setup/validity.hpp"

using namespace headlight;

namespace {

/// A digest of all values, and the first few values themselves, as bits.
struct Bits {
  std::uint64_t digest = 0;
  std::vector<std::uint64_t> first;
};

std::uint64_t parse_hex(const std::string& text) { return std::stoull(text, nullptr, 16); }

Bits read_bits(std::istream& line) {
  Bits bits;
  std::string word;
  if (line >> word) bits.digest = parse_hex(word);
  while (line >> word) bits.first.push_back(parse_hex(word));
  return bits;
}

std::uint64_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }
std::uint64_t bits_of(double value) { return std::bit_cast<std::uint64_t>(value); }
std::uint64_t bits_of(unsigned char value) { return value; }
std::uint64_t bits_of(std::int64_t value) { return static_cast<std::uint64_t>(value); }

template <class Values>
Bits bits_of_all(const Values& values, std::size_t shown) {
  Bits bits;
  std::uint64_t weight = 1;
  for (const auto value : values) {
    const std::uint64_t pattern = bits_of(value);
    bits.digest += weight * pattern;
    weight += 2;
    if (bits.first.size() < shown) bits.first.push_back(pattern);
  }
  return bits;
}

Bits bits_of_all(const Tensor& tensor, std::size_t shown) {
  const Tensor rows = tensor.contiguous();
  return with_element_type(rows.precision(), [&](auto zero) {
    using T = decltype(zero);
    return bits_of_all(std::span(rows.data<T>(), static_cast<std::size_t>(rows.elements())), shown);
  });
}

template <class Values>
void check_bits(const Values& values, const Bits& expected, const std::string& what) {
  REQUIRE_MESSAGE(!expected.first.empty(), what);
  const Bits found = bits_of_all(values, expected.first.size());
  CHECK_MESSAGE(found.first == expected.first, what);
  CHECK_MESSAGE(found.digest == expected.digest, what);
}

std::ifstream open_golden(const char* name) {
  std::ifstream file(std::string(HEADLIGHT_GOLDEN_DIR) + "/" + name);
  REQUIRE_MESSAGE(file.is_open(), name);
  return file;
}

Precision parse_precision(const std::string& word) {
  return word == "float32" ? Precision::float32 : Precision::float64;
}
GeneratorKind parse_generator(const std::string& word) {
  const auto* const found = std::ranges::find(setup_words<GeneratorKind>, word);
  REQUIRE_MESSAGE(found != setup_words<GeneratorKind>.end(), word);
  return static_cast<GeneratorKind>(found - setup_words<GeneratorKind>.begin());
}

/// Makes the draws of one stream in their order and checks each.
class StreamCheck {
 public:
  void begin(std::istream& line) {
    std::string generator, precision;
    std::int64_t seed = 0;
    line >> generator >> precision >> seed;
    name_ = fmt::format("{} {} seed {}", generator, precision, seed);
    precision_ = parse_precision(precision);
    generator_ = seeded(parse_generator(generator), seed);
  }

  void call(const std::string& what, std::istream& line) {
    std::size_t count = 0;
    double from = 0, to = 0;
    line >> count >> from >> to;
    const Bits expected = read_bits(line);
    const std::string message = fmt::format("{}: {} {}", name_, what, count);
    if (what == "integers") {
      std::vector<std::int64_t> values(count);
      std::visit([&](auto& kind) { kind.integers(values, static_cast<std::uint32_t>(to)); }, generator_);
      return check_bits(values, expected, message);
    }
    if (what == "dropout") return check_bits(kept_by_dropout(generator_, count, from), expected, message);
    const Fill fill{.kind = what == "normal" ? Fill::Kind::normal : Fill::Kind::uniform,
                    .from = from,
                    .to = to,
                    .precision = precision_,
                    .shape = {static_cast<Index>(count)}};
    Workspace workspace;
    check_bits(filled(generator_, fill, workspace), expected, message);
  }

 private:
  std::string name_;
  Precision precision_ = Precision::float64;
  Generator generator_;
};

void set(Setup& setup, const std::string& key, const std::string& value) {
  const auto number = [&] { return std::stoll(value); };
  if (key == "precision") setup.attention.precision = parse_precision(value);
  else if (key == "generator") setup.random.generator = parse_generator(value);
  else if (key == "batch") setup.sizes.batch = number();
  else if (key == "query") setup.sizes.query_length = number();
  else if (key == "key") setup.sizes.key_length = number();
  else if (key == "d_model") setup.sizes.d_model = number();
  else if (key == "heads") setup.sizes.heads = number();
  else if (key == "kv_heads") setup.sizes.kv_heads = number();
  else if (key == "dropout") setup.attention.dropout = std::stod(value);
  else if (key == "source") setup.attention.source = Source::cross;
  else if (key == "token_axis") setup.attention.token_axis = TokenAxis::columns;
  else if (key == "weight_layout") setup.attention.weight_layout = WeightLayout::out_in;
  else FAIL("unknown setting: ", key);
}

Setup read_setup(std::istream& line) {
  Setup setup;
  for (std::string setting; line >> setting;) {
    const auto equals = setting.find('=');
    set(setup, setting.substr(0, equals), setting.substr(equals + 1));
  }
  return setup;
}

std::string printed(const Shape& shape) { return fmt::format("{}", fmt::join(shape.begin(), shape.end(), "x")); }

void check_tensor(const Trace& trace, std::istream& line, const std::string& setup) {
  std::string name, shape;
  line >> name >> shape;
  const Bits expected = read_bits(line);
  const std::string message = fmt::format("{}: {}", setup, name);
  if (name == "kept") {
    REQUIRE_MESSAGE(trace.kept != nullptr, message);
    CHECK_MESSAGE(printed(headlight::shape(TensorId::weights, trace.setup)) == shape, message);
    return check_bits(*trace.kept, expected, message);
  }
  const auto id = tensor_named(name);
  REQUIRE_MESSAGE((id && trace.has(*id)), message);
  CHECK_MESSAGE(printed(trace[*id].shape()) == shape, message);
  CHECK_MESSAGE(trace[*id].precision() == trace.setup.attention.precision, message);
  check_bits(trace[*id], expected, message);
}

}  // namespace

TEST_CASE("streams of numbers equal NumPy's and PyTorch's bit for bit") {
  auto file = open_golden("random_streams.txt");
  StreamCheck check;
  int calls = 0;
  for (std::string text; std::getline(file, text);) {
    std::istringstream line(text);
    std::string what;
    line >> what;
    if (what == "stream") {
      check.begin(line);
    } else {
      check.call(what, line);
      ++calls;
    }
  }
  CHECK(calls > 1000);
}

TEST_CASE("lists of draws equal what a notebook draws with NumPy and PyTorch, bit for bit") {
  auto file = open_golden("random_setups.txt");
  Trace trace;
  std::string setup;
  int tensors = 0;
  bool drawn = false;
  for (std::string text; std::getline(file, text);) {
    std::istringstream line(text);
    std::string what;
    line >> what;
    if (what == "setup") {
      setup = text;
      trace = Trace{};
      trace.setup = read_setup(line);
      drawn = false;
    } else if (what == "draw") {
      const auto draw = parse_draw(text.substr(5));
      REQUIRE_MESSAGE(draw.has_value(), text);
      trace.setup.random.draws.push_back(*draw);
    } else {
      if (!drawn) {
        REQUIRE_MESSAGE(problems(trace.setup).empty(), setup);
        Workspace workspace;
        fill_drawn(trace, {}, workspace);
        drawn = true;
      }
      check_tensor(trace, line, setup);
      ++tensors;
    }
  }
  CHECK(tensors > 150);
}

TEST_CASE("a long draw made in parts is the draw made at once") {
  Workspace workspace;
  constexpr Index count = (Index{3} << 20) + 5;
  for (GeneratorKind kind : {GeneratorKind::numpy, GeneratorKind::torch, GeneratorKind::numpy_rng}) {
    for (Fill::Kind distribution : {Fill::Kind::uniform, Fill::Kind::normal}) {
      const Fill fill{.kind = distribution, .from = 0, .to = 1, .precision = Precision::float64, .shape = {count}};
      Generator generator = seeded(kind, 3);
      const Tensor parts = filled(generator, fill, workspace);
      std::vector<double> whole(static_cast<std::size_t>(count));
      Generator other = seeded(kind, 3);
      std::visit([&](auto& made) { distribution == Fill::Kind::normal ? made.normal(whole) : made.uniform(whole); },
                 other);
      CHECK(std::equal(whole.begin(), whole.end(), parts.data<double>()));
      CHECK(generator == other);
    }
  }
}
