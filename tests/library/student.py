"""Multi-head attention as a student writes it in NumPy, with a place for each mistake that `headlight diagnose` knows.

Independent of Headlight and of reference.py's stages: whole arrays instead of loops. Every tensor goes by Headlight's name
for it, and each step is a function of the tensors before it, so that a mistake replaces one step and a fix is executed
in its place.
"""
import numpy as np

import reference

ORDER = ("P", "X_plus_P", "Y_plus_P", "N", "Q", "K", "V", "Q_heads", "K_heads", "V_heads", "Q_normed", "K_normed",
         "Q_rotated", "K_rotated", "dot_products", "position_bias", "scores", "capped_scores", "masked_scores", "weights",
         "dropped_weights", "context", "concat", "output")


class Student:
    """One setup; `tensors` begins with the inputs, weights and biases, and `keep` with the dropout decisions."""

    def __init__(self, setup, tensors, keep):
        self.setup, self.sizes = setup, reference.Sizes(setup)
        self.given, self.keep = tensors, keep
        attention = setup.get("attention", {})
        choice = attention.get("scale", "inverse_sqrt_d_head")
        self.scale = {"inverse_sqrt_d_head": self.sizes.d_head ** -0.5, "none": 1.0}.get(choice, choice)
        self.temperature = attention.get("temperature", 1.0)
        self.dropout = attention.get("dropout", 0)
        self.visible = np.array([[[[reference.visible(setup, self.sizes, b, i, j) for j in range(self.sizes.keys)]
                                   for i in range(self.sizes.queries)]] for b in range(self.sizes.batch)])
        self.position = setup.get("position", {})
        self.encoding = reference.encoding_of(setup)
        self.ablated = attention.get("ablated_heads", [])
        self.norm, self.epsilon = reference.norm_of(setup), setup.get("norm", {}).get("epsilon", 1e-6)
        self.qk_norm, self.joint = attention.get("qk_norm"), attention.get("qk_norm_over") == "heads"
        self.cap = attention.get("soft_cap", 0)
        self.sink = reference.sink_of(setup)
        self.turned = int(self.position.get("fraction", 1) * self.sizes.d_head)
        self.masks = bool(setup.get("mask", {}).get("kinds"))

    # The steps. Each takes the tensors so far.

    def table(self, dtype, first=0):
        """The positions that are added, from all angles at once."""
        n, width = self.sizes.positions, self.sizes.d_model
        if self.encoding == "one_hot":
            return np.eye(width, dtype=dtype)[width - n:]
        angles = np.outer(np.arange(first, first + n), self.position.get("base", 10000.0) ** (-np.arange(0, width, 2) / width))
        return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n, -1)[:, :width].astype(dtype)

    def places(self, count, of_keys, first_real=None):
        """The positions of the last rows, (batch, row)."""
        at = np.arange(count) + (0 if of_keys else self.sizes.past)
        other = {**self.position} if first_real is None else {**self.position, "from": "first_real" if first_real else "start"}
        setup = {**self.setup, "position": other}
        return np.array([[reference.place_of(setup, self.sizes, b, i, of_keys) for i in at] for b in range(self.sizes.batch)])

    def rotate(self, x, name, layout=None, start=0, turned=None, first_real=None):
        """By angles of the positions from `start` on, (batch, head, position, d_head)."""
        turned = self.turned if turned is None else turned
        half = turned // 2
        steps = self.position.get("base", 10000.0) ** (-np.arange(half) / half)
        angles = (start + self.places(x.shape[2], name == "K", first_real))[:, None, :, None] * steps
        cos, sin = np.cos(angles).astype(x.dtype), np.sin(angles).astype(x.dtype)
        first, rest = x[..., :turned], x[..., turned:]
        if (layout or self.position.get("layout", "half")) == "half":
            a, b = first[..., :half], first[..., half:]
            return np.concatenate([a * cos - b * sin, b * cos + a * sin, rest], axis=-1)
        a, b = first[..., 0::2], first[..., 1::2]
        pairs = np.stack([a * cos - b * sin, b * cos + a * sin], axis=-1).reshape(first.shape)
        return np.concatenate([pairs, rest], axis=-1)

    def added(self, x, table, of_keys, first_real=None):
        """A row of the table for each row of X or Y."""
        at = np.arange(x.shape[1])
        setup = self.setup if first_real is None else {
            **self.setup, "position": {**self.position, "from": "first_real" if first_real else "start"}}
        return x + np.stack([table[[reference.place_of(setup, self.sizes, b, i, of_keys) for i in at]] for b in range(len(x))])

    def distances(self):
        return np.abs(self.sizes.past + np.arange(self.sizes.queries)[:, None] - np.arange(self.sizes.keys))

    def bias(self, dtype):
        distance = self.distances()
        return (-np.array(reference.slopes(self.sizes.heads))[:, None, None] * distance).astype(dtype)

    def normalise(self, x, t):
        mean = x.mean(axis=-1, keepdims=True, dtype=float) if self.norm == "layer" else 0
        rows = (x - mean) / np.sqrt(((x - mean) ** 2).mean(axis=-1, keepdims=True) + self.epsilon)
        return (rows * t["norm_gain"] + t.get("norm_bias", 0)).astype(x.dtype)

    def normalise_heads(self, t, name):
        x, axes = t[name + "_heads"], (1, 3) if self.joint else -1
        gain = t[name.lower() + "_head_gains"][:, None] if self.joint else t[name.lower() + "_gain"]
        rms = np.sqrt((x.astype(float) ** 2).mean(axis=axes, keepdims=True) + self.epsilon)
        return (x / rms * gain).astype(x.dtype)

    def before_rotation(self, t, name):
        return t.get(name + "_normed", t[name + "_heads"])

    def queries_and_keys(self, t):
        return (t.get(name + "_rotated", self.before_rotation(t, name)) for name in "QK")

    def score(self, t, factor):
        return t["dot_products"] * t["dot_products"].dtype.type(factor) + t.get("position_bias", t["X"].dtype.type(0))

    def source(self, t, name):
        if name in "kv" and self.sizes.cross:
            return t.get("Y_plus_P", t["Y"])
        return t.get("N", t.get("X_plus_P", t["X"]))

    def project(self, t, name):
        result = self.source(t, name)[:, self.sizes.past if name == "q" else 0:] @ t["W_" + name]
        return result + t["b_" + name] if "b_" + name in t else result

    def split(self, x, heads):
        return x.reshape(x.shape[0], x.shape[1], heads, self.sizes.d_head).swapaxes(1, 2)

    def shared(self, x):
        return np.repeat(x, self.sizes.heads // self.sizes.kv_heads, axis=1)

    def multiply(self, queries, keys, repeated):
        return queries @ repeated(keys).swapaxes(-1, -2)

    def capped(self, t):
        return t.get("capped_scores", t["scores"])

    def masked(self, scores, visible):
        return np.where(visible, scores, scores.dtype.type(-np.inf))

    def shares(self, t, scores):
        """Softmax over the keys, and over the sink where there is one."""
        if self.sink == "none":
            return self.softmax(scores)
        sinks = t["sinks"] if self.sink == "learned" else np.zeros(self.sizes.heads)
        column = np.broadcast_to(sinks.astype(scores.dtype).reshape(1, -1, 1, 1), (*scores.shape[:3], 1))
        return self.softmax(np.concatenate([scores, column], axis=-1))[..., :-1]

    def softmax(self, scores, axis=-1):
        top = scores.max(axis=axis, keepdims=True)
        e = np.exp(scores - np.where(np.isfinite(top), top, 0))
        total = e.sum(axis=axis, keepdims=True)
        return e / np.where(total == 0, 1, total)

    def side_by_side(self, x):
        return x.swapaxes(1, 2).reshape(x.shape[0], x.shape[2], -1)

    def drop(self, weights):
        return weights * self.keep / weights.dtype.type(1 - self.dropout)

    def mix(self, t, values, turned=False):
        weights = t.get("dropped_weights", t["weights"])
        result = (weights.swapaxes(-1, -2) if turned else weights) @ values
        result[:, self.ablated] = 0
        return result

    def position_steps(self):
        dtype = lambda t: t["X"].dtype
        steps = {}
        if self.encoding in ("one_hot", "sinusoidal"):
            steps["P"] = lambda t: self.table(dtype(t))
        if self.encoding in ("one_hot", "sinusoidal", "learned"):
            steps["X_plus_P"] = lambda t: self.added(t["X"], t["P"], False)
            if self.sizes.cross:
                steps["Y_plus_P"] = lambda t: self.added(t["Y"], t["P"], True)
        if self.encoding == "rotary":
            steps["Q_rotated"] = lambda t: self.rotate(self.before_rotation(t, "Q"), "Q")
            steps["K_rotated"] = lambda t: self.rotate(self.before_rotation(t, "K"), "K")
        if self.encoding == "alibi":
            steps["position_bias"] = lambda t: self.bias(dtype(t))
        return steps

    def steps(self):
        s = self.sizes
        steps = {
            "Q": lambda t: self.project(t, "q"),
            "K": lambda t: self.project(t, "k"),
            "V": lambda t: self.project(t, "v"),
            "Q_heads": lambda t: self.split(t["Q"], s.heads),
            "K_heads": lambda t: self.split(t["K"], s.kv_heads),
            "V_heads": lambda t: self.split(t["V"], s.kv_heads),
            "dot_products": lambda t: self.multiply(*self.queries_and_keys(t), self.shared),
            "scores": lambda t: self.score(t, self.scale / self.temperature),
            "masked_scores": lambda t: self.masked(self.capped(t), self.visible),
            "weights": lambda t: self.shares(t, t["masked_scores"]),
            "dropped_weights": lambda t: self.drop(t["weights"]),
            "context": lambda t: self.mix(t, self.shared(t["V_heads"])),
            "concat": lambda t: self.side_by_side(t["context"]),
            "output": lambda t: t["concat"] @ t["W_o"] + t.get("b_o", t["W_o"].dtype.type(0)),
        }
        if self.keep is None:
            del steps["dropped_weights"]
        steps |= self.position_steps()
        if self.norm != "none":
            steps["N"] = lambda t: self.normalise(t.get("X_plus_P", t["X"]), t)
        if self.qk_norm:
            steps |= {name + "_normed": lambda t, name=name: self.normalise_heads(t, name) for name in "QK"}
        if self.cap:
            steps["capped_scores"] = lambda t: t["scores"].dtype.type(self.cap) * np.tanh(
                t["scores"] / t["scores"].dtype.type(self.cap))
        return {name: steps[name] for name in ORDER if name in steps}

    def mistakes(self, r):
        """(name, {step: what is done instead}) of each mistake that is possible here; `r` picks where there is a choice."""
        s = self.sizes
        square = s.heads == s.kv_heads
        projections = {"Q": "q", "K": "k", "V": "v"}
        all_or_one = lambda names: names if len(names) < 2 or r.random() < 0.5 else [r.choice(names)]

        def transposed(name):
            def step(t):
                source = self.source(t, name)[:, s.past if name == "q" else 0:]
                return source @ t["W_" + name].T + t.get("b_" + name, source.dtype.type(0))
            return step

        def unbiased(name):
            def step(t):
                return self.source(t, name)[:, s.past if name == "q" else 0:] @ t["W_" + name]
            return step

        def plain(name):
            def step(t):
                source = t["Y"] if name in "kv" and s.cross else t["X"][:, s.past if name == "q" else 0:]
                return source @ t["W_" + name] + t.get("b_" + name, source.dtype.type(0))
            return step

        turnable = [n for n in projections if len(set(self.given["W_" + projections[n]].shape)) == 1]
        if turnable:
            yield "weight_transposed", {n: transposed(projections[n]) for n in all_or_one(turnable)}
        biased = [n for n in projections if "b_" + projections[n] in self.given]
        if biased:
            yield "bias_missing", {n: unbiased(projections[n]) for n in all_or_one(biased)}
        if "X_plus_P" in self.position_steps():
            if self.norm == "none":
                yield "position_missing", {n: plain(projections[n]) for n in all_or_one(["Q", "K", "V"])}
            else:
                yield "position_missing", {"N": lambda t: self.normalise(t["X"], t)}
        if self.encoding == "rotary":
            yield "position_missing", {
                n + "_rotated": lambda t, n=n: self.before_rotation(t, n) for n in all_or_one(["Q", "K"])}
            other = "half" if self.position.get("layout", "half") == "interleaved" else "interleaved"
            yield "rotary_other_layout", {
                n + "_rotated": lambda t, n=n: self.rotate(self.before_rotation(t, n), n, other) for n in all_or_one(["Q", "K"])}
            yield "values_rotated", {"V_heads": lambda t: self.rotate(self.split(t["V"], s.kv_heads), "K")}
        if self.encoding == "alibi":
            yield "position_missing", {
                "scores": lambda t: t["dot_products"] * t["dot_products"].dtype.type(self.scale / self.temperature)}
        yield "values_from_keys", {"V": lambda t: self.project(t, "k")}

        heads_of = {"Q": s.heads, "K": s.kv_heads, "V": s.kv_heads}

        def reshaped(n):
            return lambda t: t[n].reshape(s.batch, heads_of[n], -1, s.d_head)

        def interleaved(n):
            return lambda t: t[n].reshape(s.batch, -1, s.d_head, heads_of[n]).transpose(0, 3, 1, 2)

        yield "split_without_transpose", {n + "_heads": reshaped(n) for n in all_or_one(["Q", "K", "V"])}
        if s.heads > 1:
            head = r.choice([0, -1])
            yield "heads_shared", {n + "_heads": lambda t, n=n, h=h: self.split(t[n], h)[:, [head] * h]
                                   for n, h in (("Q", s.heads), ("K", s.kv_heads), ("V", s.kv_heads))}
        if self.cap:
            yield "soft_cap_missing", {"capped_scores": lambda t: t["scores"]}
            cap = self.cap
            formula = r.choice([lambda x: x * np.tanh(x / cap), lambda x: np.tanh(x / cap), lambda x: np.clip(x, -cap, cap)])
            yield "soft_cap_formula", {"capped_scores": lambda t: formula(t["scores"]).astype(t["scores"].dtype)}
        if self.qk_norm:
            yield "qk_norm_missing", {n + "_normed": lambda t, n=n: t[n + "_heads"] for n in all_or_one(["Q", "K"])}
        yield "split_interleaved", {n + "_heads": interleaved(n) for n in all_or_one(["Q", "K", "V"])}
        if not square:
            tiled = lambda x: np.tile(x, (1, s.heads // s.kv_heads, 1, 1))
            yield "kv_heads_tiled", {
                "dot_products": lambda t: self.multiply(*self.queries_and_keys(t), tiled),
                "context": lambda t: self.mix(t, tiled(t["V_heads"]))}

        if s.queries == s.keys:
            yield "queries_and_keys_swapped", {
                "dot_products": lambda t: self.multiply(*self.queries_and_keys(t), self.shared).swapaxes(-1, -2)}
        scaled = lambda factor: {"scores": lambda t: self.score(t, factor)}
        yield "scale_missing", scaled(1 / self.temperature)
        yield "scale_d_head", scaled(1 / s.d_head / self.temperature)
        yield "scale_sqrt_d_model", scaled(s.d_model ** -0.5 / self.temperature)
        if self.temperature != 1:
            yield "temperature_ignored", scaled(self.scale)

        if self.masks:
            yield "mask_missing", {"masked_scores": self.capped}
            yield "mask_inverted", {"masked_scores": lambda t: self.masked(self.capped(t), ~self.visible)}
            if s.queries == s.keys:
                yield "mask_transposed", {
                    "masked_scores": lambda t: self.masked(self.capped(t), self.visible.swapaxes(-1, -2))}
            diagonal = np.eye(s.queries, s.keys, k=s.past, dtype=bool)
            yield "mask_excludes_diagonal", {
                "masked_scores": lambda t: self.masked(self.capped(t), self.visible & ~diagonal)}
            weak = r.choice([0, -1, -5, -10])
            if r.random() < 0.5 or weak == 0:  # 0 that is added is no mask at all
                yield "mask_too_weak", {
                    "masked_scores": lambda t: np.where(self.visible, self.capped(t), t["scores"].dtype.type(weak))}
            else:
                yield "mask_too_weak", {
                    "masked_scores": lambda t: self.capped(t) + (~self.visible * t["scores"].dtype.type(weak))}
            yield "mask_after_softmax", {"masked_scores": None,
                                         "weights": lambda t: self.shares(t, self.capped(t)) * self.visible}

        yield "softmax_over_queries", {"weights": lambda t: self.softmax(t["masked_scores"], -2)}
        yield "softmax_over_heads", {"weights": lambda t: self.softmax(t["masked_scores"], 1)}
        # Of one query (2, 3) are its keys: that only leaves out the sink.
        axes = r.choice([(0, 1, 2, 3), (2, 3)]) if s.queries > 1 else (0, 1, 2, 3)
        yield "softmax_over_all", {"weights": lambda t: self.softmax(t["masked_scores"], axes)}
        if self.sink == "none":
            yield "softmax_twice", {"weights": lambda t: self.softmax(self.softmax(t["masked_scores"]))}

        def overflowing(t):
            with np.errstate(all="ignore"):
                e = np.exp(t["masked_scores"])
                return e / e.sum(axis=-1, keepdims=True)
        if self.sink == "none":
            yield "softmax_overflow", {"weights": overflowing}

        if s.queries == s.keys:
            yield "weights_transposed", {
                "context": lambda t: self.mix(t, self.shared(t["V_heads"]), turned=True)}
        if self.keep is not None:
            yield "dropout_not_rescaled", {"dropped_weights": lambda t: t["weights"] * self.keep}

        yield "concat_without_transpose", {"concat": lambda t: t["context"].reshape(s.batch, s.queries, -1)}
        order = list(range(s.heads))
        r.shuffle(order)
        yield "heads_in_another_order", {"concat": lambda t: self.side_by_side(t["context"][:, order])}

        bias = lambda t: t.get("b_o", t["W_o"].dtype.type(0))
        if s.heads * s.d_head == s.d_out:
            yield "output_projection_missing", {"output": lambda t: t["concat"]}
            yield "output_weight_transposed", {"output": lambda t: t["concat"] @ t["W_o"].T + bias(t)}
        if "b_o" in self.given:
            yield "output_bias_missing", {"output": lambda t: t["concat"] @ t["W_o"]}

        kinds = self.setup.get("mask", {}).get("kinds", [])
        # The queries of a single head, or of a single position, are then the right ones in another layout, and the first
        # difference comes later.
        if s.batch > 1 and s.heads > 1 and s.queries > 1 and not {"padding", "custom"} & set(kinds) and s.queries == s.keys and self.keep is None:
            yield "batch_and_position_swapped", self.exchanged()

    def more_mistakes(self, r):
        """The mistakes that people report beyond the classic ones, in the same form."""
        s = self.sizes
        kinds = self.setup.get("mask", {}).get("kinds", [])
        plain = self.keep is None and not self.qk_norm and not self.ablated and self.sink != "learned"
        number = lambda t, x: t["X"].dtype.type(x)

        def flow(change, sizes=None):
            """The concat of another student, who goes on from these projections."""
            other = Student({**self.setup, "sizes": {**self.setup.get("sizes", {}), **(sizes or {})}}, {}, None)

            def step(t):
                steps = other.steps()
                tensors = change(dict(t))
                for name in list(steps)[list(steps).index("Q_heads"):list(steps).index("output")]:
                    tensors[name] = steps[name](tensors)
                return tensors["concat"]
            return {"concat": step}

        width, rotary = s.heads * s.d_head, self.encoding == "rotary"
        can_turn = lambda d_head: not rotary or int(self.position.get("fraction", 1) * d_head) in range(2, d_head + 1, 2)
        others = [h for h in range(1, width + 1) if width % h == 0 and h != s.heads and can_turn(width // h)]
        if plain and s.heads == s.kv_heads and others:
            heads = r.choice(others)
            yield "heads_count", flow(lambda t: t, {"heads": heads, "kv_heads": heads, "d_head": width // heads})
        if s.cross and s.queries == s.keys and s.d_model == s.d_source:
            project = lambda n: lambda t: self.source(t, "q") @ t["W_" + n] + t.get("b_" + n, number(t, 0))
            yield "keys_from_queries", {"K": project("k"), "V": project("v")}
        if not s.cross and s.heads == s.kv_heads:
            order = r.choice(["QVK", "KQV", "KVQ", "VQK", "VKQ"])
            wider = lambda t: [self.source(t, n) @ t["W_" + n] + t.get("b_" + n, number(t, 0)) for n in "qkv"]
            first = {"Q": s.past, "K": 0, "V": 0}
            if r.random() < 0.5:
                yield "fused_order", {n: lambda t, n=n, o=o: wider(t)["QKV".index(o)][:, first[n]:] for n, o in zip("QKV", order)}
            else:
                def by_head(part):
                    def step(t):
                        fused = np.concatenate(wider(t), axis=-1)[:, first["QKV"[part]]:]
                        return fused.reshape(*fused.shape[:2], s.heads, 3, s.d_head)[..., part, :].reshape(*fused.shape[:2], -1)
                    return step
                yield "fused_order", {n: by_head(i) for i, n in enumerate("QKV")}

        def reshaped_keys(t):
            queries, keys = self.queries_and_keys(t)
            keys = self.shared(keys)
            return queries @ np.ascontiguousarray(keys).reshape(*keys.shape[:2], s.d_head, -1)
        yield "keys_reshaped", {"dot_products": reshaped_keys}
        factor = r.choice([s.heads ** -0.5, s.d_head ** 0.5, 0.173, 1.9, 1 / s.d_model])
        named = [self.scale / self.temperature, 1 / self.temperature, 1 / s.d_head / self.temperature, self.scale,
                 s.d_model ** -0.5 / self.temperature]
        if not any(abs(factor - n) < 1e-6 for n in named):
            yield "scale_factor", {"scores": lambda t: self.score(t, factor)}
        if self.encoding == "alibi":
            slopes = np.array(r.choice([[2.0 ** -h for h in range(s.heads)], [1 / (h + 1) for h in range(s.heads)]]))
            distance = self.distances()
            yield "alibi_slopes", {"position_bias": lambda t: (-slopes[:, None, None] * distance).astype(t["X"].dtype)}
        if rotary:
            base = r.choice([b for b in (100.0, 500000.0, 1000.0) if b != self.position.get("base", 10000.0)])
            based = Student({**self.setup, "position": {**self.position, "base": base}}, {}, None)
            yield "rotary_angles", {n + "_rotated": lambda t, n=n: based.rotate(self.before_rotation(t, n), n) for n in "QK"}
            if self.turned != s.d_head and s.d_head % 2 == 0:
                yield "rotary_angles", {
                    n + "_rotated": lambda t, n=n: self.rotate(self.before_rotation(t, n), n, turned=s.d_head) for n in "QK"}
            start = r.choice([1, 2, 5, -s.past or 5])
            yield "position_offset", {"Q_rotated": lambda t: self.rotate(self.before_rotation(t, "Q"), "Q", start=start)}
        padded_left = "padding" in kinds and self.setup["mask"].get("padding_side") == "left"
        if padded_left:
            counts = self.position.get("from") == "first_real"
            if rotary:
                yield "position_offset", {n + "_rotated": lambda t, n=n: self.rotate(
                    self.before_rotation(t, n), n, first_real=not counts) for n in "QK"}
            elif "X_plus_P" in self.position_steps() and not s.cross:
                yield "position_offset", {"X_plus_P": lambda t: self.added(t["X"], t["P"], False, first_real=not counts)}
        if self.encoding == "alibi" and s.past:
            own = np.array(reference.slopes(s.heads))[:, None, None]
            short = np.abs(np.arange(s.queries)[:, None] - np.arange(s.keys))
            yield "position_offset", {"position_bias": lambda t: (-own * short).astype(t["X"].dtype)}
        if self.encoding == "sinusoidal":
            yield "position_offset", {"P": lambda t: self.table(t["X"].dtype, 1)}

        def masked_with(visible, fill=-np.inf):
            return {"masked_scores": lambda t: np.where(visible, self.capped(t), number(t, fill))}
        if len(kinds) > 1:
            left_out = r.choice(kinds)
            part = [k for k in kinds if k != left_out]
            mask = {**self.setup["mask"], "kinds": part}
            yield "mask_part_missing", masked_with(Student({**self.setup, "mask": mask}, {}, None).visible)
        if "window" in kinds:
            size = self.setup["mask"].get("window", 1)
            mask = {**self.setup["mask"], "window": r.choice([size + 1, max(size - 1, 0)])}
            yield "window_off_by_one", masked_with(Student({**self.setup, "mask": mask}, {}, None).visible)
        if "causal" in kinds and s.queries < s.keys:
            align = self.setup["mask"].get("align", "top_left" if s.cross else "bottom_right")
            mask = {**self.setup["mask"], "align": "top_left" if align == "bottom_right" else "bottom_right"}
            yield "mask_alignment", masked_with(Student({**self.setup, "mask": mask}, {}, None).visible)
        if "padding" in kinds and s.batch > 1:
            item = np.arange(s.batch)[:, None]
            head = np.arange(s.heads)
            way = r.choice([(item + 1 + 0 * head) % s.batch, (item * s.heads + head) % s.batch, (head * s.batch + item) // s.heads])
            of_heads = np.broadcast_to(self.visible, (s.batch, s.heads, *self.visible.shape[2:]))
            yield "mask_of_another_item", masked_with(of_heads[way, head])
        if "padding" in kinds and s.past + s.queries == s.keys:
            lengths = np.array(self.setup["mask"]["valid_lengths"])[:, None, None]
            at = np.arange(s.past, s.keys)
            real = at >= s.keys - lengths if padded_left else at < lengths
            yield "padded_queries_hidden", masked_with(self.visible & real.swapaxes(-1, -2)[:, None])
        if not self.visible.any(axis=-1).all():
            yield "mask_filled_then_uniform", masked_with(self.visible, -1e9)
            swallow = lambda t: (self.capped(t).astype(np.float32) + np.float32(-1e9)).astype(t["X"].dtype)
            yield "scores_swallowed", {"masked_scores": lambda t: np.where(self.visible, self.capped(t), swallow(t))}

        if self.sink != "none":
            yield "sink_missing", {"weights": lambda t: self.softmax(t["masked_scores"])}
        if s.heads > 1 and s.queries > 1 and self.sink == "none":
            yield "softmax_over_all", {"weights": lambda t: self.softmax(t["masked_scores"], (1, 3))}
        if s.batch > 1:
            axes = r.choice([0, (0, 1)])  # of (batch, heads), or of both as one axis
            yield "softmax_over_batch", {"weights": lambda t: self.softmax(t["masked_scores"], axes)}
        if not self.masks:
            yield "softmax_missing", {"weights": lambda t: t["masked_scores"]}
        p = r.choice([0.1, 0.25, 0.5])
        drop = np.random.RandomState(r.randrange(1000)).random_sample((s.batch, s.heads, s.queries, s.keys)) >= p
        seen = self.run({})["weights"] > 1e-6  # with none of these dropped, or all, nobody can tell
        if self.keep is None and drop.size >= 24 and seen.any() and 0 < drop[seen].sum() < seen.sum():
            yield "dropout_active", {"weights": lambda t: self.shares(t, t["masked_scores"]) * drop / number(t, 1 - p)}
        if s.d_out == s.d_model:
            yield "residual_added", {"output": lambda t: t["concat"] @ t["W_o"] + t.get("b_o", number(t, 0)) + t.get(
                "X_plus_P", t["X"])[:, s.past:]}

    def right_works(self, tensors, r):
        """(words, arrays): right tensors under other names, in other layouts and precisions."""
        s = self.sizes
        b, h, d = s.batch, s.heads, s.d_head
        merged = lambda x: x.reshape(-1, *x.shape[2:])
        queries = "Q_rotated" if "Q_rotated" in tensors else "Q_heads"
        keys = "K_rotated" if "K_rotated" in tensors else "K_heads"
        weights = tensors["weights"]
        yield "rotated queries as q", {"q": tensors[queries], "k": tensors[keys], "attn": weights, "out": tensors["output"]}
        yield "context as values", {"values": tensors["context"], "attention": weights, "out": tensors["output"]}
        yield "weights as attention_scores", {"attention_scores": weights, "output": tensors["output"]}
        yield "batch and heads in one axis", {
            "queries": merged(tensors["Q_heads"]), "keys": merged(tensors["K_heads"]), "values": merged(tensors["V_heads"]),
            "attention_weights": merged(weights), "output": merged(tensors["context"]), "output_concat": tensors["concat"]}
        yield "positions before heads", {
            "query": tensors["Q_heads"].swapaxes(1, 2), "key": tensors["K_heads"].swapaxes(1, 2),
            "value": tensors["V_heads"].swapaxes(1, 2), "output": tensors["output"]}
        yield "positions before batch items", {"out": tensors["output"].swapaxes(0, 1), "attn_weights": weights}
        yield "heads before batch items", {"weights": weights.swapaxes(0, 1), "output": tensors["output"]}
        yield "repeated keys and values", {
            "k": self.shared(tensors["K_heads"]), "v": self.shared(tensors["V_heads"]), "out": tensors["output"]}
        yield "averaged weights", {"attn_output_weights": weights.mean(axis=1), "attn_output": tensors["output"]}
        yield "scores scaled later", {"scores": tensors["dot_products"], "attn": weights, "out": tensors["output"]}
        with np.errstate(invalid="ignore"):
            top = tensors["scores"].max(axis=-1, keepdims=True)
            level = tensors["scores"] - top
        if not self.cap and s.keys > 1 and self.sink == "none":
            yield "scores less their maximum", {"scores": level, "attn": weights, "out": tensors["output"]}
        yield "float32", {n: tensors[n].astype(np.float32) for n in ("weights", "output")}

    def exchanged(self):
        """(batch, position, ...) is taken for (position, batch, ...) from the split to the concat."""
        s = self.sizes
        sizes = {**self.setup.get("sizes", {}), "batch": s.queries, "query_length": s.batch}
        if s.cross:
            sizes["key_length"] = s.batch
        other = Student({**self.setup, "sizes": sizes}, {}, None)
        visible = other.visible
        steps = {n + "_heads": lambda t, n=n, h=h: self.split(t[n].swapaxes(0, 1), h)
                 for n, h in (("Q", s.heads), ("K", s.kv_heads), ("V", s.kv_heads))}
        if self.encoding == "alibi":
            steps["position_bias"] = lambda t: other.bias(t["X"].dtype)
        if self.encoding == "rotary":
            steps |= {n + "_rotated": lambda t, n=n: other.rotate(self.before_rotation(t, n), n) for n in "QK"}
        steps["masked_scores"] = lambda t: self.masked(self.capped(t), visible)
        steps["concat"] = lambda t: self.side_by_side(t["context"]).swapaxes(0, 1)
        return steps

    def run(self, wrong):
        """Every tensor, with the steps of `wrong` in place of the right ones; a step of None is left out."""
        tensors = dict(self.given)
        with np.errstate(all="ignore"):
            for name, step in self.steps().items():
                step = wrong.get(name, step)
                if step is not None:
                    tensors[name] = step(tensors)
        return tensors

    def names(self):
        """What the lines of code of a fix may use."""
        s = self.sizes
        return {"np": np, "batch": s.batch, "query_length": s.queries, "past": s.past, "key_length": s.keys, "d_model": s.d_model,
                "d_out": s.d_out, "d_source": s.d_source, "heads": s.heads, "kv_heads": s.kv_heads, "d_head": s.d_head,
                "scale": self.scale,
                "temperature": self.temperature, "dropout": self.dropout, "visible": self.visible,
                "keep": self.keep}
