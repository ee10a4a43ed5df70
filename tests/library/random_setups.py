"""Valid setups at random, the same for the same seed: python3 random_setups.py SEED prints one."""
import json
import random
import sys

NUMPY_DISTRIBUTIONS = ["uniform", "normal"]
TORCH_DISTRIBUTIONS = ["uniform", "normal", "linear", "xavier_uniform"]


def conventions(number, setup):
    """Other conventions in some setups: past positions, masks aligned otherwise, padding on the left, sinks, nn.Linear
    without a bias. Call it before anything that depends on the sizes."""
    r = random.Random(f"conventions {number}")
    mask, position, drawn = {}, {}, []
    if setup["attention"]["source"] == "self" and r.random() < 0.6:
        setup["sizes"]["past"] = r.choice([1, 2, 5])
    if r.random() < 0.5:
        mask["align"] = r.choice(["bottom_right", "top_left"])
    if r.random() < 0.5:
        mask["padding_side"] = r.choice(["left", "left", "right"])
    if r.random() < 0.6:
        position["from"] = r.choice(["first_real", "first_real", "start"])
    if r.random() < 0.6:
        fractions = [f for f in (0.25, 0.4, 0.5, 0.75) if int(f * d_head(setup["sizes"])) % 2 == 0]
        fractions = [f for f in fractions if int(f * d_head(setup["sizes"])) >= 2]
        position["fraction"] = r.choice(fractions + [1.0])
    if r.random() < 0.5:
        setup["attention"]["sink"] = r.choice(["zero", "learned", "learned", "none"])
        if setup["attention"]["sink"] == "learned":
            drawn.append("sinks normal")
    return mask, position, drawn


