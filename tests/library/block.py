"""What is around attention in a layer of a transformer, with PyTorch: the residual stream, the MLP, norms before and after,
the last norm and the unembedding. compare.py and learning.py judge Headlight by it.
"""
import torch
import torch.nn.functional as F

BENDS = {"relu": F.relu, "gelu": F.gelu, "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"), "silu": F.silu}
TASK_FEATURES = {"lookup": 2}
TASK_ANSWERS = {"previous_and_first": 2}


def settings(setup):
    return setup.get("block", {})


def is_residual(setup):
    return settings(setup).get("residual", False)


def mlp_of(setup):
    return settings(setup).get("mlp", "none")


def is_gated(setup):
    return mlp_of(setup) != "none" and settings(setup).get("gated", False)


def norm_kind(setup):
    return setup.get("norm", {}).get("kind", "none")


def is_after(setup):
    return setup.get("norm", {}).get("placement", "before") == "after"


def embeds(setup):
    return setup.get("embedding", {}).get("learned", False)


def unembeds(setup):
    return setup.get("embedding", {}).get("unembed", False)


def symbol_count(task):
    """Those of a text are its characters and the line break."""
    return len({"\n", *"".join(task["text"])}) if "text" in task else task.get("symbols", 6)


def symbols_held(setup):
    task = setup.get("task", {})
    return TASK_FEATURES.get(task.get("name"), 1) * symbol_count(task)


def columns_of_answers(setup):
    task = setup.get("task", {})
    if task.get("name", "none") == "none":
        return setup["sizes"].get("symbols", 0)
    return TASK_ANSWERS.get(task["name"], 1) * symbol_count(task)


def parameters(setup, sizes):
    """The shapes of the parameters that the setup always has: biases come with a draw or a value."""
    d, m = sizes.d_model, setup.get("sizes", {}).get("d_mlp", 4 * sizes.d_model)
    shapes = {}
    if embeds(setup):
        shapes["W_E"] = (symbols_held(setup), d)
    if mlp_of(setup) != "none":
        shapes |= {"W_in": (d, m), "W_out": (m, d)}
        if is_gated(setup):
            shapes["W_gate"] = (d, m)
        if norm_kind(setup) != "none":
            shapes["mlp_norm_gain"] = (d,)
            if norm_kind(setup) == "layer":
                shapes["mlp_norm_bias"] = (d,)
    if norm_kind(setup) != "none" and setup["norm"].get("final"):
        shapes["final_norm_gain"] = (d,)
        if norm_kind(setup) == "layer":
            shapes["final_norm_bias"] = (d,)
    if unembeds(setup):
        shapes["W_U"] = (sizes.d_out, columns_of_answers(setup))
    return shapes


def bias_shapes(setup, sizes):
    d, m = sizes.d_model, setup.get("sizes", {}).get("d_mlp", 4 * sizes.d_model)
    return {"b_in": (m,), "b_gate": (m,), "b_out": (d,), "b_U": (columns_of_answers(setup),), "mlp_norm_bias": (d,),
            "final_norm_bias": (d,)}


def normed(setup, x, t, name):
    epsilon = setup["norm"].get("epsilon", 1e-6)
    if norm_kind(setup) == "layer":
        x = x - x.mean(-1, keepdim=True)
    result = x / torch.sqrt((x * x).mean(-1, keepdim=True) + epsilon) * t[name + "_gain"]
    return result + t[name + "_bias"] if name + "_bias" in t else result


def linear(t, x, name):
    result = x @ t["W_" + name]
    return result + t["b_" + name] if "b_" + name in t else result


def run(setup, sizes, t):
    """Every tensor from the output of attention to the scores of the symbols; `t` holds what is before them."""
    made = {}
    all_of = lambda name: made[name] if name in made else t[name]  # noqa: E731
    normal = norm_kind(setup) != "none"
    leaving = t["output"]
    if is_residual(setup):
        stream = t["resid_pre"][:, sizes.past:]
        if mlp_of(setup) != "none" or (normal and is_after(setup)):
            stream = made["resid_mid"] = stream + leaving
        if normal and is_after(setup):
            stream = made["N_post"] = normed(setup, stream, t, "norm")
        if mlp_of(setup) != "none":
            read = stream
            if normal and not is_after(setup):
                read = made["N_mlp"] = normed(setup, stream, t, "mlp_norm")
            neurons = made["mlp_pre"] = linear(t, read, "in")
            if is_gated(setup):
                made["mlp_gate"] = linear(t, read, "gate")
                made["mlp_act"] = BENDS[mlp_of(setup)](made["mlp_gate"])
                neurons = made["mlp_post"] = made["mlp_act"] * neurons
            else:
                neurons = made["mlp_act"] = BENDS[mlp_of(setup)](neurons)
            made["mlp_out"] = linear(t, neurons, "out")
            stream = made["resid_post"] = stream + made["mlp_out"]
            if normal and is_after(setup):
                stream = made["N_mlp_post"] = normed(setup, stream, t, "mlp_norm")
        elif not (normal and is_after(setup)):
            stream = made["resid_post"] = stream + leaving
        if normal and setup["norm"].get("final"):
            stream = made["N_final"] = normed(setup, stream, t, "final_norm")
        leaving = stream
    if unembeds(setup):
        leaving = made["unembed"] = linear(t, leaving, "U")
    return made, leaving


def made_from(setup, sizes, arrays):
    """The same from NumPy arrays, and the logits and probabilities of a setup without a task."""
    t = {name: torch.tensor(array, dtype=torch.float64) for name, array in arrays.items()}
    made, leaving = run(setup, sizes, t)
    if unembeds(setup) and setup.get("task", {}).get("name", "none") == "none":
        made |= {"logits": leaving, "probabilities": leaving.softmax(-1)}
    return {name: tensor.numpy() for name, tensor in made.items()}
