"""Writes the attention layers of a running PyTorch model into a folder for Headlight: an index and a file for each layer.

    from capture import capture

    model.eval()
    result = capture(model, x)     # calls model(x), and writes capture/index.headlight.json and capture/NAME.npz for each layer
    result = capture(model, x, tokens=["The", "cat", "sat"])     # the same, with labels for the positions

Instead of x, pass whatever the model takes. Then open the folder in the window (Ctrl+O), or in a shell:

    headlight layers capture
    headlight layers capture --layer 0 -o setup.toml
    headlight --setup setup.toml
    headlight diagnose --setup setup.toml capture/NAME.npz

Where the blocks around attention are those of nn.TransformerEncoder, GPT-2, nanoGPT or Llama, the folder also holds the whole
model, with what entered its first block and what left each: its layers are then computed from one another, and compared.

    headlight layers capture --whole -o setup.toml

A class of your own is known by its parts: what its linear layers make is tried as queries, keys and values, and it is a layer of
attention if softmax(q @ k.T / sqrt(d_head)) @ v gives what it goes on with. So are matrices of your own, x @ W, where the class calls softmax
of PyTorch; masks are then where it gives zeros. If that can't tell, as with rotary positions, name the parts:

    capture(model, x, names={"q": "query_proj", "k": "key_proj", "v": "value_proj", "o": "out_proj"})

A file holds the layer's parameters under their own names, its input X (and Y, where keys and values come from another
sequence), its masks, its output, and its weights where they can be had. What a model of transformers says of itself, as
its rotary positions, goes into a config.json beside the files. The model stays as it was.
"""
import contextlib
import inspect
import itertools
import json
import math
import pathlib
import re

import numpy as np
import torch

# The modules that make queries, keys, values and output in the layers of other libraries.
PROJECTIONS = []

# The modules of a block around attention, and the keys of a config.json that say what it does.
BLOCKS = []

NOTHING_FOUND = ("no attention layer that is known here has run, and no linear layers whose results are queries, keys and values by "
                 'their numbers. Name the parts: capture(model, x, names={"q": "query_proj", "k": "key_proj", "v": "value_proj", '
                 '"o": "out_proj"}), with the names that they have in your class')

WHOLE = "whole-model.npz"

HIDDEN = -1e4  # masks of floats add this or less, often -inf, where a key is hidden


def capture(model, *inputs, folder="capture", tokens=None, names=None, **keywords):
    """Calls the model, writes what its attention layers do, and returns what the model returns."""
    if model.training:
        raise ValueError("the model is in training mode, in which dropout changes the numbers: call model.eval() first")
    files = Files(pathlib.Path(folder))
    with contextlib.ExitStack() as undo:
        turn_off_fast_paths(model, undo)
        for name, module in model.named_modules():
            watch(name or type(module).__name__, module, files, undo, names)
        whole = Whole(model, undo)
        parts = Parts(model, undo, keywords) if names is None else None
        result = model(*inputs, **keywords)
    is_whole = whole.save(files)
    has_config = hasattr(getattr(model, "config", None), "to_dict")
    if parts:
        parts.save(files, replaces=not has_config and not is_whole)
    if not files.written:
        raise ValueError(NOTHING_FOUND if names is None else
                         f"no module has all of {', '.join(names.values())}, or none of them has run")
    files.save_index(tokens, is_whole)
    config = model.config.to_dict() if has_config else whole.settings() if is_whole else {}
    if config:
        (files.folder / "config.json").write_text(json.dumps(config, default=str))
    return result


def watch(name, module, files, undo, names=None):
    """Lets the module, if it is an attention layer, save what it does whenever it is called."""
    if names is not None and all(has_module(module, path) for path in names.values()):
        projections = [module.get_submodule(names[part]) for part in "qkvo"]
        replace(module, "forward", watched_projections(name, module, projections, files, undo, plain=True), undo)
        return
    if isinstance(module, torch.nn.MultiheadAttention):
        replace(module, "forward", watched_torch(name, module, files), undo)
    found = [paths for paths in PROJECTIONS if all(has_module(module, path) for path in paths)]
    if found:
        projections = [module.get_submodule(path) for path in max(found, key=lambda paths: len(set(paths)))]
        replace(module, "forward", watched_projections(name, module, projections, files, undo), undo)


def has_module(module, path):
    with contextlib.suppress(AttributeError):
        return module.get_submodule(path) is not None
    return False


