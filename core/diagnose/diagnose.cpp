#include "core/diagnose/diagnose.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <exception>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/diagnose/arrays/flow.hpp"
#include "core/diagnose/arrays/layout.hpp"
#include "core/diagnose/mistakes/draws.hpp"
#include "core/diagnose/replay.hpp"
#include "core/diagnose/seed_memory.hpp"
#include "core/engine/cost.hpp"
#include "core/model/problem.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/graph.hpp"
#include "core/stages/table.hpp"
#include "core/text/wording.hpp"

namespace headlight {
namespace {

using enum TensorId;

constexpr double infinity = std::numeric_limits<double>::infinity();
/// No more than this is spent on seeds where only computed tensors were handed over.
constexpr double most_seconds_for_seeds = 5;

/// The first NaN: "weights[0,1,2,0]".
std::string location_of_nan(const Match& match) {
  const auto is_nan = [](Index, double number) { return std::isnan(number); };
  return to_string(Cell{match.tensor, first_where(match.theirs.values, is_nan).value_or(Shape{})});
}

class Check {
 public:
  Check(const Trace& ours, Matches matches, Digits digits, const Roundings& rounding, const Tolerance& tolerance,
        const std::string& source, bool mistakes_too, Threads& threads, SeedMemory* seeds, Workspace& workspace)
      : ours_(ours),
        setup_(ours.setup),
        matches_(std::move(matches)),
        tolerance_(tolerance),
        source_(source),
        mistakes_too_(mistakes_too),
        threads_(threads),
        seeds_(seeds),
        workspace_(workspace),
        roundings_(rounding) {
    mixture_.digits = digits;
  }

  CheckReport run() {
    refuse_early_nan();
    for (const Match& match : matches_.matches) compare_with_ours(match);
    report_.doubts = matches_.doubts;
    report_.unrecognised = matches_.unrecognised;
    note();
    if (report_.agrees || !mistakes_too_) return std::move(report_);
    diagnose_given_draws();
    mix();
    if (setup_.sizes.layers > 1 && !setup_.is_last()) report_.leaving = what_leaves(mixture_.trace);
    exchange();
    for (std::size_t i = 0; i < matches_.matches.size(); ++i)
      if (!report_.tensors[i].step_agrees && !is_drawn(matches_.matches[i].tensor, setup_))
        explain(matches_.matches[i]);
    refuse_late_nan();
    unite();
    std::ranges::stable_sort(report_.diagnoses, [](const Diagnosis& a, const Diagnosis& b) {
      if (a.explains != b.explains) return a.explains;
      if (a.given != b.given) return a.given < b.given;
      return a.misfit < b.misfit;
    });
    return std::move(report_);
  }

  /// The report, if everything agrees but for queries and keys whose products are ours; else nothing.
  std::optional<CheckReport> run_by_products() {
    const auto has_nan = [](const Match& match) { return match.theirs.has_nan; };
    if (std::ranges::any_of(matches_.matches, has_nan)) return std::nullopt;
    for (const Match& match : matches_.matches) compare_with_ours(match);
    report_.doubts = matches_.doubts;
    report_.unrecognised = matches_.unrecognised;
    if (report_.agrees) return std::nullopt;
    accept_same_products();
    if (!report_.agrees) return std::nullopt;
    note();
    return std::move(report_);
  }

 private:
  [[noreturn]] void refuse_nan(const Match& match) const {
    throw InputError({source_, fmt::format("{} (taken for {})", match.yours, name(match.tensor)),
                      "NaN at " + location_of_nan(match), "numbers"});
  }

  /// Before softmax there is nothing that could make NaN.
  void refuse_early_nan() const {
    for (const Match& match : matches_.matches)
      if (match.theirs.has_nan && !follows_softmax(match.tensor)) refuse_nan(match);
  }

