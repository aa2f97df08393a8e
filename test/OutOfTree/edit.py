"""Replaces silu by squared_relu of swap_halves: edit.py extra|train FILE.

`extra` writes the operations of the dialect extra, `train` the same functions
in operations of the train dialect.
"""
import re
import sys


def extra(match):
    result, source, shape = match.groups()
    return f"%swapped = extra.swap_halves {source} : tensor<{shape}xf32>\n{result} = extra.squared_relu %swapped : tensor<{shape}xf32>"


def train(match):
    result, source, shape = match.groups()
    *rows, columns = shape.split("x")
    half = "x".join(rows + [str(int(columns) // 2)])
    pair = "x".join(rows + ["2", str(int(columns) // 2)])
    return "\n".join([
        f"%pair = train.reshape {source} : tensor<{shape}xf32> -> tensor<{pair}xf32>",
        f"%half:2 = train.unstack %pair dim {len(rows)} : tensor<{pair}xf32>",
        f"%other = train.stack %half#1, %half#0 dim {len(rows)} : tensor<{half}xf32>, tensor<{half}xf32>",
        f"%swapped = train.reshape %other : tensor<{pair}xf32> -> tensor<{shape}xf32>",
        f"%positive = train.relu %swapped : tensor<{shape}xf32>",
        f"{result} = train.mul %positive, %positive : tensor<{shape}xf32>"])


with open(sys.argv[2]) as file:
    text = file.read()
new, count = re.subn(r"(%\S+) = train\.silu (%\S+) : tensor<([\dx]+)xf32>", {"extra": extra, "train": train}[sys.argv[1]], text)
if count != 1:
    sys.exit(f"edit.py: found {count} silu, expected 1")
print(new, end="")