def watched_torch(name, module, files):
    """nn.MultiheadAttention: its call says everything."""
    forward = module.forward

    def watched(query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None, average_attn_weights=True, **more):
        output, weights = forward(query, key, value, key_padding_mask, True, attn_mask, False, **more)
        is_batch = query.dim() == 3

        def batch_first(tensor):
            return tensor[None] if not is_batch else tensor if module.batch_first else tensor.transpose(0, 1)

        all_weights = weights if is_batch else weights[None]
        if key_padding_mask is not None:
            key_padding_mask = (key_padding_mask if is_batch else key_padding_mask[None])[:, None, None]
        if attn_mask is not None and attn_mask.dim() == 3:  # one for each head of each batch item
            attn_mask = attn_mask.unflatten(0, all_weights.shape[:2])
        files.save(name, module, module.num_heads, *map(batch_first, (query, key, value, output)), all_weights,
                   [mask for mask in (attn_mask, key_padding_mask) if mask is not None])
        if not need_weights:
            return output, None
        return output, weights.mean(dim=-3) if average_attn_weights else weights

    return watched


def watched_projections(name, module, projections, files, undo, plain=False):
    """Layers of other libraries: what goes into their projections, and what comes out of the last. If they are `plain`, their
    weights are kept as matrices of x @ W."""
    forward, seen = module.forward, {}

    def remember(what):
        def hook(_, inputs, output):
            seen[what] = (inputs[0], output)
        return hook

    for what, projection in zip(("query", "key", "value", "output"), projections):
        undo.callback(projection.register_forward_hook(remember(what)).remove)

    def watched(*inputs, **keywords):
        seen.clear()
        result = forward(*inputs, **keywords)
        if len(seen) == 4:
            query, key, value, output = seen["query"][0], seen["key"][0], seen["value"][0], seen["output"][1]
            given = inspect.signature(forward).bind(*inputs, **keywords).arguments
            given = {**given, **given.get("kwargs", {})}
            mask = additive(given.get("attention_mask", given.get("mask")), key.shape[1])
            heads = heads_of(module)
            weights = weights_in(result, (len(query), heads, query.shape[1], key.shape[1]))
            if plain:
                own = matrices([matrix_of(projection) for projection in projections])
                files.write(name, {f"{name}.{array}": tensor for array, tensor in own.items()} |
                            results(heads, query, key, value, output, weights))
            else:
                files.save(name, module, heads, query, key, value, output, weights, mask)
        return result

    return watched


def matrices(projections):
    """The four matrices, with their biases, under the names that Headlight has for them."""
    arrays = {}
    for letter, (weight, bias) in zip("qkvo", projections):
        arrays |= {f"W_{letter}": weight} | ({} if bias is None else {f"b_{letter}": bias})
    return arrays


def matrix_of(module):
    """(in, out) and the bias of a linear layer."""
    weight = module.weight.T if isinstance(module, torch.nn.Linear) else module.weight
    return weight, getattr(module, "bias", None)


def results(heads, query, key, value, output, weights):
    arrays = {"X": query, "output": output} | sources(query, key, value)
    if heads is not None:
        arrays["num_heads"] = torch.tensor(heads)
    return arrays | ({} if weights is None else {"weights": weights})


class Parts:
    """The linear layers and the softmaxes that ran within each module: those that make attention are found by their numbers."""

    def __init__(self, model, undo, keywords):
        self.model, self.keywords = model, keywords  # which no hook sees
        self.events, self.segments, self.open = [], [], []
        for name, module in model.named_modules():
            if is_linear(module):
                undo.callback(module.register_forward_hook(self.called(name, module)).remove)
            else:
                undo.callback(module.register_forward_pre_hook(self.began).remove)
                undo.callback(module.register_forward_hook(self.ended(name)).remove)
        watch_softmax(self.events, undo)

    def called(self, name, module):
        def hook(_, inputs, output):
            if torch.is_tensor(output) and output.dim() in (2, 3):
                self.events.append(Call(name, module, inputs[0], output))
        return hook

    def began(self, *_):
        self.open.append(len(self.events))

    def ended(self, name):
        def hook(module, inputs, output):
            first = self.open.pop()
            if len(self.events) > first:
                self.segments.append((first, len(self.events), name, module, inputs, output))
        return hook

    def save(self, files, replaces):
        """Writes what is attention, in running order: of modules in which the same ran the innermost. `replaces` says that it is
        more to be trusted than the names of a layer's parts, which other classes use in other ways."""
        known = [name for name, _ in files.written]
        torch_s = [name for name in known if files.is_of_torch(name)]
        found = {}
        for first, last, name, module, inputs, output in sorted(self.segments, key=lambda each: each[0] - each[1]):
            name = name or type(module).__name__
            kept = torch_s if replaces else known
            whole = name == type(module).__name__ and kept  # the model itself, with other layers in it
            if whole or any(name == other or name.startswith(f"{other}.") or other.startswith(f"{name}.") for other in kept):
                continue
            if any(a <= first and last <= b and (a, b) != (first, last) for a, b in found):
                continue
            if (first, last) in found and len(found[first, last][0]) >= len(name):
                continue
            events, inputs = self.events[first:last], [*inputs, *(self.keywords.values() if module is self.model else ())]
            solved = attention_of_softmax(events, module, inputs, output) or attention_of_calls(events, module, output)
            if solved is not None:
                found[first, last] = (name, solved)
        for name, arrays in (found[place] for place in sorted(found)):
            files.forget([other for other in known if other == name or other.startswith(f"{name}.")])
            files.write(name, {f"{name}.{array}" if array[:2] in ("W_", "b_") else array: tensor for array, tensor in arrays.items()})


