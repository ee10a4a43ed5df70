#include "core/formats/script/script.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/formats/script/draw_code.hpp"
#include "core/formats/script/script_ending.hpp"
#include "core/formats/script/script_text.hpp"
#include "core/formats/script/task_code.hpp"
#include "core/model/shapes.hpp"
#include "core/setup/checks.hpp"
#include "core/stages/table.hpp"

namespace headlight {
namespace {

/// The title is on the third line: in the first two, Python would obey words such as "coding: latin-1".
std::string title_lines(const Code& code, std::string_view what) {
  const std::string title = code.setup.title.empty() ? "A setup without a title" : in_comment(code.setup.title);
  return fmt::format("#!/usr/bin/env python3\n# {} Written by Headlight.\n# {}\n#\n", what, title);
}

std::string_view library_name(const Code& code) { return code.in_torch() ? "PyTorch" : "NumPy"; }

std::string header(const Code& code) {
  return title_lines(code, fmt::format("Multi-head attention in {}, tensor by tensor.", library_name(code))) +
         "#   python3 attention.py              prints the shape of every tensor, and the output\n"
         "#   python3 attention.py trace.npz    compares every tensor with what `headlight compute` wrote\n";
}

std::string check_header(const Code& code) {
  return title_lines(code, fmt::format("Your own multi-head attention in {}, to be checked.", library_name(code))) +
         "#   python3 mine.py                      writes the tensors that you have to mine.npz\n"
         "#   headlight diagnose ... mine.npz      compares them, step by step\n";
}

/// Whether the setup draws random numbers, for tensors or for sequences. It must seed the generator before it can.
bool uses_generator(const Setup& setup) {
  return setup.has_task() || std::any_of(setup.random.draws.begin(), setup.random.draws.end(),
                                         [](const Draw& draw) { return std::holds_alternative<SeedDraw>(draw); });
}

std::string imports(const Code& code) {
  const bool draws_only = !code.in_torch() && code.draws_in_torch() && uses_generator(code.setup);
  CodeLines lines{{"import numpy as np", ""}};
  if (code.in_torch()) lines.push_back({"import torch", ""});
  if (draws_only) lines.push_back({"import torch", "only to draw the numbers that PyTorch's generator gives"});
  std::string text = "import sys\n\n" + paragraph("", lines);
  if ((code.in_torch() || draws_only) && !code.is_float32()) text += "\ntorch.set_default_dtype(torch.float64)\n";
  return text;
}

std::string sizes(const Code& code) {
  const Sizes& sizes = code.setup.sizes;
  CodeLines lines{{fmt::format("batch = {}", sizes.batch), ""},
                  {fmt::format("query_length = {}", sizes.query_length), ""}};
  if (code.setup.is_cross()) {
    lines.back().comment = "positions of X";
    lines.push_back({fmt::format("key_length = {}", code.setup.key_length()), "positions of Y"});
  } else {
    lines.back().comment = "positions of X; the keys are the same positions";
  }
  lines.push_back({fmt::format("d_model = {}", sizes.d_model), "features of a position"});
  lines.push_back({fmt::format("heads = {}", sizes.heads), ""});
  if (code.has_groups()) {
    lines.push_back(
        {fmt::format("kv_heads = {}", code.setup.kv_heads()),
         fmt::format("each key and value head serves {} query heads", sizes.heads / code.setup.kv_heads())});
  }
  lines.push_back({"d_head = d_model // heads", fmt::format("{} features of a head", code.setup.d_head())});
  return paragraph("Sizes.", lines);
}

/// One paragraph for each stage that has a heading. Stages without one, and of the same operation as the stage before,
/// continue the paragraph before.
std::vector<std::string> paragraphs_of(std::span<const Stage> stages, const Code& code) {
  std::vector<std::string> paragraphs;
  std::string heading;
  const Operation* before = nullptr;
  CodeLines lines;
  for (const Stage& stage : stages) {
    if (!exists(stage.result, code.setup)) continue;
    const bool goes_on = stage.operation == before || stage.operation->heading == nullptr;
    if (std::string own = goes_on ? std::string() : stage.operation->heading(stage, code); !own.empty()) {
      if (!lines.empty()) paragraphs.push_back(paragraph(heading, std::exchange(lines, {})));
      heading = std::move(own);
    }
    before = stage.operation;
    CodeLines lines_of_stage = stage.code(code);
    std::ranges::move(lines_of_stage, std::back_inserter(lines));
    if (code.in_torch() && code.setup.has_task() && stage.kind == StageKind::given && !lines_of_stage.empty())
      lines.push_back({fmt::format("{}.requires_grad_()", name(stage.result)), ""});
  }
  if (!lines.empty()) paragraphs.push_back(paragraph(heading, lines));
  return paragraphs;
}

}  // namespace

std::string script(const Setup& setup, Framework framework, std::int64_t memory_limit) {
  require_valid(setup);
  require_fits(setup, memory_limit);
  const Code code{setup, framework};
  std::vector<std::string> parts{header(code), imports(code), sizes(code), draw_paragraphs(code)};
  std::vector<std::string> forward = paragraphs_of(stages(), code);
  if (setup.has_task()) parts.push_back(task_code(code, forward, paragraphs_of(gradient_stages(), code)));
  else std::ranges::move(forward, std::back_inserter(parts));
  std::ranges::move(paragraphs_of(aside_stages(), code), std::back_inserter(parts));
  parts.push_back(script_ending(code));
  return fmt::format("{}", fmt::join(parts, "\n"));
}

std::string check_script(const Setup& setup, Framework framework, std::int64_t memory_limit) {
  require_valid(setup);
  require_fits(setup, memory_limit);
  const Code code{setup, framework};
  std::vector<std::string> parts{check_header(code), imports(code), sizes(code), draw_paragraphs(code)};
  if (setup.has_task()) parts.push_back(sequences_code(code) + "\nX, labels = next_sequences(batch)\n");
  parts.push_back(own_part(code));
  return fmt::format("{}", fmt::join(parts, "\n"));
}

}  // namespace headlight
