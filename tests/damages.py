"""Ways to damage and to forge states and law files: each takes the bytes of a sound file and a generator."""

import io
import json
import re
import struct
import warnings
import zipfile
from copy import deepcopy

import numpy as np

from mosaic_sr.operators import CODES, CONSTANT

VALUES = (
    None, True, False, 0, 1, -1, 2, 7, 255, 2**31, 2**53, 2**63, -(2**63), 2**64, 10**400, 0.5, -0.0, 1e-300, 1e300,
    "", "x", "?", "_", "a", "1e999", "nan", "inf", "1/0", "(" * 2000, "a+" * 60_000 + "a", "sin(a)", "a\x00", "\ud800",
    [], [[]], {}, [None], [1, "a"], {"a": 1}, ["a"] * 20_000,
)  # fmt: skip
NUMBERS = (
    0,
    1,
    -1,
    2,
    3,
    13,
    24,
    25,
    26,
    100,
    2**15,
    2**31 - 1,
    -(2**31),
    2**62,
    -(2**63),
    np.nan,
    np.inf,
    -np.inf,
    0.5,
)
KINDS = ("<i4", "<i8", "<u4", "<f8", "<f4", ">i4", ">f8", "|i1", "<u8", "<U1", "<U4")
HEADERS = (
    b"(999999999999,)", b"(1000000, 1000000)", b"(-1,)", b"(0,)", b"(0, 99999999999999999999)", b"()", b"(1,)" * 40,
    b"(2,", b"[3]", b"None", b"(1e3,)", b"(True,)", b"((((((1,),),),),),)", b"(2, 2)", b"(__import__('os'),)",
)  # fmt: skip
DESCRIPTIONS = (
    b"'|O'",
    b"'<f16'",
    b"'<i3'",
    b"'<U999999999'",
    b"'<U0'",
    b"'>i8'",
    b"'<M8[s]'",
    b"[('a', '<i4')]",
    b"'|V8'",
    b"5",
)


# Damages of bytes, of either file.


def flipped(content, rng):
    bits = np.frombuffer(content, np.uint8).copy()
    places = rng.integers(len(bits), size=rng.integers(1, 20))
    bits[places] ^= (1 << rng.integers(8, size=len(places))).astype(np.uint8)
    return bits.tobytes()


def cut_short(content, rng):
    return content[: rng.integers(len(content))]


def moved(content, rng):
    """A piece left out, doubled, zeroed, or put elsewhere."""
    start, stop = sorted(rng.integers(len(content), size=2).tolist())
    stop = min(stop, start + 2000)
    piece, before, after = content[start:stop], content[:start], content[stop:]
    return (before + after, before + piece * 2 + after, before + bytes(len(piece)) + after, piece + before + after)[
        rng.integers(4)
    ]


def other_bytes(content, rng):
    return (
        b"",
        rng.bytes(500),
        b"PK\x03\x04" + rng.bytes(300),
        b"\x93NUMPY" + rng.bytes(80),
        b"{" * 9000,
        content * 2,
    )[rng.integers(6)]


# Damages of values in JSON.


def places_in(value, place=()):
    yield place
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places_in(item, (*place, key))


def with_values_changed(value, rng):
    """The JSON of a value with some of its parts replaced, left out, renamed or put inside others."""
    value = json.loads(json.dumps(value))
    for _ in range(rng.integers(1, 4)):
        places = [place for place in places_in(value) if place]
        *path, key = places[rng.integers(len(places))]
        parent = value
        for step in path:
            parent = parent[step]
        if isinstance(parent[key], str) and rng.random() < 0.5:
            parent[key] = misspelt(parent[key], rng)
            continue
        match rng.integers(8):
            case 0:
                del parent[key]
            case 1 if isinstance(parent, dict):
                parent[f"{key}x"] = parent[key]
            case 2:
                parent[key] = [parent[key]]
            case _:
                parent[key] = deepcopy(VALUES[rng.integers(len(VALUES))])
        if not value:
            break
    text = json.dumps(value)
    match rng.integers(12):
        case 0:
            return text.replace(":", ": NaN, " if rng.random() < 0.5 else ': 1e999, "a":', 1)
        case 1:
            return text[:-1] + "," + text[1:]  # every name twice
        case 2:
            return text[:-1] + ', "deep": ' + "[" * 5000 + "]" * 5000 + "}"
    return text


# Values that a reader cannot refuse by their kind: the search must be able to go on from them.
PLAUSIBLE = {
    bool: (True, False),
    int: (0, 1, 5, 2**40),
    float: (0.0, -1.0, 0.5, 5e-324, 1e-300, 1e300, "inf", "-inf", "nan"),
    str: (
        "a",
        "1",
        "0/0",
        "a/0",
        "log(0-a)",
        "1e999*a",
        "1e-300*`b c`^9.5",
        "sin(" * 200 + "a" + ")" * 200,
        "x" * 5000,
    ),
    list: ([],),
    type(None): (None, 3),
}