class Call:
    """Of a linear layer."""

    def __init__(self, name, module, source, output):
        self.name, self.module, self.source, self.output = name, module, source, output


def watch_softmax(events, undo):
    """Lets what softmax over the last axis gives be added to the events, and what attention in one function is made of."""
    functional = torch.nn.functional

    def watched(function):
        def softmax(*given, **named):
            before = len(events)
            result = function(*given, **named)
            del events[before:]  # of a softmax that calls another
            sums = result.float().sum(-1)  # nan of a query that sees no key
            if result.dim() in (2, 3, 4) and bool((((sums - 1).abs() < 1e-2) | sums.isnan()).all()):
                events.append(result.detach())
            return result
        return softmax

    for owner in (torch, functional, torch.Tensor):
        replace(owner, "softmax", watched(owner.softmax), undo)
    if hasattr(functional, "scaled_dot_product_attention"):  # of PyTorch 2
        replace(functional, "scaled_dot_product_attention", watched_attention(functional.scaled_dot_product_attention, events), undo)


def watched_attention(function, events):
    """Attention in one function, whose softmax can't be seen: it is computed again."""
    def attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, **more):
        before = len(events)
        result = function(query, key, value, attn_mask, dropout_p, is_causal, **more)
        scale = more.get("scale") or query.shape[-1] ** -0.5
        if key.dim() == 4 and key.shape[1] != query.shape[1]:
            key = key.repeat_interleave(query.shape[1] // key.shape[1], 1)
        scores = (query @ key.transpose(-1, -2)).float() * scale
        if is_causal:
            scores = scores.masked_fill(torch.ones(scores.shape[-2:]).triu(1).bool().to(scores.device), -math.inf)
        if attn_mask is not None:
            scores = scores.masked_fill(~attn_mask, -math.inf) if attn_mask.dtype == torch.bool else scores + attn_mask
        weights = scores.softmax(-1).to(query.dtype).detach()
        events[before:] = [weights]
        return result

    return attention


class Whole:
    """The blocks of a model, if there is one list of blocks that are known: what enters the first, and what leaves each."""

    def __init__(self, model, undo):
        self.model, self.seen, self.calls = model, {}, 0
        stacks = [(name, list(module), block) for name, module in model.named_modules() for block in BLOCKS
                  if isinstance(module, torch.nn.ModuleList) and len(module) and all(is_block(each, block) for each in module)]
        names = {name for name, _, _ in stacks}
        self.name, self.blocks, self.parts = stacks[0] if len(names) == 1 else (None, [], {})
        if not self.blocks:
            return
        self.end, self.unembedding = (self.module_at_the_ends(self.parts[part]) for part in ("end", "unembedding"))
        undo.callback(self.blocks[0].register_forward_pre_hook(lambda _, inputs: self.began(inputs)).remove)
        after = "resid_post" if getattr(self.blocks[0], "norm_first", True) else "N_mlp_post"
        watched = {f"L{number}.{after}": block for number, block in enumerate(self.blocks)}
        watched |= {"N_final": self.end and self.end[1], "logits": self.unembedding and self.unembedding[1]}
        for what, module in watched.items():
            if module is not None:
                undo.callback(module.register_forward_hook(self.left(what)).remove)

    def module_at_the_ends(self, name):
        """The module with this name beside the list of blocks, or further out; and its path."""
        root = self.name.rpartition(".")[0]
        for parent in (root, root.rpartition(".")[0], ""):
            path = f"{parent}.{name}".lstrip(".")
            if name and has_module(self.model, path):
                return path, self.model.get_submodule(path)
        return None

    def began(self, inputs):
        self.calls += 1
        if inputs and torch.is_tensor(inputs[0]):
            self.seen["X"] = self.batch_first(inputs[0])

    def left(self, what):
        def hook(_, inputs, output):
            output = output[0] if isinstance(output, (tuple, list)) else output
            if torch.is_tensor(output):
                self.seen[what] = self.batch_first(output)
        return hook

    def batch_first(self, tensor):
        first = getattr(self.blocks[0].get_submodule(self.parts["attention"]), "batch_first", True)
        return tensor[None] if tensor.dim() == 2 else tensor if first else tensor.transpose(0, 1)

    def save(self, files):
        """Writes all that belongs to the blocks and to what comes after them; False where that isn't known, or didn't run once."""
        if self.calls != 1 or "X" not in self.seen:
            return False
        paths = [f"{self.name}.{number}." for number in range(len(self.blocks))]
        paths += [f"{path}." for path, _ in filter(None, (self.end, self.unembedding))]
        state = self.model.state_dict(keep_vars=True)  # which has an array that is used twice under both names
        arrays = {name: tensor for name, tensor in state.items()
                  if isinstance(tensor, torch.nn.Parameter) and any(name.startswith(path) for path in paths)}
        first = f"{self.name}.0.{self.parts['attention']}"
        arrays |= {name: tensor for name, tensor in files.notes.get(first, {}).items() if name not in arrays}
        np.savez(files.folder / WHOLE, **{name: numbers(tensor) for name, tensor in (arrays | self.seen).items()})
        print(files.folder / WHOLE)
        return True

    def settings(self):
        """What the modules say of themselves, if all blocks say the same."""
        def said(block):
            norm = block.get_submodule(self.parts["norm"])
            yield self.parts["epsilon"], getattr(norm, "eps", getattr(norm, "variance_epsilon", None))
            yield self.parts["bend"], bend_of(block)
            yield self.parts["norm_first"], getattr(block, "norm_first", None)
        all_said = [{key: value for key, value in said(block) if key and value is not None} for block in self.blocks]
        return {key: value for key, value in all_said[0].items() if all(each.get(key) == value for each in all_said)}


def is_block(module, block):
    """Whether it has the modules of such a block, and no others with parameters."""
    known = {block[part].split(".")[0] for part in ("attention", "norm", "mlp_norm", "in", "gate", "out") if block[part]}
    others = [child for name, child in module.named_children() if name not in known and list(child.parameters())]
    return not others and all(has_module(module, block[part]) for part in ("attention", "norm", "mlp_norm", "in", "gate", "out") if block[part])


def bend_of(block):
    """The word for a block's activation, if it has one that is known."""
    functions = {torch.nn.functional.relu: "relu", torch.relu: "relu", torch.nn.functional.gelu: "gelu", torch.nn.functional.silu: "silu"}
    modules = {torch.nn.ReLU: "relu", torch.nn.SiLU: "silu"}
    found = {modules[type(module)] for module in block.modules() if type(module) in modules}
    found |= {"gelu" if getattr(module, "approximate", "none") == "none" else "gelu_tanh"
              for module in block.modules() if type(module) is torch.nn.GELU}
    activation = getattr(block, "activation", None)
    if not isinstance(activation, torch.nn.Module) and activation in functions:
        found.add(functions[activation])
    return found.pop() if len(found) == 1 else None


def is_linear(module):
    weight = getattr(module, "weight", None)
    return torch.is_tensor(weight) and weight.dim() == 2 and not isinstance(module, torch.nn.Embedding) and not list(module.children())


def attention_of_calls(events, module, result):
    """The arrays of an attention layer that makes these calls of linear layers, with no mask or a causal one; None if the numbers
    say that it is none."""
    calls = [(each.module, in_batch(each.source), in_batch(each.output)) for each in events if isinstance(each, Call)]
    heads = heads_of(module)
    if not 1 <= len(calls) <= 256 or any(source.shape[:2] != calls[0][1].shape[:2] for _, source, _ in calls):
        return None
    for ends_with_heads in (False, True):
        inner = calls if ends_with_heads else calls[:-1]
        if not inner or any(not same(source, inner[0][1]) for _, source, _ in inner):
            continue
        wanted = result[0] if isinstance(result, (tuple, list)) else result
        wanted = wanted if ends_with_heads else calls[-1][1]
        if not torch.is_tensor(wanted):
            continue
        wanted = wanted if wanted.dim() == 3 else wanted[None]
        for parts, counts in candidates(inner, heads):
            hidden = fitting_mask([part[1] for part in parts], counts, wanted)
            if hidden is not None:
                width = parts[0][1].shape[-1]
                last = (torch.eye(width), None) if ends_with_heads else matrix_of(calls[-1][0])
                query, output = inner[0][1], wanted if ends_with_heads else calls[-1][2]
                return matrices([part[0] for part in parts] + [last]) | results(counts, query, query, query, output, None) | {"mask": hidden}
    return None


def in_batch(tensor, second=False):
    """(batch, position, feature), of a tensor whose batch may be its second axis, or none."""
    return tensor[None] if tensor.dim() == 2 else tensor.transpose(0, 1) if second else tensor


def attention_of_softmax(events, module, inputs, result):
    """The arrays of the attention layer whose softmax gave these weights: its queries and keys are what gives the same weights, its
    values and its output are what goes on from there. None where not everything that ran belongs to it."""
    calls, seen = ([each for each in events if isinstance(each, Call) == is_call] for is_call in (True, False))
    result = result[0] if isinstance(result, (tuple, list)) and result else result
    sources = [each for each in [*(call.source for call in calls), *inputs] if torch.is_tensor(each) and each.is_floating_point()
               and each.dim() in (2, 3)]
    if not seen or not sources or len(calls) not in {*range(5), 3 * len(seen), 3 * len(seen) + 1} or not torch.is_tensor(result):
        return None
    for second in (False, True):
        for weights in stacked_by_head(seen, len(in_batch(sources[0], second))):
            made = [*projections_of_calls(calls, weights.shape[1], second)]
            if len(calls) < 4 and weights.numel() < 1 << 22:
                made += projections_of_arrays(module, sources, weights.shape[1], second)
            if (solved := attention_with(weights.double(), made, calls, module, result, second)) is not None:
                return solved
    return None


class Projection:
    """What may be queries, keys or values: source @ matrix + bias = result, by the linear layers `calls`."""

    def __init__(self, matrix, bias, source, result, calls=()):
        self.matrix, self.bias, self.source, self.result, self.calls = matrix, bias, source, result, calls

    def columns(self, order):
        return Projection(self.matrix[:, order], None if self.bias is None else self.bias[order], self.source, self.result[..., order], self.calls)

    def heads(self, count):
        return self.result.double().unflatten(-1, (count, -1)).transpose(1, 2)


def stacked_by_head(seen, batch):
    """What softmax gave, as (batch, head, query, key): all heads at once, or one head after the other."""
    if len({each.shape for each in seen}) > 1 or seen[0].numel() == 0:
        return
    first, axes = seen[0], seen[0].dim()
    if len(seen) == 1 and axes == 4 and batch in first.shape[:2]:
        yield first if first.shape[0] == batch else first.transpose(0, 1)
    elif len(seen) == 1 and axes == 3 and len(first) % batch == 0:
        yield first.unflatten(0, (batch, -1))
        yield first.unflatten(0, (-1, batch)).transpose(0, 1)
    elif axes == 2 and len(seen) % batch == 0:
        yield torch.stack(seen).unflatten(0, (batch, -1))
    elif axes == 3 and len(first) == batch:
        yield torch.stack(seen, 1)
    elif axes == 4 and first.shape[:2] == (batch, 1):
        yield torch.cat(seen, 1)


def projections_of_calls(calls, heads, second):
    made = [Projection(*matrix_of(call.module), in_batch(call.source, second), in_batch(call.output, second), (call,)) for call in calls]
    if heads > 1 and len(made) >= 3 * heads:  # a module for each head
        for groups in ([made[i:3 * heads:3] for i in range(3)], [made[i * heads:(i + 1) * heads] for i in range(3)]):
            if len({each.source.shape for group in groups for each in group}) == 1:
                yield from map(side_by_side, groups)
    elif len(made) < 5:
        for each in made:
            yield from split(each, heads)


def side_by_side(group):
    biases = [each.bias for each in group]
    return Projection(torch.cat([each.matrix for each in group], 1), None if None in biases else torch.cat(biases), group[0].source,
                      torch.cat([each.result for each in group], -1), sum((each.calls for each in group), ()))


def split(whole, heads):
    """It, and its parts where queries, keys and values are made at once: one after the other, or each head's own together; with
    the numbers of a head side by side, or the heads of a number."""
    width = whole.matrix.shape[1]
    yield whole
    for parts in (1, 2, 3):
        if width % (parts * heads) == 0:
            order = torch.arange(width)
            ways = [order.reshape(parts, heads, -1), order.reshape(heads, parts, -1).transpose(0, 1),
                    order.reshape(-1, parts, heads).permute(1, 2, 0), order.reshape(parts, -1, heads).transpose(1, 2)]
            for columns in dict.fromkeys(tuple(part.flatten().tolist()) for way in ways for part in way):
                if columns != tuple(range(width)):
                    yield whole.columns(list(columns))


def arrays_of(module):
    """Those that are no linear layer's, by name; of several that differ by a number in their names also all side by side."""
    own = {}
    for path, each in module.named_modules():
        if not is_linear(each):
            for name, value in [*each.named_parameters(recurse=False), *each.named_buffers(recurse=False), *vars(each).items()]:
                if torch.is_tensor(value) and value.is_floating_point() and value.dim() in (1, 2, 3) and value.numel() > 1:
                    own[f"{path}.{name}"] = value.detach()
    groups = {}
    for name, value in own.items():
        groups.setdefault((re.sub(r"\d+", "", name), value.shape), []).append(value)
    together = {f"{name} {shape}": torch.stack(group) for (name, shape), group in groups.items() if 1 < len(group) and len(shape) < 3}
    return own | together


def projections_of_arrays(module, sources, heads, second):
    """source @ matrix for each matrix of the module, or for a matrix for each head; with a bias if one has its width."""
    arrays = arrays_of(module)
    if len(arrays) > 24:
        return
    sources = list({each.data_ptr(): in_batch(each, second) for each in sources}.values())
    for name, array in arrays.items():
        for source in sources:
            for matrix in dict.fromkeys(inward(array, source.shape[-1], heads)):
                biases = {other: each.flatten() for other, each in arrays.items() if each.dim() < 3 and each.numel() == matrix.shape[1]}
                own = [each for other, each in biases.items() if whose(other) == whose(name) and other != name]
                for bias in [*own, None, *biases.values()]:
                    result = source.to(matrix) @ matrix
                    yield from split(Projection(matrix, bias, source, result if bias is None else result + bias), heads)


def whose(name):
    """What a matrix and its bias have in common: "key" of "key_kernel" and "key_bias". No number shows the bias of keys, which adds the
    same to all scores of a query."""
    return tuple(part for part in re.split(r"[._]", name.lower()) if part not in ("w", "weight", "kernel", "matrix", "b", "bias"))


def inward(array, features, heads):
    """The matrix (features, heads * d_head) that an array may be: as it is, turned, or with an axis of heads."""
    if array.dim() == 2:
        yield from ([array] if len(array) == features else []) + ([array.T] if array.shape[1] == features else [])
    elif array.dim() == 3:
        for order in ((0, 1, 2), (1, 0, 2), (2, 0, 1)):
            turned = array.permute(order)
            if turned.shape[:2] == (features, heads):
                yield turned.flatten(1)


def outward(array, width, heads):
    """The matrix (heads * d_head, features) of what goes on from the heads."""
    if array.dim() == 2:
        yield from ([array] if len(array) == width else []) + ([array.T] if array.shape[1] == width else [])
    elif array.dim() == 3 and len(array) == heads and array.shape[0] * array.shape[1] == width:
        yield array.flatten(0, 1)


def alike(made, wanted, kind=None):
    """Whether these are the same but for rounding, in the kind of numbers that they were computed in; nan where both are."""
    if made.shape != wanted.shape:
        return False
    tolerance = 3e-2 if (kind or wanted.dtype) in (torch.float16, torch.bfloat16) else 1e-3
    largest = float(wanted.abs().nan_to_num(0, 0).max())
    return torch.allclose(made.double(), wanted.double(), rtol=tolerance, atol=tolerance / 10 * largest, equal_nan=True)


def attention_with(weights, made, calls, module, result, second):
    """The arrays of a layer with these weights, of which `made` are what may be its queries, keys and values."""
    (batch, heads, queries, keys), unmasked = weights.shape, torch.zeros_like(weights).bool()
    kind = result.dtype

    def has(projection, positions, own_heads):
        return projection.result.shape[:2] == (batch, positions) and own_heads > 0 and projection.matrix.shape[1] % own_heads == 0

    for query in (each for each in made if has(each, queries, heads)):
        q = query.heads(heads)
        for key in made:
            own_heads = key.matrix.shape[1] // q.shape[-1]
            if key is query or not has(key, keys, own_heads) or own_heads * q.shape[-1] != key.matrix.shape[1] or heads % own_heads:
                continue
            scores = q @ repeated(key.heads(own_heads), heads).transpose(-1, -2) / math.sqrt(q.shape[-1])
            hidden = next((mask for mask in (unmasked, (weights == 0) | weights.isnan())
                           if alike(scores.masked_fill(mask, -math.inf).softmax(-1), weights, kind)), None)
            if hidden is None:
                continue
            for value in made:
                if value is query or value is key or not has(value, keys, own_heads):
                    continue
                context = (weights @ repeated(value.heads(own_heads), heads)).transpose(1, 2).flatten(2)
                end = end_of(context, {*query.calls, *key.calls, *value.calls}, calls, module, heads, result, second)
                if end is not None:
                    projection, output = end
                    own = matrices([(each.matrix, each.bias) for each in (query, key, value)] + [projection])
                    return own | results(heads, query.source, key.source, value.source, output, weights.to(kind)) | masked_as(hidden)
    return None


def repeated(heads_of_keys, heads):
    return heads_of_keys.repeat_interleave(heads // heads_of_keys.shape[1], 1)


def end_of(context, used, calls, module, heads, result, second):
    """((matrix, bias), output) of what goes on from the heads' results: a linear layer, an array, or nothing; None if they go nowhere."""
    rest = [call for call in calls if call not in used]
    if len(rest) == 1:
        fits = alike(context, in_batch(rest[0].source, second))
        return (matrix_of(rest[0].module), in_batch(rest[0].output, second)) if fits else None
    if rest or result.dim() not in (2, 3):
        return None
    output, width = in_batch(result, second), context.shape[-1]
    if alike(context, output):
        return (torch.eye(width), None), output
    arrays = arrays_of(module)
    for array in arrays.values():
        for matrix in outward(array, width, heads):
            made = context @ matrix.double()
            for bias in [None, *(each for each in arrays.values() if each.shape == made.shape[-1:])]:
                if alike(made if bias is None else made + bias, output):
                    return (matrix, bias), output
    return None


def candidates(calls, heads):
    """What may be queries, keys and values: each as ((matrix, bias), result), with a number of heads."""
    made = [(matrix_of(module), output) for module, _, output in calls]
    if len(made) == 1:
        made = [part_of(made[0], part) for part in range(3)] if made[0][1].shape[-1] % 3 == 0 else []
    elif len(made) == 2:
        made = [made[0], *(part_of(made[1], part, 2) for part in range(2))] if made[1][1].shape[-1] % 2 == 0 else []
    elif len(made) > 3 and len(made) % 3 == 0:  # a module for each head, called one head after the other
        yield from ((parts, len(made) // 3) for parts in itertools.permutations([together(made[i::3]) for i in range(3)]))
        return
    if len(made) != 3:
        return
    for parts in itertools.permutations(made):
        width, of_keys = parts[0][1].shape[-1], parts[1][1].shape[-1]
        if parts[2][1].shape[-1] != of_keys or width % of_keys != 0:
            continue
        for count in [heads] if heads else [n for n in range(1, width + 1) if width % n == 0]:
            if width % count == 0 and of_keys % (width // count) == 0:
                yield parts, count


def part_of(made, part, parts=3):
    (weight, bias), output = made
    return (weight.chunk(parts, 1)[part], None if bias is None else bias.chunk(parts)[part]), output.chunk(parts, -1)[part]


def together(made):
    weight, bias = torch.cat([each[0][0] for each in made], 1), [each[0][1] for each in made]
    return (weight, None if None in bias else torch.cat(bias)), torch.cat([each[1] for each in made], -1)


def fitting_mask(qkv, heads, wanted):
    """The mask, (batch, query, key), with which these make the wanted numbers: none, or a causal one. None if neither does."""
    d_head = qkv[0].shape[-1] // heads
    q, k, v = (t.double().unflatten(-1, (-1, d_head)).transpose(1, 2) for t in qkv)
    if wanted.shape != qkv[0].shape:
        return None
    k, v = (t.repeat_interleave(heads // t.shape[1], 1) for t in (k, v))
    scores = q @ k.transpose(-1, -2) / math.sqrt(d_head)
    for hidden in (torch.zeros_like(scores[0, 0]).bool(), torch.ones_like(scores[0, 0]).triu(1).bool()):
        made = (scores.masked_fill(hidden, -math.inf).softmax(-1) @ v).transpose(1, 2).flatten(2)
        if torch.allclose(made, wanted.double(), rtol=1e-3, atol=1e-4 * float(wanted.abs().max())):
            return hidden.expand(len(wanted), -1, -1)
    return None


def additive(mask, keys):
    """The mask as a list: of nothing, or of a mask that is added to the scores, or true where a key is hidden."""
    if not torch.is_tensor(mask) or mask.dim() not in (2, 4):
        return []
    mask = mask[..., :keys]
    if mask.dim() == 2:  # (batch, key), 0 where a key is hidden
        return [mask[:, None, None] == 0]
    return [~mask if mask.dtype == torch.bool else mask]


def heads_of(module):
    for owner in (module, *module.children()):
        for holder in (owner, getattr(owner, "config", None)):
            for name in ("num_heads", "num_attention_heads", "n_heads", "n_head"):
                if isinstance(getattr(holder, name, None), int):
                    return getattr(holder, name)
    return None


def weights_in(result, shape):
    """The weights among a layer's results, if it gave any."""
    for each in result if isinstance(result, (tuple, list)) else [result]:
        if torch.is_tensor(each) and tuple(each.shape) == shape and torch.allclose(each.sum(-1), torch.ones(()).to(each), atol=1e-2):
            return each
    return None


class Files:
    """The folder that the layers are written to."""

    def __init__(self, folder):
        self.folder, self.written = folder, []  # the layers in running order, by name and file
        self.notes = {}  # of each layer, how it was called
        self.of_torch = set()  # the names of those that are nn.MultiheadAttention

    def is_of_torch(self, name):
        return name in self.of_torch

    def forget(self, names):
        for name, path in [each for each in self.written if each[0] in names]:
            path.unlink()
            self.written.remove((name, path))

    def save(self, name, module, heads, query, key, value, output, weights, masks):
        if isinstance(module, torch.nn.MultiheadAttention):
            self.of_torch.add(name)
        arrays = {f"{name}.{parameter}": tensor for parameter, tensor in module.named_parameters()}
        arrays |= {"X": query, "output": output} | sources(query, key, value)
        if heads is not None:
            arrays["num_heads"] = torch.tensor(heads)
        if weights is not None:
            arrays["weights"] = weights
        if masks or isinstance(module, torch.nn.MultiheadAttention):  # of other layers it is not known that none means none
            arrays |= masked((len(query), heads or 1, query.shape[1], key.shape[1]), masks)
        if getattr(module, "add_zero_attn", False):
            arrays["add_zero_attn"] = torch.tensor(True)
        notes = ("num_heads", "mask", "mask_per_head", "added_scores", "add_zero_attn")
        self.notes[name] = {note: arrays[note] for note in notes if note in arrays}
        self.write(name, arrays)

    def write(self, name, arrays):
        calls = 1 + sum(parameters == name for parameters, _ in self.written)
        path = self.folder / (f"{name}.npz" if calls == 1 else f"{name}-{calls}.npz")
        self.written.append((name, path))
        self.folder.mkdir(parents=True, exist_ok=True)
        np.savez(path, **{array: numbers(tensor) for array, tensor in arrays.items()})
        print(path)

    def save_index(self, tokens, is_whole):
        index = {"version": 1, "layers": [{"name": path.stem, "file": path.name} for _, path in self.written]}
        if tokens is not None:
            index["tokens"] = [str(token) for token in tokens]
        if is_whole:
            index["whole"] = WHOLE
        (self.folder / "index.headlight.json").write_text(json.dumps(index, indent=1, ensure_ascii=False), encoding="utf-8")


def sources(query, key, value):
    """What keys and values are made from, where it is not X."""
    if same(key, value):
        return {} if same(query, key) else {"Y" if key.shape[-1] == query.shape[-1] else "keys_from": key}
    return {"keys_from": key, "values_from": value}


def same(a, b):
    return a is b or (a.shape == b.shape and torch.equal(a, b))


def masked_as(hidden):
    """(batch, head, query, key), true where a key is hidden, in a file: once for all heads, if they have the same."""
    return {"mask": hidden[:, 0]} if (hidden == hidden[:, :1]).all() else {"mask_per_head": hidden}


def masked(shape, masks):
    """All masks as one, (batch, query, key), true where a key is hidden; and what else they add to the scores."""
    hidden, added = torch.zeros(shape, dtype=torch.bool), torch.zeros(shape)
    for mask in (mask.cpu() if mask.is_floating_point() else mask.cpu().bool() for mask in masks):
        gone = mask if mask.dtype == torch.bool else mask <= HIDDEN
        hidden = hidden | gone
        if mask.dtype != torch.bool:
            added = added + mask.masked_fill(gone, 0)
    return masked_as(hidden) | ({"added_scores": added} if added.any() else {})


def numbers(tensor):
    tensor = tensor.detach().cpu()
    return (tensor.float() if tensor.dtype in (torch.float16, torch.bfloat16) else tensor).numpy()


def turn_off_fast_paths(model, undo):
    """nn.TransformerEncoder in eval mode has one that never calls its attention layers. That of nn.MultiheadAttention fails in
    PyTorch 1.13 where there are no biases, but for a module that trains there is none."""
    for module in model.modules():
        if isinstance(module, torch.nn.MultiheadAttention) and module.in_proj_bias is None:
            replace(module, "dropout", 0.0, undo)
            replace(module, "training", True, undo)
        for name in ("activation_relu_or_gelu", "enable_nested_tensor", "use_nested_tensor"):
            if getattr(module, name, False):
                replace(module, name, False, undo)


def replace(module, name, value, undo):
    old = vars(module).get(name)
    undo.callback(setattr, module, name, old) if name in vars(module) else undo.callback(delattr, module, name)
    setattr(module, name, value)
