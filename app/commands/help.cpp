#include "app/commands/help.hpp"

#include <algorithm>
#include <array>

#include <CLI/CLI.hpp>

namespace headlight {
namespace {

struct Help {
  std::string_view command;
  std::string_view text;
};

constexpr auto texts = std::to_array<Help>(
    {{"", R"(Without a command, a window opens: with FILE, with what an option names, or else as you left it. FILE is a
setup (.toml), a lecture (.md), a picture that Headlight drew (.png), arrays (.npz, .npy, .csv), a model
(.safetensors, .npz) or a folder that `headlight capture`'s program wrote. F1 in the window lists all keys.

Examples:
  headlight
  headlight --lecture bank
  headlight setup.toml
  headlight --present masks --presenter)"},
     {"lectures",
      R"(A row for each lecture: its id, its steps, its title, and what it follows. With --lectures, yours too.

Examples:
  headlight lectures)"},
     {"keys", R"(These are the keys of a setup file (TOML) and of --set.

Examples:
  headlight keys)"},
     {"tensors",
      R"(With names, a row for each that `headlight diagnose` knows by its name alone; others it can still recognise by their
numbers or their shape.

Examples:
  headlight tensors
  headlight tensors attn_scores att foo)"},
     {"check",
      R"(Computes each lecture, compares it with what its document printed, answers its questions, and evaluates its
live numbers and links. Exits with 1 if anything differs.

Examples:
  headlight check
  headlight check bank masks)"},
     {"compute", R"(The file holds each tensor under its name, in the order of the forward pass, for numpy.load.

Examples:
  headlight compute --lecture numpy-from-scratch -o trace.npz
  headlight compute --lecture numpy-from-scratch --set sizes.heads=4 -o trace.npz)"},
     {"explain", R"(Cells are counted from 0, in the order of the tensor's axes: weights[batch, head, query, key].

Examples:
  headlight explain --lecture numpy-from-scratch --cell 'scores[0,1,2,0]'
  headlight explain --lecture numpy-from-scratch --cell 'output[0,0,0]' --json)"},
     {"diagnose",
      R"(MINE holds as many tensors as you have, under names like Q, attn_scores, ctx or out. Each is compared with
ours, in the order of the forward pass. Each step also runs on your own tensors, so that a second mistake further on
is found too. Every known mistake is tried, and those that explain a difference are printed with the line that fixes
them. An array whose name says nothing is recognised by its numbers, else by its shape. Exits with 1 if anything
differs.

Examples:
  headlight compute --lecture numpy-from-scratch -o mine.npz
  headlight diagnose --lecture numpy-from-scratch mine.npz
  headlight diagnose --lecture numpy-from-scratch mine.npz --name weights=weights --json)"},
     {"grade",
      R"(Each file in FOLDER is a submission, and so is each folder in it: npz, npy, printouts, notebooks. Each is checked as
`headlight diagnose` does. The table has a row for each, in the order of their names: name, agrees, first_difference,
mistake, fix, tensors, known_by, seconds, error. What can't be read has its reason in error, and stops nothing.

Examples:
  mkdir -p handed-in
  headlight compute --lecture numpy-from-scratch -o handed-in/ann.npz
  headlight grade handed-in --lecture numpy-from-scratch -o grades.csv
  headlight grade handed-in --lecture numpy-from-scratch -o grades.csv --html report.html --anonymous)"},
     {"exercise",
      R"(Writes template.py, which students complete and run: it has the sizes and draws, and writes what they hand in. And
exercise.toml, for `headlight grade --exercise`: the setup with what counts, and how many points for each tensor. Files
that are there and say something else stay.

Examples:
  headlight exercise --lecture numpy-from-scratch --hand-in scores,weights,output -o homework)"},
     {"layers",
      R"(Finds the attention layers by the names and shapes of their arrays: those of PyTorch, GPT-2, BERT, Llama, Qwen,
Gemma, T5 and their relatives. Pickles (.pt, .bin) are never loaded.

With --whole it makes one setup of all layers, each computed from the one below it, of nn.TransformerEncoder, GPT-2,
nanoGPT, Llama, Mistral, Qwen2 and Qwen3. Where a part isn't known, the chain is cut there, and says so.

Examples:
  headlight layers model.safetensors
  headlight layers model.safetensors --layer 3 -o setup.toml
  headlight layers model.safetensors --whole --symbols 464,3797,3332 -o setup.toml
  headlight setup.toml)"},
     {"capture",
      R"(Comments at the top of the program say how to use it. It writes a folder with a file for each attention layer, which
`headlight layers` and the window open.

Examples:
  headlight capture -o capture.py)"},
     {"script",
      R"(The program also compares: run it with the file that `headlight compute` wrote. It exits with 1 if a tensor
differs.

Examples:
  headlight compute --lecture bank -o trace.npz
  headlight script --lecture bank --framework numpy -o recompute.py
  headlight script --lecture bank --framework numpy --check -o mine.py)"},
     {"train",
      R"(Needs a setup with a task. The columns are step, loss (of its batch, before the update), and shown_loss and
shown_accuracy (of the sequences on screen, after it).

Examples:
  headlight train --lecture learning --steps 20 -o curve.csv)"},
     {"generate",
      R"(Needs a setup with the task text. Each text begins after a line break, and ends at the next one or where the
model has no position left. The texts share one generator, of the kind that the setup draws with.

Examples:
  headlight generate --setup setup.toml --set training.steps=600
  headlight generate --setup setup.toml --set training.steps=600 --prompt go --temperature 0.5 --top-k 5 --json)"},
     {"export",
      R"(Parts of a tensor are written as in NumPy: 'weights[0,1]' or 'weights[:,0,2]'. --frames makes an animation of any
figure that `headlight render` can draw.

Examples:
  headlight export --lecture bank --tensor 'weights[0,0]' --as md
  headlight export --lecture bank --tensor 'weights[0,0]' -o weights.csv
  headlight export --lecture bank --step 4 --as link
  headlight export --lecture bank --frames temperature=0.5..4/4 --figure heatmap -o temperature.gif)"},
     {"handout",
      R"(Each step with its picture, its words, its code and its question; then the hints, and the answers on a page of
their own.

Examples:
  headlight handout --lecture bank -o bank.html)"},
     {"render",
      R"(Draws the same picture every time. A PNG contains its setup and its place, and Headlight opens it. Pictures don't
show what a step's question asks for, unless --answer is given.

Examples:
  headlight render --lecture bank --step 4 -o step-4.png
  headlight render --lecture udl-12-2 --step 8 --figure heatmap --theme light --size 8cmx8cm -o weights.svg
  headlight render --lecture numpy-from-scratch --view heads --show weights.range=min_max -o heads.pdf)"},
     {"manual", R"(Pages for man(1), as they are installed.

Examples:
  headlight manual render
  headlight manual -o man1)"}});

}  // namespace

bool is_listed(const CLI::App* command) { return !command->get_group().empty(); }

std::string_view more_about(std::string_view command) {
  const auto found = std::ranges::find(texts, command, &Help::command);
  return found == texts.end() ? std::string_view() : found->text;
}

}  // namespace headlight
