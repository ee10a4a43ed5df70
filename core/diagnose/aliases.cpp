#include "core/diagnose/aliases.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace headlight {
namespace {

using enum TensorId;

struct Family {
  std::vector<TensorId> tensors;
  std::vector<std::string_view> names;  ///< in lower case, letters and digits only
};

const std::vector<Family>& families() {
  static const std::vector<Family> all{
      {{X}, {"x", "input", "inputs", "embedding", "embeddings", "emb", "xq", "queryinput"}},
      {{Y}, {"memory", "encoderoutput", "source", "xkv", "kvinput", "keyinput"}},
      {{P},
       {"pe", "pos", "position", "positions", "posenc", "posencoding", "positionalencoding", "posemb", "posembedding",
        "positionembedding", "positionembeddings", "positionalembedding", "wpe"}},
      {{X_plus_P}, {"xplusp", "xp", "xpos", "xpe", "xwithpos", "xwithpositions", "embeddedinput"}},
      {{Y_plus_P}, {"yplusp", "yp", "ypos", "ype", "memorypos", "ywithpositions"}},
      {{W_q}, {"wq", "wquery", "wqueries", "qweight", "queryweight", "qproj", "qprojweight", "weightq", "omegaq"}},
      {{W_k}, {"wk", "wkey", "wkeys", "kweight", "keyweight", "kproj", "kprojweight", "weightk", "omegak"}},
      {{W_v}, {"wv", "wvalue", "wvalues", "vweight", "valueweight", "vproj", "vprojweight", "weightv", "omegav"}},
      {{W_o},
       {"wo", "wout", "woutput", "oweight", "outweight", "outputweight", "oproj", "oprojweight", "outproj",
        "outprojweight", "weighto", "wc", "omegac"}},
      {{b_q}, {"bq", "bquery", "qbias", "querybias", "qprojbias", "biasq", "betaq"}},
      {{b_k}, {"bk", "bkey", "kbias", "keybias", "kprojbias", "biask", "betak"}},
      {{b_v}, {"bv", "bvalue", "vbias", "valuebias", "vprojbias", "biasv", "betav"}},
      {{b_o},
       {"bo", "bout", "boutput", "obias", "outbias", "outputbias", "oprojbias", "outprojbias", "biaso", "betac"}},
      {{Q, Q_heads}, {"q", "query", "queries", "qs"}},
      {{K, K_heads}, {"k", "key", "keys", "ks"}},
      {{V, V_heads}, {"v", "value", "values", "vs"}},
      {{Q_heads, Q}, {"qheads", "qhead", "qh", "qsplit", "qperhead", "queryheads", "queriesperhead", "multiheadq"}},
      {{K_heads, K}, {"kheads", "khead", "kh", "ksplit", "kperhead", "keyheads", "keysperhead", "multiheadk"}},
      {{V_heads, V}, {"vheads", "vhead", "vh", "vsplit", "vperhead", "valueheads", "valuesperhead", "multiheadv"}},
      {{Q_rotated}, {"qrotated", "qrot", "qrope", "qr", "rotatedq", "rotatedqueries", "queryrotated"}},
      {{K_rotated}, {"krotated", "krot", "krope", "kr", "rotatedk", "rotatedkeys", "keyrotated"}},
      {{position_bias}, {"positionbias", "posbias", "alibi", "alibibias", "linearbias", "relativebias"}},
      {{dot_products},
       {"dotproducts", "dotproduct", "dots", "dot", "qk", "qkt", "rawscores", "rawattnscores", "products",
        "unscaledscores"}},
      {{scores, masked_scores},
       {"scores", "score", "attnscores", "attscores", "attentionscores", "scaledscores", "logits", "attnlogits",
        "energy", "energies", "similarity", "sim", "s"}},
      {{masked_scores},
       {"maskedscores", "scoresmasked", "maskedattnscores", "maskedattentionscores", "maskedlogits", "masked"}},
      {{weights, scores, masked_scores},
       {"att", "attn", "attention", "attentions", "attnmatrix", "attentionmatrix", "a"}},
      {{weights},
       {"weights", "weight", "attnweights", "attweights", "attentionweights", "probs", "prob", "probabilities",
        "attnprobs", "attentionprobs", "softmax", "alpha", "alphas", "p"}},
      {{dropped_weights},
       {"droppedweights", "weightsdropped", "droppedattn", "attndropped", "droppedprobs", "weightsafterdropout",
        "dropout"}},
      {{context, concat},
       {"context", "contexts", "ctx", "headoutput", "headoutputs", "headsout", "headsoutput", "heads", "attended", "z",
        "contextheads"}},
      {{concat, context},
       {"concat", "concatenated", "cat", "merged", "joined", "combined", "contextlayer", "concatheads", "headsconcat"}},
      {{output, Y}, {"y"}},
      {{output},
       {"output", "outputs", "out", "o", "result", "attnoutput", "attentionoutput", "mhaoutput", "mha", "final"}},
  };
  return all;
}

std::string letters_and_digits(std::string_view name) {
  std::string text;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte)) text += static_cast<char>(std::tolower(byte));
  }
  return text;
}

/// "my_scores" and "student_scores" are scores.
std::string_view without_owner(std::string_view name) {
  for (const std::string_view owner : {"student", "self", "mine", "our", "my"})
    if (name.size() > owner.size() && name.starts_with(owner)) return name.substr(owner.size());
  return name;
}

const Family* family_of(std::string_view name) {
  const auto found = std::ranges::find_if(
      families(), [&](const Family& family) { return std::ranges::find(family.names, name) != family.names.end(); });
  return found == families().end() ? nullptr : &*found;
}

/// The family of a name, or of its end: "layers.0.attn.q_proj.weight" counts as "q_proj.weight". The part after the
/// last point alone is not enough: every module has a weight.
const Family* family_of_path(std::string_view name) {
  for (;;) {
    const std::string plain = letters_and_digits(name);
    if (const Family* family = family_of(plain)) return family;
    if (const Family* family = family_of(without_owner(plain))) return family;
    const auto point = name.find('.');
    if (point == std::string_view::npos || name.find('.', point + 1) == std::string_view::npos) return nullptr;
    name.remove_prefix(point + 1);
  }
}

}  // namespace

std::vector<TensorId> tensors_called(std::string_view name) {
  std::vector<TensorId> tensors;
  if (const auto exact = tensor_named(name)) tensors.push_back(*exact);
  const Family* const family = family_of_path(name);
  if (family == nullptr) return tensors;
  for (const TensorId id : family->tensors)
    if (std::ranges::find(tensors, id) == tensors.end()) tensors.push_back(id);
  return tensors;
}

}  // namespace headlight