  /// If a softmax overflowed, it made the first NaN, and the others follow from it; else the file is broken.
  void refuse_late_nan() const {
    for (std::size_t i = 0; i < matches_.matches.size(); ++i) {
      const Match& match = matches_.matches[i];
      if (!match.theirs.has_nan) continue;
      if (!report_.tensors[i].step_agrees && !report_.explains(match.tensor)) refuse_nan(match);
      return;
    }
  }

  void compare_with_ours(const Match& match) {
    TensorVerdict verdict{.tensor = match.tensor,
                          .yours = match.yours,
                          .by = match.by,
                          .shape = match.shape,
                          .theirs = match.theirs.values,
                          .printed = !match.theirs.half_digits.empty(),
                          .averaged = match.theirs.averaged};
    if (match.exchanged) {
      verdict.max_abs = infinity;
      verdict.cells_off = match.shape.elements();
    } else {
      const Rounding& rounding = roundings_[index_of(match.tensor)];
      Agreement agreement = compare(match.tensor, match.theirs, ours_[match.tensor], tolerance_, rounding, workspace_);
      if (!agreement.agrees()) {
        const Agreement level = compare_up_to_rows(match.tensor, match.theirs, ours_[match.tensor], setup_, tolerance_,
                                                   rounding, workspace_);
        if (level.agrees()) {
          agreement = level;
          levelled_[index_of(match.tensor)] = true;
          report_.notes.push_back(
              fmt::format("your {} and our {} differ by a constant in each row, which softmax doesn't see", match.yours,
                          name(match.tensor)));
        }
      }
      verdict.max_abs = agreement.largest;
      verdict.cells_off = agreement.off;
      verdict.by_rounding = agreement.by_rounding;
    }
    verdict.agrees = verdict.cells_off == 0;
    verdict.step_agrees = verdict.agrees;
    if (!verdict.agrees) {
      report_.agrees = false;
      if (!report_.first_difference) report_.first_difference = match.tensor;
    }
    report_.tensors.push_back(std::move(verdict));
  }

  /// Queries and keys that are others than ours, but with the same products, or with those that are scaled already:
  /// their features stand in another order, or the queries hold the scale. If something after them was handed over and
  /// nothing after them differs, that is no mistake.
  void accept_same_products() {
    if (report_.agrees || setup_.has_attention_alone()) return;
    const std::vector<TensorId> read = operand_tensors(dot_products, setup_);
    Trace trace = ours_;
    std::vector<std::size_t> others;
    std::vector<std::string> names;
    bool is_confirmed = false;
    for (std::size_t i = 0; i < matches_.matches.size(); ++i) {
      const Match& match = matches_.matches[i];
      const bool is_query = match.tensor == Q_heads || match.tensor == Q_normed || match.tensor == Q_rotated;
      const bool is_key = match.tensor == K_heads || match.tensor == K_normed || match.tensor == K_rotated;
      if (report_.tensors[i].agrees) {
        is_confirmed |= match.tensor > dot_products && match.tensor != V_heads;
        continue;
      }
      if (!(is_query || is_key) || match.exchanged) return;
      trace[read[is_query ? 0 : 1]] = converted(match.theirs.values, setup_.attention.precision);
      others.push_back(i);
      names.push_back(match.yours);
    }
    if (!is_confirmed) return;
    run_stage(trace, dot_products, workspace_);
    const double factor = setup_.score_factor();
    const Rounding& rounding = roundings_[index_of(dot_products)];
    for (const bool is_scaled : {false, true}) {
      if (is_scaled && factor == 0) return;
      const Theirs products{is_scaled ? divided(trace[dot_products], factor) : trace[dot_products]};
      const Agreement agreement =
          compare(dot_products, products, ours_[dot_products], tolerance_, rounding, workspace_);
      if (!agreement.agrees()) continue;
      for (const std::size_t i : others) {
        TensorVerdict& verdict = report_.tensors[i];
        verdict.max_abs = agreement.largest;
        verdict.cells_off = 0;
        verdict.agrees = verdict.step_agrees = true;
      }
      report_.agrees = true;
      report_.first_difference.reset();
      report_.notes.push_back(
          "your " + listed(names, " and ") +
          (is_scaled ? " hold the scale already: their products are our scores"
                     : " are others than ours, but their products are the same, as with features in another order"));
      return;
    }
  }

