"""The check of the includes finds each kind of offence."""

import pathlib
import tempfile
import unittest

import includes

DOCUMENT = """# Name

## Parts

| part | what it is | may include | libraries |
|---|---|---|---|
| `core/` | the engine | - | Eigen |
| `core/formats/` | files | `core/` | files, JSON |
| `app/views/` | views | `core/` | Dear ImGui |
| `app/views/base/` | what views share | folders above | |
| `app/views/heads/` | a view | folders above | |
| `app/shell/` | the app | `app/views/` | - |
| `app/` | the window | everything | Dear ImGui |

## After

| `tests/` | not a part | everything | everything |
"""


class Includes(unittest.TestCase):
    def offences(self, name, text, documents=(("CONTRIBUTING.md", DOCUMENT),)):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for document, words in documents:
                (root / document).write_text(words)
            (root / name).parent.mkdir(parents=True)
            (root / name).write_text(text)
            return list(includes.offences(root))

    def test_what_the_table_allows_passes(self):
        self.assertEqual(self.offences("core/a.cpp", '#include "core/b.hpp"\n#include <vector>\n#include <Eigen/Core>\n'), [])
        self.assertEqual(self.offences("core/formats/a.hpp", '#pragma once\n#include "core/b.hpp"\n#include <fstream>\n'), [])
        self.assertEqual(self.offences("app/a.cpp", '#include "core/formats/b.hpp"\n#include <imgui.h>\n'), [])

    def test_core_never_calls_up(self):
        self.assertEqual(
            self.offences("core/a.cpp", '#include "app/view.hpp"\n'),
            ['core/a.cpp: includes "app/view.hpp", but core/ may not include app/'],
        )

    def test_one_file_reaches_into_imgui(self):
        inside = "#include <imgui_internal.h>\n"
        self.assertEqual(len(self.offences("app/a.cpp", inside)), 1)
        self.assertEqual(self.offences("app/ui/drawing/imgui_seam.cpp", inside), [])

    def test_an_inner_part_is_a_part_of_its_own(self):
        self.assertEqual(len(self.offences("core/a.cpp", '#include "core/formats/b.hpp"\n')), 1)
        self.assertEqual(len(self.offences("core/formats/a.cpp", "#include <Eigen/Core>\n")), 1)

    def test_a_folder_includes_those_above_it_and_what_its_part_may(self):
        text = '#include "app/views/base/b.hpp"\n#include "core/b.hpp"\n#include <imgui.h>\n'
        self.assertEqual(self.offences("app/views/heads/a.cpp", text), [])
        self.assertEqual(self.offences("app/shell/a.cpp", '#include "app/views/heads/b.hpp"\n'), [])
        self.assertEqual(
            self.offences("app/views/base/a.cpp", '#include "app/views/heads/b.hpp"\n'),
            ['app/views/base/a.cpp: includes "app/views/heads/b.hpp", but app/views/base/ may not include app/views/heads/'],
        )
        self.assertEqual(len(self.offences("app/views/heads/a.cpp", '#include "core/formats/b.hpp"\n')), 1)
        self.assertEqual(len(self.offences("app/views/heads/a.cpp", '#include "app/views/other/b.hpp"\n')), 1)
        self.assertEqual(len(self.offences("app/views/other/a.cpp", "\n")), 1)

    def test_a_part_whose_folders_have_an_order_has_a_row_for_its_own_files(self):
        row = "| `app/views/base/` | what views share | folders above | |\n"
        document = DOCUMENT.replace(row, row + "| `app/views/*` | the view itself | folders above | |\n")
        documents = (("CONTRIBUTING.md", document),)
        self.assertEqual(self.offences("app/views/a.cpp", '#include "app/views/base/b.hpp"\n', documents), [])
        self.assertEqual(len(self.offences("app/views/a.cpp", '#include "app/views/heads/b.hpp"\n', documents)), 1)
        self.assertEqual(self.offences("app/views/heads/a.cpp", '#include "app/views/a.hpp"\n', documents), [])
        self.assertEqual(len(self.offences("app/views/a.cpp", '#include "app/views/base/b.hpp"\n')), 1)

    def test_a_header_and_its_source_are_in_no_ring(self):
        sources = {
            "core/model/a.hpp": "",
            "core/model/a.cpp": '#include "core/model/a.hpp"\n#include "core/model/b.hpp"\n',
            "core/model/b.hpp": '#include "core/model/c.hpp"\n',
            "core/model/c.hpp": "",
            "core/model/above.cpp": '#include "core/model/a.hpp"\n',
        }
        self.assertEqual(list(includes.ring_offences(sources)), [])
        sources["core/model/c.cpp"] = '#include "core/model/a.hpp"\n'
        self.assertEqual(
            list(includes.ring_offences(sources)),
            [
                "core/model/a: in a ring with core/model/b, which it includes",
                "core/model/b: in a ring with core/model/c, which it includes",
                "core/model/c: in a ring with core/model/a, which it includes",
            ],
        )

    def test_folders_are_in_no_ring_either(self):
        sources = {
            "app/x/a.hpp": "",
            "app/x/b.cpp": '#include "app/y/c.hpp"\n',
            "app/y/c.hpp": "",
            "app/y/d.cpp": '#include "app/e.hpp"\n',
            "app/e.hpp": "",
            "app/main.cpp": '#include "app/x/a.hpp"\n',
        }
        self.assertEqual(list(includes.ring_offences(sources)), [])
        sources["app/y/d.cpp"] = '#include "app/x/a.hpp"\n'
        found = list(includes.ring_offences(sources))
        self.assertEqual(found, [f"app/{a}: in a ring with app/{b}, which it includes" for a, b in ("xy", "yx")])

    def test_libraries_stay_where_they_belong(self):
        self.assertEqual(
            self.offences("core/a.cpp", "#  include <imgui.h>\n"),
            ["core/a.cpp: includes <imgui.h>, but core/ may not use Dear ImGui"],
        )
        self.assertEqual(len(self.offences("core/a.cpp", "#include <fstream>\n")), 1)
        self.assertEqual(len(self.offences("core/a.cpp", "#include <unknown/thing.h>\n")), 1)

    def test_heavy_libraries_stay_out_of_headers(self):
        self.assertEqual(len(self.offences("core/a.hpp", "#pragma once\n#include <Eigen/Core>\n")), 1)
        self.assertEqual(len(self.offences("core/formats/a.hpp", "#pragma once\n#include <nlohmann/json.hpp>\n")), 1)
        self.assertEqual(self.offences("core/formats/a.hpp", "#pragma once\n#include <nlohmann/json_fwd.hpp>\n"), [])

    def test_what_carries_a_heavy_library_counts_as_that_library(self):
        self.assertEqual(self.offences("core/a.cpp", '#include "core/compute/matrices.hpp"\n'), [])
        self.assertEqual(self.offences("core/compute/matrices.hpp", "#pragma once\n#include <Eigen/Core>\n"), [])
        self.assertEqual(
            self.offences("core/a.hpp", '#pragma once\n#include "core/compute/matrices.hpp"\n'),
            ['core/a.hpp: includes "core/compute/matrices.hpp" in a header: it belongs in the .cpp'],
        )
        self.assertEqual(
            self.offences("app/a.cpp", '#include "core/compute/matrices.hpp"\n'),
            ['app/a.cpp: includes "core/compute/matrices.hpp", but app/ may not use Eigen'],
        )

    def test_the_drawing_has_each_part_above_what_it_includes(self):
        def drawn(*lines):
            return (("CONTRIBUTING.md", DOCUMENT + "\n## The house in one picture\n\n" + "\n".join(lines) + "\n"),)

        self.assertEqual(self.offences("app/a.cpp", "", drawn("app/shell", "app/views", "core/formats", "core")), [])
        self.assertEqual(len(self.offences("app/a.cpp", "", drawn("app/views", "app/shell", "core/formats", "core"))), 1)
        self.assertEqual(len(self.offences("app/a.cpp", "", drawn("app/shell", "core/formats", "core"))), 1)

    def test_headers_are_guarded(self):
        self.assertEqual(self.offences("core/a.hpp", "int f();\n"), ["core/a.hpp: a header without #pragma once"])

    def test_includes_start_at_the_top_folder(self):
        self.assertEqual(len(self.offences("core/a.cpp", '#include "b.hpp"\n')), 1)

    def test_the_table_may_stand_in_the_readme(self):
        for documents in [[("README.md", DOCUMENT)], [("README.md", DOCUMENT), ("CONTRIBUTING.md", "# Name\n")]]:
            self.assertEqual(self.offences("core/a.cpp", "\n", documents), [])
            self.assertEqual(len(self.offences("core/a.cpp", '#include "app/view.hpp"\n', documents)), 1)

    def test_a_table_must_stand_somewhere(self):
        self.assertEqual(len(self.offences("core/a.cpp", "\n", [("README.md", "# Name\n")])), 1)

    def test_only_the_table_below_parts_counts(self):
        self.assertEqual(len(self.offences("tests/a.cpp", "\n")), 1)


if __name__ == "__main__":
    unittest.main()
