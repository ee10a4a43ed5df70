#include "core/formats/script/script_check.hpp"

#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/formats/script/script_text.hpp"
#include "core/model/shapes.hpp"

namespace headlight {
namespace {

constexpr std::string_view saving = R"(file = sys.argv[1] if len(sys.argv) > 1 else "mine.npz"
mine = {name: globals()[name] for name in names if name in globals()}
np.savez(file, **{name: @AS_ARRAY@ for name, tensor in mine.items()})
print(f"{file} holds {', '.join(mine)}")
)";

}  // namespace

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