  static Tensor divided(const Tensor& tensor, double by) {
    Tensor result = converted(tensor, Precision::float64).contiguous();
    double* const first = result.writable<double>();
    std::transform(first, first + result.elements(), first, [&](double number) { return number / by; });
    return result;
  }

  /// What was found out about the arrays beside their numbers.
  void note() {
    for (const std::string& text : matches_.notes) report_.notes.push_back(text);
    for (std::size_t i = 0; i < matches_.matches.size(); ++i) {
      const Match& match = matches_.matches[i];
      const bool agrees = report_.tensors[i].agrees;
      const std::vector<TensorId> named = tensors_called(match.yours);
      const bool is_read_so = match.by == KnownBy::name && !named.empty() && !contains(named, match.tensor);
      if (is_read_so && !agrees)
        report_.notes.push_back(fmt::format("your {} is read as our {}", match.yours, name(match.tensor)));
      else if (is_read_so || match.renamed)
        report_.notes.push_back(
            fmt::format("your {} is our {}: the numbers are the same", match.yours, name(match.tensor)));
      if (match.transposed && agrees)
        report_.notes.push_back(
            fmt::format("your {} is our {}, transposed: its axes are {}", match.yours, name(match.tensor), match.axes));
      else if (!match.axes.empty())
        report_.notes.push_back(fmt::format("the axes of {} are {}, and it is read that way", match.yours, match.axes));
      if (match.theirs.averaged)
        report_.notes.push_back(
            fmt::format("{} is the mean of the heads' weights, as nn.MultiheadAttention returns it, and is "
                        "compared with the mean of ours; average_attn_weights=False gives one for each head",
                        match.yours));
    }
    if (is_half(mixture_.digits))
      report_.notes.push_back(
          fmt::format("half_precision: these numbers were computed in {}, which keeps {} digits, and are "
                      "compared as such",
                      name_of(mixture_.digits), mixture_.digits == Digits::float16 ? 3 : 2));
  }

  // Draws that were handed over.

  std::vector<Match> given_draws() const {
    std::vector<Match> drawn;
    std::ranges::copy_if(matches_.matches, std::back_inserter(drawn),
                         [&](const Match& match) { return is_drawn(match.tensor, setup_); });
    return drawn;
  }

  /// What remains of the inputs, weights and biases that were handed over.
  Diagnosis judged(const WrongDraws& wrong, const std::vector<Match>& given) {
    Diagnosis diagnosis{.tensor = *report_.first_difference,
                        .given = *report_.first_difference,
                        .mistake = wrong.mistake,
                        .words = wrong.words,
                        .misfit = 0,
                        .explains = true,
                        .draws = setup_.random.draws,
                        .drawn_as = std::make_shared<const Setup>(wrong.setup)};
    const Trace trace = drawn(wrong, setup_);
    for (const Match& match : given) {
      const Agreement agreement = compare(match.tensor, match.theirs, trace[match.tensor], tolerance_, 0, workspace_);
      diagnosis.misfit = std::max(diagnosis.misfit, agreement.largest);
      diagnosis.explains &= agreement.agrees();
    }
    return diagnosis;
  }

  /// Adds the diagnosis in place of another one of the same mistake and tensor, if it is better.
  void add(Diagnosis diagnosis) {
    const auto same = std::ranges::find_if(report_.diagnoses, [&](const Diagnosis& other) {
      return other.mistake == diagnosis.mistake && other.given == diagnosis.given;
    });
    if (same == report_.diagnoses.end()) report_.diagnoses.push_back(std::move(diagnosis));
    else if (!same->explains && (diagnosis.explains || diagnosis.misfit < same->misfit)) *same = std::move(diagnosis);
  }