def sizes(r, cross):
    heads = r.choice([1, 2, 2, 3, 4, 4, 6, 8])
    result = {
        "batch": r.choice([1, 1, 2, 3]),
        "query_length": r.choice([1, 2, 3, 4, 5, 7, 9, 12]),
        "d_model": heads * r.choice([1, 2, 3, 4, 5, 8, 16]),
        "heads": heads,
    }
    if cross and r.random() < 0.9:
        result["key_length"] = r.choice([1, 2, 4, 6, 7, 9, 13])
    if r.random() < 0.5:
        result["kv_heads"] = r.choice([k for k in range(1, heads + 1) if heads % k == 0])
    if r.random() < 0.3:
        result["d_head"] = r.choice([1, 2, 3, 4, 6, 10, result["d_model"] // heads])
        if r.random() < 0.5:
            result["d_model"] = r.randint(1, 24)  # no multiple of the heads
    if r.random() < 0.25:
        result["d_out"] = r.choice([1, 3, 8, 20, result["d_model"]])
    if cross and r.random() < 0.3:
        result["d_source"] = r.choice([1, 5, 7, 16, result["d_model"]])
    return result


def d_head(s):
    return s.get("d_head", s["d_model"] // s["heads"])


def attention(r, cross, generator):
    result = {"source": "cross" if cross else "self"}
    if r.random() < 0.6:
        result["token_axis"] = r.choice(["rows", "columns"])
    if r.random() < 0.5:
        result["weight_layout"] = r.choice(["in_out", "out_in"])
    if r.random() < 0.6:
        usual = ["inverse_sqrt_d_head", "none", 0.1, 1, -0.37, 10 ** r.uniform(-3, 0.3)]
        result["scale"] = 0 if r.random() < 0.05 else r.choice(usual)
    if r.random() < 0.5:
        result["temperature"] = r.choice([1, 0.5, 2.0, 10 ** r.uniform(-1, 2)])
    if r.random() < 0.15:
        result["soft_cap"] = r.choice([0, 0.5, 2, 30.0])
    if r.random() < 0.3:
        result["qk_norm"] = r.random() < 0.9
        if r.random() < 0.6:
            result["qk_norm_over"] = r.choice(["head", "heads"])
    if r.random() < 0.35:
        result["dropout"] = r.choice([0.1, 0.5, 0.9, round(r.random() * 0.99, 3), 0])
    if r.random() < 0.6:
        result["precision"] = "float32" if r.random() < (0.7 if generator == "torch" else 0.4) else "float64"
    return result


def position(r, setup, positions):
    """Half of the setups have positions, of any kind that fits their sizes."""
    s = setup["sizes"]
    allowed = ["alibi"]
    if s.get("d_source", s["d_model"]) == s["d_model"]:
        allowed += ["sinusoidal", "learned", "learned"] + (["one_hot"] if positions <= s["d_model"] else [])
    if d_head(s) % 2 == 0:
        allowed += ["rotary", "rotary"]
    if r.random() < 0.5:
        return {"encoding": "none"} if r.random() < 0.2 else {}
    result = {"encoding": r.choice(allowed)}
    if r.random() < 0.3:
        result["base"] = r.choice([1, 2.5, 100.0, 500000.0])
    if r.random() < 0.5:
        result["layout"] = r.choice(["half", "interleaved"])
    return result


def norm(r):
    if r.random() < 0.6:
        return {}
    result = {"kind": r.choice(["none", "layer", "layer", "rms", "rms"])}
    if r.random() < 0.4:
        result["epsilon"] = r.choice([1e-5, 1e-12, 0.1])
    return result


def gains(setup):
    """The gains and shifts that can be drawn or given."""
    attention = setup["attention"]
    names = ["norm_gain", "norm_bias"] if setup.get("norm", {}).get("kind", "none") != "none" else []
    if attention.get("qk_norm"):
        names += ["q_head_gains", "k_head_gains"] if attention.get("qk_norm_over") == "heads" else ["q_gain", "k_gain"]
    return names


def ablated(r, heads):
    return {"ablated_heads": r.sample(range(heads), r.randint(1, heads))} if r.random() < 0.2 else {}


def mask(r, queries, keys, batch):
    kinds = r.sample(["causal", "padding", "window", "custom"], r.choice([0, 0, 1, 1, 1, 1, 2, 2, 3, 4]))
    result = {"kinds": kinds}
    if "padding" in kinds:
        result["valid_lengths"] = [r.choice([keys, r.randint(1, keys), r.randint(0, keys)]) for _ in range(batch)]
    if "window" in kinds and r.random() < 0.9:
        result["window"] = r.choice([0, 1, 2, 3, 5, 100])
    if "custom" in kinds and r.random() < 0.95:
        pairs = [[i, j] for i in range(queries) for j in range(keys)]
        blocked = r.sample(pairs, r.choice([r.randint(0, len(pairs) // 3), r.randint(0, len(pairs))]))
        if r.random() < 0.2:  # a query that sees no key
            blind = r.randrange(queries)
            blocked += [[blind, j] for j in range(keys) if [blind, j] not in blocked]
        result["blocked"] = blocked
    return result


def seed(r, generator):
    choices = [0, 1, 42, r.randrange(2**32), 2**32 - 1]
    if generator == "numpy_rng":
        choices += [r.randrange(2**62), 2**32, 2**63 - 1]
    if generator == "torch":
        choices += [-1, -r.randrange(2**31), r.randrange(2**62), 2**32]
    return f"seed {r.choice(choices)}"


def draws(r, setup, generator):
    """A random list of draws, for whole tensors or head by head, in any order; some are missing, some are repeated."""
    heads = setup["sizes"]["heads"]
    kv_heads = setup["sizes"].get("kv_heads", heads)
    distributions = TORCH_DISTRIBUTIONS if generator == "torch" else NUMPY_DISTRIBUTIONS

    def distribution(name, whole=True):
        if r.random() < 0.03:
            return "zeros"
        is_weight = name.startswith("W")
        allowed = distributions if is_weight else NUMPY_DISTRIBUTIONS
        if name == "W_o" and not whole:
            allowed = [d for d in allowed if d != "linear"]
        return r.choice(allowed)

    def group(name):
        if name in ("X", "Y", "P", "b_o", *gains(setup)) or r.random() < 0.6:
            return [f"{name} {distribution(name)}"]
        count = heads if name in ("W_q", "b_q", "W_o") else kv_heads
        chosen = list(range(count)) if r.random() < 0.8 else r.sample(range(count), r.randint(1, count))
        return [f"{name}[{head}] {distribution(name, whole=False)}" for head in chosen]

    names = ["X"] + (["Y"] if setup["attention"]["source"] == "cross" else [])
    names += ["P"] if setup["position"].get("encoding") == "learned" else []
    names += ["W_q", "W_k", "W_v", "W_o"]
    names = [name for name in names if r.random() < 0.99]
    names += [name for name in ("b_q", "b_k", "b_v", "b_o") if r.random() < 0.35]
    names += [name for name in gains(setup) if r.random() < 0.4]
    if r.random() < 0.15:
        names.append(r.choice(names or ["X"]))
    if r.random() < 0.5:
        r.shuffle(names)
    groups = [group(name) for name in names]
    s = setup["sizes"]
    packable = generator == "torch" and kv_heads == heads and {heads * d_head(s), s.get("d_source", s["d_model"])} == {s["d_model"]}
    if packable and r.random() < 0.25:
        groups.insert(r.randint(0, len(groups)), ["W_qkv xavier_uniform"])
    if generator == "torch" and r.random() < 0.15:  # starts like nn.MultiheadAttention
        packed = ["W_qkv xavier_uniform"] if packable else []
        groups = [["W_o linear", *packed, "b_q zeros", "b_k zeros", "b_v zeros", "b_o zeros"], ["X normal"]]
    result = [seed(r, generator)]
    for lines in groups:
        if r.random() < 0.15:
            result.append(seed(r, generator))
        result += lines
    return result


def nested(r, shape):
    """Numbers as nested lists."""
    if not shape:
        return r.choice([0, 1, -2, 0.5, r.gauss(0, 1)])
    return [nested(r, shape[1:]) for _ in range(shape[0])]


def part(r, shape):
    """A part in NumPy's notation, and its shape."""
    items, taken = [], []
    for extent in shape[:r.randint(1, len(shape))]:
        if r.random() < 0.5:
            items.append(str(r.randint(-extent, extent - 1)))
            continue
        start = r.randrange(extent)
        stop = r.randint(start + 1, extent)
        step = r.choice([1, 1, 2, -1])
        if step == -1:
            items.append("::-1")
            taken.append(extent)
        else:
            items.append(f"{start}:{stop}" + (":2" if step == 2 else ""))
            taken.append(len(range(start, stop, step)))
    return f"[{', '.join(items)}]", taken + list(shape[len(items):])


def values(r, setup, queries, keys):
    """Some tensors whole, and a part of some, as numbers or as lists that may leave leading axes out."""
    s = setup["sizes"]
    kv_heads, features = s.get("kv_heads", s["heads"]), s["d_model"]
    columns, kv_columns, d_out = s["heads"] * d_head(s), kv_heads * d_head(s), s.get("d_out", features)
    source = s.get("d_source", features)
    shapes = {"X": (s["batch"], queries, features), "W_q": (features, columns), "W_k": (source, kv_columns),
              "W_v": (source, kv_columns), "W_o": (columns, d_out), "b_q": (columns,), "b_k": (kv_columns,),
              "b_v": (kv_columns,), "b_o": (d_out,)}
    of_gains = {"norm_gain": (features,), "norm_bias": (features,), "q_gain": (d_head(s),), "k_gain": (d_head(s),),
                "q_head_gains": (s["heads"], d_head(s)), "k_head_gains": (kv_heads, d_head(s))}
    shapes |= {name: of_gains[name] for name in gains(setup)}
    if setup["attention"]["source"] == "cross":
        shapes["Y"] = (s["batch"], keys, source)
    if setup["position"].get("encoding") == "learned":
        shapes["P"] = (max(queries, keys), s["d_model"])
    result = {}
    for name, shape in shapes.items():
        if r.random() < 0.25:
            result[name] = nested(r, shape[1:] if len(shape) == 3 and r.random() < 0.5 else shape)
        if r.random() < 0.2:
            index, taken = part(r, shape)
            result[name + index] = nested(r, taken[r.randint(0, len(taken)):])
    return result


def add_block(r, setup):
    """A residual stream, and often an MLP and norms before or after."""
    block, drawn = {"residual": True}, []
    setup["sizes"].pop("d_out", None)
    generator = setup["random"]["generator"]
    weight = lambda: r.choice(TORCH_DISTRIBUTIONS if generator == "torch" else NUMPY_DISTRIBUTIONS + ["normal 0.2"])  # noqa: E731
    if r.random() < 0.75:
        block["mlp"] = r.choice(["relu", "gelu", "gelu_tanh", "silu"])
        if r.random() < 0.6:
            setup["sizes"]["d_mlp"] = r.choice([1, 3, 8, 17])
        drawn += [f"W_in {weight()}", f"W_out {weight()}"]
        drawn += [f"{bias} uniform" for bias in ("b_in", "b_out") if r.random() < 0.5]
        if r.random() < 0.4:
            block["gated"] = True
            drawn += [f"W_gate {weight()}"] + (["b_gate normal"] if r.random() < 0.3 else [])
    setup["block"] = block
    if setup.get("norm", {}).get("kind", "none") == "none" and r.random() < 0.5:
        setup["norm"] = {"kind": r.choice(["layer", "rms"])}
    if setup.get("norm", {}).get("kind", "none") != "none":
        setup["norm"] |= r.choice([{}, {"placement": "after"}]) | r.choice([{}, {"final": True}])
        names = (["mlp_norm_gain", "mlp_norm_bias"] if "mlp" in block else []) + \
            (["final_norm_gain", "final_norm_bias"] if setup["norm"].get("final") else [])
        drawn += [f"{name} normal" for name in names if r.random() < 0.4]
    setup["random"]["draws"] += drawn


def random_setup(number, with_conventions=False):
    r = random.Random(number)
    cross = r.random() < 0.4
    generator = r.choice(["numpy", "torch", "numpy_rng"])
    setup = {"version": 1, "title": r.choice(["", "Random", 'Quotes " and \\ and \n a new line', "coding: latin-1 é"])}
    setup["sizes"] = sizes(r, cross)
    setup["attention"] = attention(r, cross, generator)
    more_mask, more_position, drawn = conventions(number, setup) if with_conventions else ({}, {}, [])
    queries = setup["sizes"]["query_length"]
    past = setup["sizes"].get("past", 0)
    keys = setup["sizes"].get("key_length", past + queries)
    setup["position"] = position(r, setup, max(queries, keys)) | more_position
    if norm_settings := norm(r):
        setup["norm"] = norm_settings
    setup["attention"] |= ablated(r, setup["sizes"]["heads"])
    setup["mask"] = mask(r, queries, keys, setup["sizes"]["batch"]) | more_mask
    setup["random"] = {"generator": generator, "draws": draws(r, setup, generator) + drawn}
    if with_conventions and generator == "torch":
        setup["random"]["draws"] = [draw.replace("xavier_uniform", "linear_no_bias") if draw[:3] in ("W_q", "W_k", "W_o")
                                    and not draw.startswith("W_qkv") else draw for draw in setup["random"]["draws"]]
    if r.random() < 0.4:
        setup["values"] = values(r, setup, past + queries, keys)
    if r.random() < 0.3:
        setup["features"] = [f"feature {i}" for i in range(setup["sizes"]["d_model"])]
    return setup


def to_toml(setup):
    """The setup as TOML. The strings, numbers and arrays of setups are written the same in JSON and TOML."""
    def text(value):
        return json.dumps(value, ensure_ascii=False)

    lines = [f"{key} = {text(value)}" for key, value in setup.items() if not isinstance(value, dict)]
    for table, entries in setup.items():
        if isinstance(entries, dict):
            lines += ["", f"[{table}]"] + [f"{text(key)} = {text(value)}" for key, value in entries.items()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(to_toml(random_setup(int(sys.argv[1]))))
