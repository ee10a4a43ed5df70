"""What show() answers with: a frame for a notebook, and what is in it."""
import base64
import contextlib
import html
import pathlib
import re
import urllib.parse
import uuid

from . import kernel, page, picture, program, sources
from .numbers import whole

FIGURES = ("pipeline", "heads", "tokens", "heatmap", "learn")
THEMES = ("light", "dark", "auto")


class Shown:
    """In a notebook it is the app. `setup` is the setup's text, `values` the arrays that the layer is made of, by name; after a
    change in the app they are what it shows now, where the front end lets the frame tell."""

    def __init__(self, source, figure=None, view=None, cell=None, theme=None, height=None, inline=True):
        if figure is not None and figure not in FIGURES:
            raise ValueError(f'figure="{figure}": it is one of {", ".join(FIGURES)}')
        if theme is not None and theme not in THEMES:
            raise ValueError(f'theme="{theme}": it is one of {", ".join(THEMES)}')
        self._source, self._began, self._inline = source, source, inline
        self._height = (420 if figure else 640) if height is None else whole(height, "height", 600)
        self._looks = {"view": view, "cell": cell, "theme": theme, "embed": figure}
        self._name, self._frame = uuid.uuid4().hex, None

    @property
    def source(self):
        return self._source

    def told(self, session):
        """What the app in the frame shows now, as its session file says it."""
        self._source = sources.of_session(session, self._began) or self._source

    @property
    def setup(self):
        return self._source.setup if self._source.setup is not None else program.setup_of(self._source)

    @property
    def values(self):
        if self._source.values:
            return dict(self._source.values)
        return {name: array for name, array in program.trace_of(self._source).items() if name in sources.INPUTS}

    def _arguments(self):
        """Of the program inside the page: the model's file, arrays to check, and a link with the rest."""
        place = self._source.place
        if not place and self._source.setup is not None:
            place = "setup=" + page.packed(self._source.setup.encode())
        looks = [f"{key}={urllib.parse.quote(str(value), safe='[],')}" for key, value in self._looks.items() if value is not None]
        link = "#" + "&".join([place] * bool(place) + looks)
        model = self._source.what if self._source.what[0] == "--model" else []
        mine = ["--check", sources.MINE] if sources.MINE in self._source.files else []
        return [*model, *mine, *(["--setup", link] if len(link) > 1 else [])]

    def document(self, told_as=""):
        """What the page has inside, as text."""
        files = {name: content for name, content in self._source.files.items() if name != "setup.toml"}
        return page.document(self._arguments(), files, told_as)

    def page(self, told_as=""):
        """The app in one HTML file, with this inside."""
        return page.with_document(page.empty_page(), self.document(told_as), self._source.title)

    def save(self, path):
        """Writes the page to a file, which any browser opens without a network."""
        pathlib.Path(path).write_text(self.page(), encoding="utf-8")

    def _repr_html_(self):
        """A frame that may run scripts and save files. It keeps nothing, and can't reach the notebook around it, which hears from
        it what it shows. It covers a still picture, which is left where frames are taken out, as in a preview."""
        if self._frame is None:
            content, link, opener = f'srcdoc="{html.escape(self.page(self._name))}"', "", ""
            if not self._inline:
                file = self._in_a_file()
                content, link = "", f'<p><a href="{file}">{file}</a></p>'
                opener = kernel.script_with("opener.js", self._name, file)
            frame = (f'<iframe title="Headlight" data-headlight="{self._name}" width="100%" height="{self._height}" '
                     f'style="border:0;position:absolute;inset:0" sandbox="allow-scripts allow-downloads" '
                     f'allow="fullscreen; clipboard-write" {content}></iframe>')
            self._frame = (f'<div style="position:relative;height:{self._height}px;overflow:hidden">{self._still()}{link}{frame}</div>'
                           f'{opener}{kernel.listen(self._name, self)}')
        return self._frame

    def _still(self):
        image = self._repr_png_()
        words = "Headlight shows the attention of this layer here, where a notebook can run it: run the cell, or trust the notebook"
        caption = f'<p style="opacity:.6">{words}.</p>'
        if image is None:
            return caption
        return f'<img alt="{words}" title="{words}" src="data:image/png;base64,{base64.b64encode(image).decode()}">{caption}'

    def _in_a_file(self):
        for number in range(1, 10000):
            name = f"headlight-{number}.html"
            if not pathlib.Path(name).exists():
                pathlib.Path(name).write_text(self.page(self._name), encoding="utf-8")
                return name
        raise RuntimeError("too many files headlight-N.html beside the notebook")

    def _repr_png_(self):
        """For where no app can run: a PDF, or a preview. Where weights weren't handed over, they need the program."""
        weights = self._source.weights
        if weights is None and program.path() is not None:
            with contextlib.suppress(ValueError, KeyError):  # too large to wait for, or nothing that can be computed
                weights = program.trace_of(self._source, most="64MiB")["weights"]
        return None if weights is None else picture.heads_png(weights)

    def __repr__(self):
        what = self._source.title or re.sub(r"^--(\w+)$", r"\1", self._source.what[0]) + " " + self._source.what[1]
        return f'<Headlight: {what}. A notebook shows the app; elsewhere .save("page.html") writes it>'
