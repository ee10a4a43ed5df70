#include "app/session/actions/finding.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "core/text/wording.hpp"

namespace headlight {
namespace {

bool is_part_of_word(char letter) {
  // All bytes of letters beyond ASCII count.
  const auto byte = static_cast<unsigned char>(letter);
  return std::isalnum(byte) != 0 || byte >= 0x80;
}

std::string in_lower_case(std::string_view text) {
  std::string all(text);
  std::ranges::transform(all, all.begin(), lower);
  return all;
}

std::vector<std::string> typed_words(std::string_view typed) {
  std::vector<std::string> words(1);
  for (const char letter : in_lower_case(typed)) {
    if (letter != ' ') words.back() += letter;
    else if (!words.back().empty()) words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

/// Whether a sentence says as much without it.
bool says_little(std::string_view word) {
  constexpr std::array<std::string_view, 26> words{"a",   "an",  "and",  "are", "can",  "do",   "does", "for",  "go",
                                                   "how", "i",   "in",   "is",  "it",   "make", "me",   "my",   "of",
                                                   "on",  "the", "this", "to",  "want", "we",   "what", "where"};
  return std::ranges::binary_search(words, word);
}

enum class Place { inside, beginning, whole };

/// Where the word is in the text, at the best place; none if it is not in it.
std::optional<Place> place_of(std::string_view word, std::string_view text) {
  std::optional<Place> best;
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_part_of_word(text[at - 1]) || !is_part_of_word(word.front());
    const bool ends = end == text.size() || !is_part_of_word(text[end]);
    const Place place = begins ? (ends ? Place::whole : Place::beginning) : Place::inside;
    best = std::max(best, std::optional(place));
  }
  return best;
}

/// How much it counts that the word is in the text: `most` where it is a whole word of it.
int worth(std::string_view word, std::string_view text, int most, bool counts_inside) {
  const auto place = place_of(word, text);
  if (!place) return 0;
  if (*place == Place::whole) return most;
  if (*place == Place::beginning) return most - 4;
  return counts_inside && word.size() >= 3 ? most - 12 : 0;
}

/// One word's best worth. A plural also finds its singular.
int worth(std::string_view word, const Findable& lower_case) {
  const auto best = [&](std::string_view one) {
    // In running text, few letters begin a word of nearly every paragraph.
    constexpr std::size_t few_letters = 4;
    const int about = worth(one, lower_case.about, 10, false);
    return std::max({worth(one, lower_case.name, 30, true), worth(one, lower_case.also, 24, false),
                     one.size() > few_letters || about == 10 ? about : 0});
  };
  const bool is_plural = word.size() > 3 && word.ends_with('s') && !word.ends_with("ss");
  const int found = best(word);
  return found == 0 && is_plural ? best(word.substr(0, word.size() - 1)) : found;
}

constexpr OtherWords other_words_table[]{
    {"appearance", "settings preferences options font colour color"},
    {"attention.ablated_heads", "remove delete switch off head prune knock out"},
    {"attention.dropout", "regularisation regularization random zero"},
    {"attention.precision", "float double float16 half bits digits dtype"},
    {"attention.scale", "sqrt root divide d_k scaled scaling"},
    {"attention.source", "self cross encoder decoder"},
    {"attention.temperature", "sharp sharper soft softer flat softmax"},
    {"biases", "bias"},
    {"cell.explain", "why where formula how computed come from"},
    {"cell.pin", "keep hold fix"},
    {"cell.play", "slider sweep drag vary animate"},
    {"cell.type", "edit change set value"},
    {"cell.upstream", "why come from source cause"},
    {"check.forget", "forget remove delete"},
    {"check.open", "compare upload load homework mistake bug wrong numpy pytorch"},
    {"check.paste", "homework print output"},
    {"check.show", "compare homework mistake bug error wrong debug diagnose verify my code solution"},
    {"compare.pin", "before reference snapshot remember"},
    {"compare.show", "before after difference side by side diff"},
    {"concat", "concatenate concatenation join merge heads"},
    {"context", "weighted sum average mix blend per head output"},
    {"copy.matrix", "excel spreadsheet array"},
    {"dot_products", "dot product similarity qk logits raw"},
    {"edit.biases", "bias add remove"},
    {"edit.dice", "random randomise randomize shuffle new numbers reroll again"},
    {"edit.history", "undo changes log"},
    {"edit.redo", "forward repeat"},
    {"edit.undo", "reset revert restore back"},
    {"export", "download save image png svg pdf csv npz code python latex print"},
    {"export.animation", "gif video movie film"},
    {"export.numbers", "download save csv excel array json"},
    {"export.script", "python code notebook torch source"},
    {"file.copy_link", "share url send"},
    {"file.copy_python", "notebook jupyter show code lines"},
    {"file.open", "load import model safetensors file upload"},
    {"file.save", "store keep"},
    {"file.start", "home welcome new menu lessons lectures course tutorial sentence begin"},
    {"file.start_lecture", "write author create make"},
    {"full_screen", "fullscreen maximise maximize"},
    {"gradient.toggle", "backward backprop backpropagation derivative gradients"},
    {"head.ablate", "remove delete switch off disable prune knock out"},
    {"lecture.close", "leave end stop lesson free explore"},
    {"lecture.next", "lesson chapter"},
    {"lecture.previous", "lesson chapter"},
    {"lecture.reset", "reset revert restore original default numbers undo all changes"},
    {"lecture.restart", "start over start again reset from the beginning lesson"},
    {"logits", "answer scores predictions"},
    {"loss", "error cost cross entropy"},
    {"mask.causal", "future look ahead autoregressive lower triangular decoder gpt"},
    {"mask.custom", "own paint draw"},
    {"mask.kinds", "causal padding window look ahead attention mask"},
    {"mask.none", "unmask remove clear delete bidirectional"},
    {"mask.padding", "pad lengths"},
    {"mask.paint", "draw brush own custom"},
    {"mask.window", "local sliding band"},
    {"masked_scores", "minus infinity inf hidden causal mask"},
    {"model.close", "unload"},
    {"model.text", "sentence words input"},
    {"model.whole", "all layers together stack transformer chain"},
    {"motion.reduce", "animation animations stop still"},
    {"norm.kind", "layernorm rmsnorm normalisation normalization"},
    {"output", "result answer"},
    {"P", "positional encoding position embedding sinusoidal"},
    {"panel.inspector", "explanation explain details side panel"},
    {"panel.setup", "settings sizes controls sidebar side panel"},
    {"paste", "insert own numbers"},
    {"position.encoding", "positional encoding embedding rotary rope alibi sinusoidal order"},
    {"present", "slides slideshow stage projector lecture beamer powerpoint"},
    {"presenter", "notes speaker second screen"},
    {"probabilities", "answer prediction softmax chance"},
    {"quit", "exit leave"},
    {"random.generator", "numpy pytorch torch rng"},
    {"scale.larger", "bigger zoom in font size text enlarge increase huge"},
    {"scale.normal", "zoom reset default 100 % font text size"},
    {"scale.smaller", "zoom out font size text shrink decrease tiny"},
    {"scores", "attention scores scaled dot product logits similarity"},
    {"screenshot", "picture image png capture photo snapshot print screen"},
    {"seed", "random numbers"},
    {"shortcuts", "keys help keyboard hotkeys manual"},
    {"sizes.batch", "samples examples sentences"},
    {"sizes.d_head", "head dimension d_k d_v size"},
    {"sizes.d_model", "embedding dimension width hidden size features"},
    {"sizes.heads", "number of heads multi-head multihead n_heads"},
    {"sizes.key_length", "sequence length keys context"},
    {"sizes.kv_heads", "grouped query multi-query gqa mqa"},
    {"sizes.query_length", "sequence length words number of tokens"},
    {"step.code", "numpy pytorch python source program"},
    {"step.first", "beginning start"},
    {"step.last", "end"},
    {"step.more", "explain details background why alone"},
    {"step.next", "forward continue go on"},
    {"step.play", "autoplay automatic slideshow animate"},
    {"step.previous", "back go back"},
    {"theme.toggle", "dark mode light mode night theme black white background"},
    {"tokens", "words sentence text input"},
    {"training.play", "learn train fit run optimise optimize"},
    {"training.reset", "untrained start over"},
    {"values.reset_cell", "reset revert"},
    {"values.reset_tensor", "reset revert"},
    {"view.compare", "difference before after"},
    {"view.heads", "all heads side by side attention patterns maps"},
    {"view.learn", "training curve loss"},
    {"view.pipeline", "overview map steps formula equation"},
    {"view.tokens", "words lines who looks at whom sentence arcs bertviz"},
    {"W_k", "key weight matrix projection"},
    {"W_o", "output weight matrix projection"},
    {"W_q", "query weight matrix projection"},
    {"W_v", "value weight matrix projection"},
    {"weights", "attention matrix map pattern probabilities who looks at whom"},
    {"words.fold", "hide text collapse narration"},
    {"workbench", "instrument panels everything setup map inspector learn mode"},
    {"X", "embedding embeddings word vectors"},
};

}  // namespace

int match_quality(std::string_view typed, const Findable& what) {
  std::vector<std::string> words = typed_words(typed);
  const Findable text{in_lower_case(what.name), in_lower_case(what.also), in_lower_case(what.about)};
  int quality = 1;
  int found = 0;
  for (const std::string& word : words) {
    const int one = worth(word, text);
    if (one == 0 && !(says_little(word) && words.size() > 1)) return 0;
    quality += one;
    found += one > 0 ? 1 : 0;
  }
  if (found == 0 && !words.empty()) return 0;
  // Words that stand together in it as they were typed mean it more than the same words here and there.
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : " ") + word;
  if (!all.empty()) {
    if (text.name == all) quality += 40;
    else if (words.size() > 1 && text.name.starts_with(all)) quality += 12;
    else if (words.size() > 1 && (place_of(all, text.name) || place_of(all, text.also))) quality += 10;
  }
  return quality;
}

std::string found_words(std::string_view typed, std::string_view about) {
  const std::string lower_case = in_lower_case(about);
  for (const std::string& word : typed_words(typed)) {
    if (says_little(word)) continue;
    const auto at = lower_case.find(word);
    if (at == std::string::npos) continue;
    // From the beginning of its sentence, or from a few words before it if that is far.
    constexpr std::size_t far = 36;
    std::size_t from = at;
    while (from > 0 && lower_case[from - 1] != '\n' &&
           !(from > 1 && lower_case[from - 1] == ' ' &&
             (lower_case[from - 2] == '.' || lower_case[from - 2] == '?' || lower_case[from - 2] == ':')))
      --from;
    const bool cut = at - from > far;
    if (cut) from = std::min(lower_case.find(' ', at - far), at - 1) + 1;
    const std::size_t end = std::min(about.find('\n', at), about.size());
    return (cut ? "…" : "") + std::string(about.substr(from, end - from));
  }
  return {};
}

std::span<const OtherWords> other_words() { return other_words_table; }

std::string_view other_words(std::string_view name) {
  const auto found = std::ranges::find(other_words_table, name, &OtherWords::name);
  return found == std::end(other_words_table) ? std::string_view() : found->words;
}

}  // namespace headlight