  void diagnose_given_draws() {
    const std::vector<Match> given = given_draws();
    const auto differs = [&](const Match& match) {
      return !compare(match.tensor, match.theirs, ours_[match.tensor], tolerance_, 0, workspace_).agrees();
    };
    if (std::ranges::none_of(given, differs)) return;
    std::vector<WrongDraws> candidates = likely_draws(setup_);
    if (auto order = order_that_fits(setup_, given, tolerance_)) {
      std::erase_if(candidates, [](const WrongDraws& wrong) { return wrong.mistake == "draw_order"; });
      candidates.push_back(std::move(*order));
    }
    for (WrongDraws& wrong : seeds_that_fit(setup_, given, tolerance_, threads_))
      candidates.push_back(std::move(wrong));
    for (const WrongDraws& wrong : candidates) {
      Diagnosis diagnosis = judged(wrong, given);
      if (diagnosis.explains && !believed_draws_) believed_draws_ = wrong;
      add(std::move(diagnosis));
    }
  }

  // Their tensors and ours in one trace.

  void mix() {
    mixture_.trace = ours_;
    std::array<std::size_t, tensor_count> index{};
    for (std::size_t i = 0; i < matches_.matches.size(); ++i) {
      const Match& match = matches_.matches[i];
      if (match.exchanged || match.theirs.averaged) continue;
      mixture_.given[index_of(matches_.matches[i].tensor)] = true;
      index[index_of(matches_.matches[i].tensor)] = i;
    }
    adopt_draws();
    for (const TensorInfo& tensor : all_tensors()) {
      if (!exists(tensor.id, setup_)) continue;
      if (!is_drawn(tensor.id, setup_)) compute_mixed(tensor.id);
      if (!mixture_.given[index_of(tensor.id)]) continue;
      const std::size_t i = index[index_of(tensor.id)];
      if (!is_drawn(tensor.id, setup_)) judge_step(matches_.matches[i], report_.tensors[i]);
      take_theirs(matches_.matches[i], report_.tensors[i].agrees && !levelled_[index_of(tensor.id)]);
    }
    for (std::size_t i = 0; i < matches_.matches.size(); ++i)
      if (matches_.matches[i].theirs.averaged && !matches_.matches[i].exchanged)
        judge_step(matches_.matches[i], report_.tensors[i]);
  }

  /// If a mistake in drawing explains the draws that were handed over, it explains the other draws too.
  void adopt_draws() {
    if (!believed_draws_) return;
    const Trace trace = drawn(*believed_draws_, setup_);
    for (const TensorId id : drawn_tensors()) {
      if (!exists(id, setup_) || !is_drawn(id, setup_) || mixture_.given[index_of(id)]) continue;
      mixture_.trace[id] = trace[id];
      mixture_.theirs[index_of(id)] = true;
    }
    mixture_.trace.kept = trace.kept;
    if (exists(TensorId::dropped_weights, setup_)) other_chances_ = true;
  }

  void compute_mixed(TensorId id) {
    const auto operands = operand_tensors(id, setup_);
    const bool changed = std::ranges::any_of(operands, [&](TensorId one) { return mixture_.theirs[index_of(one)]; }) ||
                         (other_chances_ && stage_of(id).operation->takes_chances);
    mixture_.theirs[index_of(id)] = changed;
    mixture_.errors[index_of(id)] = roundings_[index_of(id)].bound;
    if (!changed) return;
    run_stage(mixture_.trace, id, workspace_);
    mixture_.errors[index_of(id)] = rounding_of(mixture_.trace, id, mixture_.errors, epsilon_of(mixture_.digits));
  }

  void judge_step(const Match& match, TensorVerdict& verdict) {
    if (!mixture_.theirs[index_of(match.tensor)]) return;
    verdict.step_agrees = compare(match.tensor, match.theirs, mixture_.trace[match.tensor], tolerance_,
                                  mixture_.errors[index_of(match.tensor)], workspace_)
                              .agrees();
  }

