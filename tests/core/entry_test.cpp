// An owner of the test's own, with an entry of each kind: what any table of entries can do.
#include <doctest/doctest.h>

#include "core/setup/entry.hpp"

using namespace headlight;

namespace {

enum class Shade : std::uint8_t { light, dark, by_hand };

struct Lamp {
  bool on = false;
  Shade shade = Shade::light;
  Index bulbs = 2;
  std::optional<Index> spares;
  double volts = 12;
  std::optional<double> dimmed;  // none: automatic
  std::vector<Index> broken;
  std::vector<Index> dusty;
  std::vector<std::string> rooms;
  std::string name;

  Index spare_count() const { return spares.value_or(bulbs); }
  friend bool operator==(const Lamp&, const Lamp&) = default;
};

constexpr Word shades[] = {{"light", "Light", "Reflects"}, {"dark", "Dark"}, {"by_hand", "By hand"}};
constexpr Word dimmers[] = {{"automatic", "Automatic"}, {"none", "none"}};

std::optional<Index> first_broken(const Lamp& lamp) {
  return lamp.broken.empty() ? std::nullopt : std::optional(lamp.broken.front());
}
Lamp with_broken(const Lamp& lamp, Index bulb) {
  Lamp edited = lamp;
  edited.broken.insert(edited.broken.begin(), bulb);
  return edited;
}

constexpr Entry<Lamp> entries[] = {
    {.name = "on", .label = "On", .value = at<&Lamp::on>},
    {.name = "shade", .label = "Shade", .words = shades, .value = at<&Lamp::shade>},
    {.name = "sizes.bulbs",
     .value = at<&Lamp::bulbs>,
     .range = from_to(1, 8),
     .adapted =
         [](const Lamp&, Lamp after) {
           if (after.spares) after.spares = after.bulbs;
           return after;
         }},
    {.name = "sizes.spares",
     .value = optional_at<&Lamp::spare_count, &Lamp::spares>("sizes.bulbs"),
     .range = at_least(0)},
    {.name = "volts", .unit = "V", .value = at<&Lamp::volts>, .range = above(0), .travel = Travel{1, 24, 0.5}},
    {.name = "dimmed",
     .words = dimmers,
     .value = {.kind = ValueKind::number_or_word,
               .get = [](const Lamp& lamp) { return lamp.dimmed ? PlainValue(*lamp.dimmed) : std::size_t{0}; },
               .set =
                   [](Lamp& lamp, const PlainValue& value) {
                     const auto* const share = std::get_if<double>(&value);
                     lamp.dimmed = share != nullptr ? std::optional(*share) : std::nullopt;
                   },
               .number = [](const Lamp& lamp) { return lamp.dimmed.value_or(0.5); }},
     .range = Range{}},
    {.name = "broken",
     .value = at<&Lamp::broken>,
     .most = [](const Lamp& lamp) { return static_cast<double>(lamp.bulbs); }},
    {.name = "dusty", .value = at<&Lamp::dusty>, .range = at_least(0)},
    {.name = "rooms", .value = at<&Lamp::rooms>},
    {.name = "name", .value = at<&Lamp::name>},
    {.name = "first_broken", .value = computed<Lamp, Index, first_broken, with_broken>},
};

const Entry<Lamp>& entry(std::string_view name) { return *std::ranges::find(entries, name, &Entry<Lamp>::name); }

Lamp with(std::string_view name, const ControlInput& input, const Lamp& lamp = {}) {
  const Result<Lamp> result = entry(name).with(lamp, input);
  REQUIRE_MESSAGE(result.owner, result.why);
  return *result.owner;
}

std::string why_not(std::string_view name, const ControlInput& input) {
  const Result<Lamp> result = entry(name).with({}, input);
  CHECK_FALSE(result.owner);
  return result.why;
}

}  // namespace