def plausible(value, rng):
    """The JSON of a value with some of its parts replaced by others of the same kind."""
    value = json.loads(json.dumps(value))
    for _ in range(rng.integers(1, 5)):
        places = [place for place in places_in(value) if place]
        *path, key = places[rng.integers(len(places))]
        parent = value
        for step in path:
            parent = parent[step]
        choices = PLAUSIBLE.get(type(parent[key]), (parent[key],))
        parent[key] = deepcopy(choices[rng.integers(len(choices))])
    return value


def law_plausible(content, rng):
    return json.dumps(plausible(json.loads(content), rng)).encode()


def misspelt(text, rng):
    letters = list(text) or ["a"]
    for _ in range(rng.integers(1, 4)):
        letters[rng.integers(len(letters))] = rng.choice(list("()+-*/^?_,.019eEabc `\\\"'\n\x1b\u202esinlog"))
    return "".join(letters)


def law_values(content, rng):
    text = with_values_changed(json.loads(content), rng)
    return text.encode(("utf-8", "utf-8", "utf-16", "utf-8-sig")[rng.integers(4)], errors="surrogatepass")


# Damages of the arrays of a state, in a zip file without a fault.


def unpacked(content):
    with np.load(io.BytesIO(content)) as state:
        return {name: state[name] for name in state.files}


def packed(arrays, compress=False):
    buffer = io.BytesIO()
    (np.savez_compressed if compress else np.savez)(buffer, **arrays)
    return buffer.getvalue()


def state_head(content, rng):
    arrays = unpacked(content)
    head = json.loads(str(arrays["head"]))
    if rng.random() < 0.7:  # the parts that come after the identity was compared
        text = with_values_changed({"snapshot": head["snapshot"]}, rng)
        merged = re.sub(r"}$", ", " + json.dumps({**head, "snapshot": 0}).replace('"snapshot": 0', '"x": 0')[1:], text)
        text = merged.replace(', "x": 0', "")
    else:
        text = with_values_changed(head, rng)
    return packed({**arrays, "head": np.array(text.encode("utf-8", "replace").decode())})


def state_plausible(content, rng):
    arrays = unpacked(content)
    head = json.loads(str(arrays["head"]))
    text = json.dumps({**head, "snapshot": plausible(head["snapshot"], rng)})
    if rng.random() < 0.3:
        arrays = {}
    return packed({**arrays, "head": np.array(text)})