  /// A tensor that agrees is ours from here on: it is the same one with all its digits.
  void take_theirs(const Match& match, bool agrees) {
    mixture_.theirs[index_of(match.tensor)] = !agrees;
    mixture_.trace[match.tensor] =
        agrees ? ours_[match.tensor] : converted(match.theirs.values, setup_.attention.precision);
    if (agrees) mixture_.errors[index_of(match.tensor)] = roundings_[index_of(match.tensor)].bound;
    else mixture_.errors[index_of(match.tensor)] = largest_half_digit(match);
  }

  static double largest_half_digit(const Match& match) {
    if (match.theirs.half_digits.empty()) return 0;
    const Tensor& digits = match.theirs.half_digits;
    const double* first = digits.data<double>();
    return digits.elements() == 0 ? 0 : *std::max_element(first, first + digits.elements());
  }

  // Batch items and positions that have changed places.

  void exchange() {
    const auto other = exchanged(setup_);
    if (!other || setup_.sizes.batch == 1) return;
    Trace trace;
    trace.setup = *other;
    if (setup_.attention.dropout > 0 || setup_.has_task()) return;  // these belong to a batch of this size
    for (const TensorInfo& tensor : all_tensors()) {
      if (!exists(tensor.id, setup_)) continue;
      const bool is_input = is_before_projection(tensor.id);  // positions are added before the exchange
      const Tensor& theirs = mixture_.trace[tensor.id];
      if (is_input && tensor.has_batch()) trace[tensor.id] = theirs.transposed(0, 1).contiguous();
      else if (is_input || is_drawn(tensor.id, setup_)) trace[tensor.id] = ours_[tensor.id];
      else run_stage(trace, tensor.id, workspace_);
    }
    bool first = true;
    for (std::size_t i = 0; i < matches_.matches.size(); ++i) {
      const Match& match = matches_.matches[i];
      TensorVerdict& verdict = report_.tensors[i];
      if (is_drawn(match.tensor, setup_) || verdict.step_agrees) continue;
      Diagnosis diagnosis{.tensor = match.tensor,
                          .given = match.tensor,
                          .mistake = "batch_and_position_swapped",
                          .words = "batch items are taken for positions: attention runs across the batch",
                          .misfit = infinity,
                          .at = {match.tensor},
                          .mended = what_depends_on_positions()};
      for (const bool back : {false, true}) {
        const Tensor whole = match.theirs.averaged ? mean_over_heads(trace[match.tensor]) : trace[match.tensor];
        const Tensor expected = back && whole.shape().rank() == 3 ? whole.transposed(0, 1) : whole;
        if (expected.shape() != match.theirs.values.shape()) continue;
        const Agreement agreement = compare(match.tensor, match.theirs, expected, tolerance_,
                                            roundings_[index_of(match.tensor)].bound, workspace_);
        diagnosis.misfit = std::min(diagnosis.misfit, agreement.largest);
        diagnosis.explains |= agreement.agrees();
      }
      if (match.exchanged && !first) verdict.step_agrees = diagnosis.explains;
      if (match.exchanged) first = false;
      if (verdict.step_agrees) continue;
      if (shows_no_split()) add(batch_first_forgotten(diagnosis));
      add(std::move(diagnosis));
    }
  }

  /// From the split to the concat, what has to be written for the right axis.
  std::vector<TensorId> what_depends_on_positions() const {
    std::vector<TensorId> all{Q_heads, K_heads, V_heads, Q_rotated, K_rotated, position_bias, masked_scores, concat};
    std::erase_if(all, [&](TensorId id) { return !exists(id, setup_); });
    return all;
  }

  /// Whether nothing was handed over that only somebody's own code has: it may be a module that was called.
  bool shows_no_split() const {
    return std::ranges::none_of(matches_.matches, [](const Match& match) {
      return match.tensor >= Q_heads && match.tensor < output && match.tensor != weights &&
             match.tensor != dropped_weights;
    });
  }