TEST_CASE("entries: an input becomes the value, whatever its kind") {
  CHECK(with("on", true).on);
  CHECK(with("shade", std::size_t{1}).shade == Shade::dark);
  CHECK(with("shade", "By hand").shade == Shade::by_hand);
  CHECK(with("sizes.bulbs", 4.0).bulbs == 4);
  CHECK(with("sizes.bulbs", "4").bulbs == 4);
  CHECK(with("sizes.spares", "0").spares == 0);
  CHECK(with("volts", "12.25").volts == 12.25);
  CHECK(with("dimmed", 0.25).dimmed == 0.25);
  CHECK_FALSE(with("dimmed", true, with("dimmed", 0.25)).dimmed);
  CHECK(with("broken", "0, 2 1").broken == std::vector<Index>{0, 2, 1});
  CHECK(with("rooms", "hall,  the attic").rooms == std::vector<std::string>{"hall", "the attic"});
  CHECK(with("name", "Ann's").name == "Ann's");
  CHECK(with("first_broken", 1.0).broken == std::vector<Index>{1});
}

TEST_CASE("entries: what follows a value follows it") {
  CHECK(with("sizes.bulbs", 5.0, with("sizes.spares", 1.0)).spares == 5);
}

TEST_CASE("entries: an input that cannot be is refused with what is allowed") {
  CHECK(why_not("sizes.bulbs", 9.0) == "found 9; allowed: a whole number from 1 to 8");
  CHECK(why_not("sizes.bulbs", "many") == "found \"many\"; allowed: a whole number from 1 to 8");
  CHECK(why_not("volts", "0") == "found 0; allowed: a finite number above 0");
  CHECK(why_not("volts", std::numeric_limits<double>::infinity()).starts_with("found inf"));
  CHECK(why_not("dimmed", "half") == "found \"half\"; allowed: \"automatic\", \"none\" or a finite number");
  CHECK(why_not("shade", "green") == "found \"green\"; allowed: one of light, dark, by_hand");
  CHECK(why_not("broken", "0, one") == "found \"one\"; allowed: whole numbers, as in 0, 2");
  CHECK(why_not("dusty", "1, -2") == "found -2; allowed: a whole number of at least 0");
  CHECK(why_not("on", "maybe") == "found \"maybe\"; allowed: true or false");
}

TEST_CASE("entries: a control holds all that is drawn") {
  Lamp lamp;
  lamp.shade = Shade::dark;
  CHECK(entry("shade").control(lamp).kind == ControlKind::choice);
  CHECK(entry("shade").control(lamp).word == 1);
  CHECK(entry("shade").control(lamp).words.size() == 3);
  CHECK(entry("shade").control(lamp).text == "Dark");
  CHECK(entry("shade").text(lamp) == "dark");
  CHECK(entry("volts").control(lamp).text == "12.0 V");
  CHECK(entry("volts").control(lamp).exact == "12");
  CHECK(entry("sizes.spares").control(lamp).number == 2);
  CHECK(entry("broken").control(lamp).range.high == 2);
  CHECK(entry("dimmed").control(lamp).on);
  CHECK(entry("first_broken").shown(lamp) == "none");
}

TEST_CASE("entries: a value is told from others and comes back") {
  for (const Entry<Lamp>& one : entries) {
    CAPTURE(one.name);
    const ControlInput input = one.name == "on"      ? ControlInput(true)
                               : one.name == "shade" ? ControlInput("dark")
                                                     : ControlInput("3");
    if (one.name == "dimmed") continue;
    const Lamp other = with(one.name, input);
    CHECK(one.same(other, other));
    CHECK_FALSE(one.same(other, Lamp{}));
    CHECK_FALSE(one.is_default(other));
    CHECK(one.same(one.taken(other, Lamp{}), other));
  }
}

TEST_CASE("entries: a field is stepped as its travel says") {
  Control control{.kind = ControlKind::whole};
  CHECK(stepped(control, "4", 2) == "6");
  control.travel = Travel{.spacing = Spacing::unordered};
  CHECK(stepped(control, "4294967290", 9) == "4294967295");
  CHECK(stepped(control, "3", -9) == "0");
  control.kind = ControlKind::real;
  control.travel = Travel{.spacing = Spacing::doubling};
  CHECK(stepped(control, "0.01", 2) == "0.04");
  control.travel->spacing = Spacing::tenfold;
  CHECK(stepped(control, "10000", -1) == "1000");
  control.travel.reset();
  CHECK(stepped(control, "0.5", 1) == "0.51");
}