def state_sound_programs(content, rng):
    """Other programs in postfix order, some of which fill their buffers."""
    arrays = unpacked(content)
    codes, slots, constants = (arrays[f"path.program.{name}"].copy() for name in ("codes", "slots", "constants"))
    sizes, room = arrays["path.program.sizes"].copy(), codes.shape[1]
    for row in range(len(codes)):
        pairs = (0, 1, 5, (room - 1) // 2)[rng.integers(4)]
        leaves = rng.integers(2, size=pairs + 1)  # variables and constants
        binary = CODES[("add", "mul", "div", "pow")[rng.integers(4)]]
        program = [leaves[0], *(code for leaf in leaves[1:] for code in (leaf, binary))]
        program += [CODES[("sin", "exp", "sq")[rng.integers(3)]]] * (rng.integers(2) and room - len(program))
        is_constant = np.array(program) == CONSTANT
        codes[row, : len(program)] = program
        slots[row, : len(program)] = np.where(is_constant, np.cumsum(is_constant) - 1, 0)
        constants[row] = rng.normal(size=room) * 10.0 ** rng.integers(-300, 300)
        sizes[row] = len(program), is_constant.sum()
    made = {"codes": codes, "slots": slots, "constants": constants, "sizes": sizes}
    return packed({**arrays, **{f"path.program.{name}": array for name, array in made.items()}})


def chosen(arrays, rng):
    names = [name for name in arrays if name != "head"]
    return names[rng.integers(len(names))]


def state_numbers(content, rng):
    arrays = unpacked(content)
    for _ in range(rng.integers(1, 6)):
        name = chosen(arrays, rng)
        array = arrays[name].copy()
        if array.dtype.kind == "U":
            array[rng.integers(len(array))] = "x" * rng.integers(4)
        else:
            # The first places of each row are in use.
            place = tuple(min(int(rng.geometric(0.3)) - 1, length - 1) for length in array.shape)
            with np.errstate(all="ignore"):
                array[place] = np.array(NUMBERS[rng.integers(len(NUMBERS))]).astype(array.dtype)
        arrays[name] = array
    return packed(arrays)


def state_programs(content, rng):
    """Codes, slots, sizes and losses of programs drawn at random, as far as they are used."""
    arrays = unpacked(content)
    for name in ("path.program.codes", "path.program.slots", "path.bests.codes", "path.bests.slots"):
        if rng.random() < 0.5:
            array = arrays[name].copy()
            array[..., : rng.integers(1, 6)] = rng.integers(-2, 30, size=array[..., :1].shape)
            arrays[name] = array
    for name in ("path.program.sizes", "path.bests.sizes"):
        if rng.random() < 0.3:
            arrays[name] = rng.integers(-1, 14, size=arrays[name].shape)
    return packed(arrays)


def state_kinds(content, rng):
    arrays, kind = unpacked(content), KINDS[rng.integers(len(KINDS))]
    name = chosen(arrays, rng)
    try:
        with np.errstate(all="ignore"):
            arrays[name] = arrays[name].view(kind) if rng.random() < 0.5 else arrays[name].astype(kind)
    except (ValueError, TypeError):
        arrays[name] = np.zeros(3, kind)
    return packed(arrays)


def state_shapes(content, rng):
    arrays = unpacked(content)
    name = chosen(arrays, rng)
    array = arrays[name]
    changes = (
        lambda: array[..., :-1] if array.ndim else array[None], lambda: array[:1] if array.ndim else array,
        lambda: array.reshape(-1), lambda: array[None], lambda: array.T.copy(), lambda: np.asfortranarray(array),
        lambda: np.concatenate([array, array], axis=-1) if array.ndim else array,
        lambda: array[:0] if array.ndim else array,
    )  # fmt: skip
    arrays[name] = changes[rng.integers(len(changes))]()
    if rng.random() < 0.3:  # the same for all
        arrays = {name: value if name == "head" or not value.ndim else value[:1] for name, value in arrays.items()}
    return packed(arrays)


def state_names(content, rng):
    arrays = unpacked(content)
    one, two = chosen(arrays, rng), chosen(arrays, rng)
    match rng.integers(5):
        case 0:
            arrays[one], arrays[two] = arrays[two], arrays[one]
        case 1:
            del arrays[one]
        case 2:
            arrays[f"{one}.more"] = arrays[two]
        case 3:
            del arrays["head"]
        case 4:
            arrays = dict.fromkeys(arrays, arrays[one])
    return packed(arrays)


def state_headers(content, rng):
    """Headers of arrays that promise other bytes than follow."""
    name, members = chosen(unpacked(content), rng) + ".npy", members_of(content)
    member = members[name]
    match rng.integers(5):
        case 0:
            member = re.sub(rb"\([\d, ]*\)", lambda _: HEADERS[rng.integers(len(HEADERS))], member, count=1)
        case 1:
            member = re.sub(rb"'[<|]\w+'", lambda _: DESCRIPTIONS[rng.integers(len(DESCRIPTIONS))], member, count=1)
        case 2:
            member = member.replace(b"False", b"True ", 1)
        case 3:
            member = member[:6] + rng.bytes(4) + member[10:]
        case 4:
            member = member[: rng.integers(len(member))]
    return zipped({**members, name: member})


def members_of(content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(members, method=zipfile.ZIP_STORED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, member in members.items():
            archive.writestr(name, member)
    return buffer.getvalue()


def state_zip(content, rng):
    """Zip files that are compressed, say other sizes, flags and methods, or hold a name twice."""
    members = members_of(content)
    match rng.integers(7):
        case 0:
            return zipped(members, (zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)[rng.integers(3)])
        case 1:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                buffer = io.BytesIO(content)
                with zipfile.ZipFile(buffer, "a") as archive:
                    archive.writestr("head.npy", members["head.npy"])
            return buffer.getvalue()
        case 2:
            return zipped({**members, **{f"more{number}.npy": b"" for number in range(200)}})
        case 3:
            return zipped(
                {name.replace(".npy", ("", ".txt", "/")[rng.integers(3)]): one for name, one in members.items()}
            )
    # A field of an entry of the directory: flags, method, sizes, names' lengths, the place of its data.
    entries = [found.start() for found in re.finditer(rb"PK\x01\x02", content)]
    field = entries[rng.integers(len(entries))] + (8, 10, 20, 24, 28, 30, 32, 42)[rng.integers(8)]
    value = struct.pack("<H", (0, 1, 8, 12, 14, 99, 2**16 - 1)[rng.integers(7)])
    return content[:field] + value + content[field + 2 :]


def bomb(content, rng):
    """An array of a hundred million zeros in a few bytes."""
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (12500000,), }".ljust(117) + b"\n"
    member = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + bytes(100_000_000)
    return zipped({**members_of(content), chosen(unpacked(content), rng) + ".npy": member}, zipfile.ZIP_DEFLATED)


def pickled(content, rng):
    return packed({**unpacked(content), ("head", "path.seen")[rng.integers(2)]: np.array([{"a": 1}], dtype=object)})


STATE_DAMAGES = (
    flipped, cut_short, moved, other_bytes, state_head, state_head, state_plausible, state_plausible, state_plausible,
    state_sound_programs, state_sound_programs, state_numbers, state_numbers, state_numbers, state_programs,
    state_programs, state_kinds, state_shapes, state_names, state_headers, state_headers, state_zip, state_zip, pickled,
)  # fmt: skip
LAW_DAMAGES = (flipped, cut_short, moved, other_bytes, *[law_values] * 6, *[law_plausible] * 2)
BOMB_EVERY = 1000