  /// The same numbers, where a module of PyTorch was called.
  static Diagnosis batch_first_forgotten(Diagnosis diagnosis) {
    diagnosis.mistake = "batch_first_forgotten";
    diagnosis.words =
        "batch_first is forgotten: the module takes batch items for positions, and attention runs over the batch";
    diagnosis.mended = {};
    diagnosis.fix_numpy = diagnosis.fix_torch = "nn.MultiheadAttention(d_model, heads, batch_first=True)";
    return diagnosis;
  }

  // Known mistakes.

  void explain(const Match& match) {
    if (match.exchanged) return;
    const Replays replays(mixture_, match, tolerance_, workspace_);
    for (Diagnosis& diagnosis : replays.known_mistakes()) add(std::move(diagnosis));
    if (!report_.explains(match.tensor) && replays.reaches_draws() && !believed_draws_) explain_by_draws(replays);
  }

  /// One mistake that was made in several places is one diagnosis. Another mistake of the same kind further on, as in
  /// the output's weight, belongs to it.
  void unite() {
    const auto kind_of = [](std::string_view mistake) -> std::string_view {
      if (mistake == "output_weight_transposed") return "weight_transposed";
      if (mistake == "output_bias_missing") return "bias_missing";
      if (mistake == "concat_without_transpose") return "split_without_transpose";
      return mistake;
    };
    std::vector<Diagnosis> united;
    for (Diagnosis& diagnosis : report_.diagnoses) {
      const auto same = std::ranges::find_if(united, [&](const Diagnosis& other) {
        return other.explains && diagnosis.explains && diagnosis.draws.empty() && other.variant == diagnosis.variant &&
               kind_of(diagnosis.mistake) == other.mistake;
      });
      if (same == united.end()) {
        united.push_back(std::move(diagnosis));
        continue;
      }
      for (const TensorId id : diagnosis.at)
        if (!contains(same->at, id)) same->at.push_back(id);
      same->also_given.push_back(diagnosis.given);
      same->misfit = std::max(same->misfit, diagnosis.misfit);
      std::ranges::sort(same->at);
    }
    report_.diagnoses = std::move(united);
  }

  /// Draws that were not handed over, from what follows from them.
  void explain_by_draws(const Replays& replays) {
    if (found_draws_) {
      add(replays.other_draws(*found_draws_, drawn(*found_draws_, setup_), workspace_));
      return;
    }
    if (searched_draws_) return;
    searched_draws_ = true;
    for (const WrongDraws& wrong : likely_draws(setup_)) {
      Diagnosis diagnosis = replays.other_draws(wrong, drawn(wrong, setup_), workspace_);
      if (diagnosis.explains && !found_draws_) found_draws_ = wrong;
      add(std::move(diagnosis));
    }
    if (!found_draws_) try_seeds(replays);
    if (found_draws_) add(replays.other_draws(*found_draws_, drawn(*found_draws_, setup_), workspace_));
  }

  void try_seeds(const Replays& replays) {
    const auto seeds = static_cast<double>(seeds_tried) * static_cast<double>(seeds_in(setup_));
    if (estimated_seconds(setup_) * seeds > most_seconds_for_seeds) return;
    constexpr Index seeds_per_task = 100;
    for (std::size_t nth = 0; nth < seeds_in(setup_) && !found_draws_; ++nth) {
      if (tried_kept_seeds(replays, nth)) continue;
      std::atomic<std::int64_t> fitting = -1;
      threads_.run(seeds_tried / seeds_per_task, [&](Index task) {
        Workspace alone;
        for (Index seed = task * seeds_per_task; seed < (task + 1) * seeds_per_task && fitting < 0; ++seed) {
          const WrongDraws wrong = with_seed(setup_, nth, seed);
          if (replays.other_draws(wrong, drawn(wrong, setup_), alone).explains) fitting = seed;
        }
      });
      if (fitting >= 0) found_draws_ = with_seed(setup_, nth, fitting);
    }
  }

