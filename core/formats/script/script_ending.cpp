#include "core/formats/script/script_ending.hpp"

#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/formats/script/script_text.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/graph.hpp"

namespace headlight {
namespace {

constexpr std::string_view ending = R"(if len(sys.argv) < 2:
    for name, tensor in tensors.items():
        print(f"{name:16} {tuple(tensor.shape)}")
    print("output =", output, sep="\n")
    sys.exit()

# Compare with a trace.
@TO_NUMPY@with np.load(sys.argv[1]) as file:
    trace = dict(file)
tolerance = @TOLERANCE@
after_softmax = @AFTER_SOFTMAX@


def allowed(name):
    """Softmax turns an absolute error of a score into a relative error of a weight, so large scores cost digits."""
    if name not in after_softmax:
        return tolerance
    scores = tensors["scores"]
    largest_score = np.abs(scores[np.isfinite(scores)]).max(initial=0)
    return max(tolerance, 8 * np.finfo(scores.dtype).eps * largest_score)

@LARGEST_GRADIENT@
def largest_difference(name, mine, theirs):
    """As a part of the largest magnitude; inf or nan unless infinities are in the same places."""
    same = (mine == theirs) | (np.isnan(mine) & np.isnan(theirs))
    difference = np.abs(np.subtract(mine, theirs, where=~same, out=np.zeros(mine.shape))).max()
    magnitude = np.abs(theirs[np.isfinite(theirs)]).max(initial=@AT_LEAST@)
    return difference / magnitude if magnitude > 0 else difference


def verdict(name):
    if name not in trace:
        return "missing in the trace"
    if name not in tensors:
        return "missing in this script"
    mine, theirs = tensors[name], trace[name]
    if mine.shape != theirs.shape:
        return f"differs: {mine.shape} here, {theirs.shape} in the trace"
    found, limit = largest_difference(name, mine, theirs), allowed(name)
    return f"{'agrees ' if found <= limit else 'differs'}  {found:8.1e} of {limit:.0e} allowed"


verdicts = {name: verdict(name) for name in dict.fromkeys([*tensors, *trace])}
for name, words in verdicts.items():
    print(f"{name:16} {words}")
sys.exit(0 if all(words.startswith("agrees") for words in verdicts.values()) else 1)
)";

constexpr std::string_view largest_gradient = R"(
def least(name):
    """Gradients that cancel to 0, as that of b_k, are made of rounding alone: they are measured by the others."""
    return np.abs(tensors["grad_logits"]).max() if name.startswith("grad_") else 0

)";

std::string replaced(std::string text, std::string_view mark, std::string_view with) {
  return text.replace(text.find(mark), mark.size(), with);
}

std::string collection(const Code& code) {
  std::vector<std::string> entries;
  for (const TensorInfo& tensor : all_tensors()) {
    if (exists(tensor.id, code.setup)) entries.push_back(fmt::format("{0}={0}", tensor.name));
  }
  if (code.setup.training.steps > 0) entries.emplace_back("curve=curve");
  return bracketed("tensors = dict(", entries, ")") + "\n";
}

/// "(\"weights\", \"context\", \"output\")": the tensors that are computed from the softmax.
std::string after_softmax(const Code& code) {
  std::vector<std::string> names;
  for (const TensorInfo& tensor : all_tensors()) {
    if (exists(tensor.id, code.setup) && follows_softmax(tensor.id))
      names.push_back(fmt::format("\"{}\"", tensor.name));
  }
  return fmt::format("({})", fmt::join(names, ", "));
}

constexpr std::string_view saving = R"(file = sys.argv[1] if len(sys.argv) > 1 else "mine.npz"
mine = {name: globals()[name] for name in names if name in globals()}
np.savez(file, **{name: @AS_ARRAY@ for name, tensor in mine.items()})
print(f"{file} holds {', '.join(mine)}")
)";

}  // namespace

std::string script_ending(const Code& code) {
  constexpr std::string_view to_numpy = "tensors = {name: tensor.numpy() for name, tensor in tensors.items()}\n";
  constexpr std::string_view watched =
      "tensors = {name: tensor.detach().numpy() for name, tensor in tensors.items()}\n";
  const bool has_task = code.setup.has_task();
  std::string text = replaced(std::string(ending), "@TO_NUMPY@", !code.in_torch() ? "" : has_task ? watched : to_numpy);
  text = replaced(text, "@LARGEST_GRADIENT@", has_task ? largest_gradient : "");
  text = replaced(text, "@AT_LEAST@", has_task ? "least(name)" : "0");
  text = replaced(text, "@AFTER_SOFTMAX@", after_softmax(code));
  // Each step of training inherits the rounding of all steps before it.
  const bool learns = code.setup.training.steps > 0;
  const char* tolerance = learns ? (code.is_float32() ? "2e-2" : "1e-5") : (code.is_float32() ? "2e-5" : "1e-10");
  return collection(code) + "\n" + replaced(text, "@TOLERANCE@", tolerance);
}

std::string own_part(const Code& code) {
  CodeLines room;
  std::vector<std::string> names;
  for (const TensorInfo& tensor : all_tensors()) {
    if (!exists(tensor.id, code.setup)) continue;
    names.push_back(fmt::format("\"{}\"", tensor.name));
    if (!is_drawn(tensor.id, code.setup))
      room.push_back({fmt::format("# {} = ...", tensor.name), shape_words(tensor.id, code)});
  }
  std::string write(saving);
  constexpr std::string_view mark = "@AS_ARRAY@";
  write.replace(write.find(mark), mark.size(),
                code.in_torch() ? "torch.as_tensor(tensor).detach().numpy()" : "np.asarray(tensor)");
  return paragraph("Your own code: make as many of these as you have, in these shapes.", room) +
         "\n\n# Write what there is.\n" + bracketed("names = [", names, "]") + "\n" + write;
}

}  // namespace headlight