  /// False where what the seeds give isn't kept.
  bool tried_kept_seeds(const Replays& replays, std::size_t nth) {
    if (seeds_ == nullptr || !replays.reads_ours_alone()) return false;
    const auto all = seeds_->all({nth, mixture_.digits, replays.segment()}, [&](std::int64_t seed) {
      auto [tensor, rounding] = replays.from_draws(drawn(with_seed(setup_, nth, seed), setup_), workspace_);
      return SeedMemory::Given{std::move(tensor), rounding};
    });
    if (all == nullptr) return false;
    const auto fits = [&](const SeedMemory::Given& given) { return replays.is_theirs(given.tensor, given.rounding); };
    if (const auto found = std::ranges::find_if(*all, fits); found != all->end())
      found_draws_ = with_seed(setup_, nth, found - all->begin());
    return true;
  }

  const Trace& ours_;
  const Setup& setup_;
  Matches matches_;
  const Tolerance& tolerance_;
  const std::string& source_;
  bool mistakes_too_;
  Threads& threads_;
  SeedMemory* seeds_;  ///< null: what other seeds give is for this work alone
  Workspace& workspace_;
  CheckReport report_;
  std::array<bool, tensor_count> levelled_{};  ///< it agrees but for a constant in each row
  const Roundings& roundings_;
  Mixture mixture_;
  std::optional<WrongDraws> believed_draws_;  ///< they explain the draws that were handed over
  std::optional<WrongDraws> found_draws_;     ///< they explain what follows from draws that were not
  bool searched_draws_ = false;
  bool other_chances_ = false;  ///< the dropout decisions are those of believed_draws_
};

/// How many arrays neither agree, nor follow from others by our step, nor by a known mistake.
std::ptrdiff_t unexplained(const CheckReport& report) {
  const bool draws =
      std::ranges::any_of(report.diagnoses, [](const Diagnosis& d) { return d.explains && !d.draws.empty(); });
  return std::ranges::count_if(report.tensors, [&](const TensorVerdict& verdict) {
    return !verdict.step_agrees && !report.explains(verdict.tensor) && !(draws && info(verdict.tensor).can_be_drawn());
  });
}

std::ptrdiff_t steps_that_fail(const CheckReport& report) {
  return std::ranges::count_if(report.tensors, [](const TensorVerdict& verdict) { return !verdict.step_agrees; });
}

/// Whether a tensor that follows the renamed ones agrees: then the names were wrong, and not the numbers. So it is with
/// scores and weights that are ours transposed, which may be a mistake. Of other arrays in another layout under their
/// own names, that all agree says enough.
bool is_confirmed(const Matches& matches, const Trace& ours, const Tolerance& tolerance, const Roundings& rounding,
                  Workspace& workspace) {
  std::optional<TensorId> renamed;
  for (const Match& match : matches.matches) {
    if (match.renamed || (match.transposed && info(match.tensor).is_query_by_key())) renamed = match.tensor;
    else if (renamed && !match.exchanged &&
             compare(match.tensor, match.theirs, ours[match.tensor], tolerance, rounding[index_of(match.tensor)],
                     workspace)
                 .agrees())
      return true;
  }
  return !renamed && std::ranges::any_of(matches.matches, [](const Match& match) { return !match.axes.empty(); });
}

/// Whether `a` explains more of the arrays than `b`, which knows them by their names. Where numbers alone speak for
/// other names, a mistake that explains the same comes first: scores that are our dot products lack the scale.
bool is_better(const CheckReport& a, const CheckReport& b, bool confirmed) {
  if (a.tensors.size() != b.tensors.size()) return a.tensors.size() > b.tensors.size();
  const auto left_a = unexplained(a), left_b = unexplained(b);
  if (left_a != left_b) return left_a < left_b;
  if (a.agrees && !b.agrees && !confirmed) return false;
  return steps_that_fail(a) < steps_that_fail(b);
}

/// How exact the arrays may be, likeliest first: as they are stored, and if all numbers of one have the digits of a
/// half, as such. A printout may be of float32.
std::vector<Digits> likely_digits(const Trace& ours, std::span<const GivenArray> arrays) {
  const auto is_single = [](const GivenArray& array) {
    return array.values.precision() == Precision::float32 || !array.half_digits.empty();
  };
  const bool single = ours.setup.attention.precision == Precision::float32 || std::ranges::any_of(arrays, is_single);
  std::vector<Digits> all{single ? Digits::float32 : Digits::float64};
  std::vector<Tensor> computed;
  for (const GivenArray& array : arrays) {
    const std::vector<TensorId> named = tensors_called(array.name);
    const bool is_drawn = !named.empty() && info(named.front()).can_be_drawn();
    if (array.half_digits.empty() && !is_drawn) computed.push_back(array.values);
  }
  if (const auto half = half_of(computed)) all.push_back(*half);
  return all;
}

CheckReport checked(const Trace& ours, std::span<const GivenArray> arrays, const DiagnoseOptions& options,
                    const std::string& source, const std::shared_ptr<Threads>& threads, SeedMemory* seeds) {
  BlockPool blocks(std::size_t{512} << 20);
  const Progress silent;
  Workspace workspace(*threads, blocks, silent, 1);
  std::optional<CheckReport> best;
  std::exception_ptr refused;
  for (const Digits digits : likely_digits(ours, arrays)) {
    const Roundings rounding = roundings_of(ours, digits, workspace);
    std::vector<Matches> tried;  // without candidates that differ in no array, as the weights' layout without a weight
    for (const ArrayLayout& layout : likely_layouts(ours, arrays, options.tolerance, workspace)) {
      for (const Evidence evidence : {Evidence::names, Evidence::numbers, Evidence::rotated, Evidence::unprojected}) {
        // A name is only read as another step of the same variable if that explains what its own does not.
        const bool is_last_resort = evidence == Evidence::rotated || evidence == Evidence::unprojected;
        if (is_last_resort && (!best || !options.mistakes_too || unexplained(*best) == 0)) continue;
        try {
          Matches matches =
              match(ours, arrays, layout, evidence, options.names, options.tolerance, rounding, source, workspace);
          if (std::ranges::any_of(tried, [&](const Matches& other) { return same_matches(other, matches); })) continue;
          tried.push_back(matches);
          const bool confirmed = is_confirmed(matches, ours, options.tolerance, rounding, workspace);
          CheckReport report = Check(ours, std::move(matches), digits, rounding, options.tolerance, source,
                                     options.mistakes_too, *threads, seeds, workspace)
                                   .run();
          if (is_last_resort && unexplained(report) > 0) continue;
          if (!best || is_better(report, *best, confirmed)) best = std::move(report);
        } catch (const InputError&) {
          if (!refused) refused = std::current_exception();
        }
      }
      if (best && best->agrees) break;
    }
    // What numbers alone recognise comes first.
    for (auto each = tried.begin(); each != tried.end() && !(best && best->agrees); ++each)
      if (auto report = Check(ours, *each, digits, rounding, options.tolerance, source, options.mistakes_too, *threads,
                              seeds, workspace)
                            .run_by_products())
        best = std::move(report);
    if (best && best->agrees) break;
  }
  if (!best) std::rethrow_exception(refused);
  return *best;
}

}  // namespace

const Doubt* CheckReport::doubt_about(std::string_view yours) const {
  const auto found = std::ranges::find(doubts, yours, &Doubt::yours);
  return found == doubts.end() ? nullptr : &*found;
}

bool CheckReport::explains(TensorId given) const {
  return std::ranges::any_of(diagnoses, [&](const Diagnosis& d) { return d.explains && d.is_about(given); });
}

CheckReport diagnose(const Trace& ours, std::span<const GivenArray> arrays, const DiagnoseOptions& options,
                     const std::string& source, const std::shared_ptr<Threads>& threads) {
  return checked(ours, arrays, options, source, threads, nullptr);
}

CheckReport diagnose(const Trace& ours, std::span<const GivenArray> arrays, const DiagnoseOptions& options,
                     const std::string& source, const std::shared_ptr<Threads>& threads, SeedMemory& seeds) {
  return checked(ours, arrays, options, source, threads, &seeds);
}

}  // namespace headlight
