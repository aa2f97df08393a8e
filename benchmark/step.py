#!/usr/bin/env python3
"""Times whole training steps and says where the time goes and what the limit is.

usage: step.py [--model llama-60m|gpt2-124m ...] [--threads N] [--steps N] [--build DIR] [--json FILE]

Batch 4 x 256, fp32, random tokens and weights. Needs the target gemm-benchmark:
    ninja -C build gemm-benchmark

The limit of a step: its matrix products alone, each as one oneDNN primitive on all threads (or as the runtime blocks it, where that is faster), plus the
bytes that its generated kernels must move over the bandwidth of a triad. Attention, rotary embedding, lookups and copies count as nothing.
Elapsed times on a machine with other work mean nothing; "busy" is the share of the machine that others used. With --threads 1 everything is measured in
user processor time instead, which other work changes little.
"""
import argparse
import collections
import json
import os
import statistics
import struct
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BATCH, SEQUENCE, WARM_UP = 4, 256, 2
CONFIGS = {
    "llama-60m": {"model_type": "llama", "hidden_size": 512, "intermediate_size": 1408, "num_hidden_layers": 8, "num_attention_heads": 8,
                  "num_key_value_heads": 4, "vocab_size": 32000, "max_position_embeddings": 1024, "rms_norm_eps": 1e-5, "rope_theta": 10000.0,
                  "hidden_act": "silu", "tie_word_embeddings": False},
    "gpt2-124m": {"model_type": "gpt2", "n_embd": 768, "n_layer": 12, "n_head": 12, "n_positions": 1024, "vocab_size": 50257,
                  "activation_function": "gelu_new", "layer_norm_epsilon": 1e-5, "tie_word_embeddings": True},
}


def busy_seconds():
    """Processor seconds that all processes of the machine have used."""
    with open("/proc/stat") as file:
        fields = [int(x) for x in file.readline().split()[1:9]]
    return (sum(fields) - fields[3] - fields[4]) / os.sysconf("SC_CLK_TCK")


def write_inputs(folder, config):
    """The model's folder, the recipe and a token file."""
    model = os.path.join(folder, "model")
    os.makedirs(model)
    with open(os.path.join(model, "config.json"), "w") as file:
        json.dump(config, file)
    recipe = {"global_batch_size": BATCH, "sequence_length": SEQUENCE, "steps": 1000, "clip_grad_norm": 0.0, "optimizer": {"name": "adamw", "lr": 1e-4}}
    with open(os.path.join(folder, "recipe.json"), "w") as file:
        json.dump(recipe, file)
    state, tokens = 1, []
    for _ in range(50 * BATCH * SEQUENCE + 1):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2 ** 64
        tokens.append((state >> 33) % config["vocab_size"])
    with open(os.path.join(folder, "tokens.bin"), "wb") as file:
        file.write(struct.pack(f"<{len(tokens)}H", *tokens))


def run_program(folder, steps, environment):
    """Seconds of each timed step, the trace's events of these steps, user seconds of the run, and the share of the machine that others used."""
    command = [os.path.join(folder, "program"), "--data", os.path.join(folder, "tokens.bin"), "--init", "random", "--steps", str(WARM_UP + steps),
               "--metrics", os.path.join(folder, "metrics.jsonl"), "--trace", os.path.join(folder, "trace.json"), "--trace-steps", f"{WARM_UP + 1}:"]
    begin, busy, own = time.monotonic(), busy_seconds(), os.times()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
    after = os.times()
    user = after.children_user - own.children_user
    own = user + after.children_system - own.children_system
    others = max(0.0, busy_seconds() - busy - own) / ((time.monotonic() - begin) * os.cpu_count())
    with open(os.path.join(folder, "metrics.jsonl")) as file:
        times = [json.loads(line)["step_seconds"] for line in file][WARM_UP:]
    with open(os.path.join(folder, "trace.json")) as file:
        events = [e for e in json.load(file)["traceEvents"] if e.get("ph") == "X"]
    return times, events, user, others


def by_part(events, steps):
    """Milliseconds and calls a step of each kind of work: {(part, name): [ms, calls]}."""
    parts = collections.defaultdict(lambda: [0.0, 0.0])
    for event in events:
        name, part = event["name"], event["cat"]
        if part == "gemm":
            shape = event["args"]
            name = f"{shape['m']} x {shape['n']} x {shape['k']} (#{shape['gemm']})"
        elif part == "kernel" and name.startswith("adamw"):
            part, name = "optimizer", "adamw"
        entry = parts[part, name]
        entry[0] += event["dur"] / 1e3 / steps
        entry[1] += 1 / steps
    return parts


def ask_gemm_benchmark(build, environment, text):
    """GB/s of a triad, and seconds of oneDNN and of the runtime for each product of the text."""
    out = subprocess.run([os.path.join(build, "bin", "gemm-benchmark"), "--list"], input=text, capture_output=True, text=True, check=True, env=environment).stdout
    lines = [line.split() for line in out.splitlines()]
    return float(lines[0][1]), [(float(a), float(b)) for a, b in lines[1:]]


def find_limit(manifest, events, steps, build, environment):
    """Seconds of the products alone and of the kernels' bytes, and the bandwidth."""
    calls = collections.Counter(e["args"]["gemm"] for e in events if e["cat"] == "gemm")
    text = "".join(f"{g['m']} {g['n']} {g['k']} {int(g['lhs_transposed'])} {int(g['rhs_transposed'])} {int(g['accumulate'])}\n" for g in manifest["gemms"])
    bandwidth, times = ask_gemm_benchmark(build, environment, text)
    products = sum(min(times[index]) * count / steps for index, count in calls.items())
    needed = {kernel["name"]: kernel["bytes"] for kernel in manifest["kernels"]}
    moved = sum(needed[e["name"]] for e in events if e["cat"] == "kernel") / steps
    return products, moved / (bandwidth * 1e9), bandwidth


def measure(name, arguments):
    build = os.path.abspath(arguments.build)
    environment = {**os.environ, "OMP_NUM_THREADS": str(arguments.threads)}
    with tempfile.TemporaryDirectory(prefix="trireme-benchmark-") as folder:
        write_inputs(folder, CONFIGS[name])
        program = os.path.join(folder, "program")
        compiled = time.monotonic()
        subprocess.run([os.path.join(build, "bin", "trireme"), "compile", os.path.join(folder, "model"), "--recipe", os.path.join(folder, "recipe.json"),
                        "--micro-batch-size", str(BATCH), "-o", program], check=True)
        compiled = time.monotonic() - compiled
        manifest = read_manifest(program)
        times, events, user, others = run_program(folder, arguments.steps, environment)
        if arguments.threads == 1:
            times = [(user - run_program(folder, 0, environment)[2]) / arguments.steps]
    products, traffic, bandwidth = find_limit(manifest, events, arguments.steps, build, environment)
    parts = by_part(events, arguments.steps)
    result = {"model": name, "threads": arguments.threads, "steps": arguments.steps, "compile_seconds": compiled, "min_seconds": min(times),
              "median_seconds": statistics.median(times), "tokens_per_second": BATCH * SEQUENCE / min(times), "gemm_limit_seconds": products,
              "traffic_limit_seconds": traffic, "bandwidth_gb_per_second": bandwidth, "limit_ratio": min(times) / (products + traffic), "busy": others,
              "parts": {f"{part}: {label}": {"milliseconds": ms, "calls": calls} for (part, label), (ms, calls) in parts.items()}}
    show(result, parts)
    return result


def read_manifest(program):
    """The manifest stands in the program as one JSON object."""
    with open(program, "rb") as file:
        raw = file.read()
    found = raw.index(b'{"abi":')
    return json.JSONDecoder().raw_decode(raw[found:raw.index(b"\0", found)].decode(errors="ignore"))[0]


def show(result, parts):
    print(f"{result['model']}, {result['threads']} thread(s): {'user time' if result['threads'] == 1 else 'min'} {result['min_seconds']:.3f} s, median "
          f"{result['median_seconds']:.3f} s, {result['tokens_per_second']:.0f} tokens/s at the minimum; compiled in {result['compile_seconds']:.2f} s; others used "
          f"{100 * result['busy']:.0f} % of the machine")
    limit = result["gemm_limit_seconds"] + result["traffic_limit_seconds"]
    print(f"limit {limit:.3f} s (products {result['gemm_limit_seconds']:.3f}, kernels' bytes {result['traffic_limit_seconds']:.3f} at "
          f"{result['bandwidth_gb_per_second']:.1f} GB/s): step / limit {result['limit_ratio']:.2f}")
    totals = collections.Counter()
    for (part, _), (ms, _) in parts.items():
        totals[part] += ms
    mean = sum(totals.values())
    print("mean milliseconds a step: " + ", ".join(f"{part} {ms:.1f} ({100 * ms / mean:.0f} %)" for part, ms in totals.most_common()))
    for (part, label), (ms, calls) in sorted(parts.items(), key=lambda item: -item[1][0])[:25]:
        print(f"  {ms:9.2f} ms {calls:6.0f} x  {part:10} {label}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", action="append", choices=CONFIGS)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--json", help="also write the results here")
    arguments = parser.parse_args()
    results = [measure(name, arguments) for name in arguments.model or CONFIGS]
    torch_step = os.path.join(ROOT, "benchmark", "torch_step.py")
    for result in results:
        peer = subprocess.run([sys.executable, torch_step, "--model", result["model"], "--threads", str(arguments.threads), "--steps", str(arguments.steps)],
                              capture_output=True, text=True)
        if peer.returncode:
            print(f"no PyTorch in this Python; to compare, with one that has it: python benchmark/torch_step.py --model {result['model']}")
            continue
        result["torch"] = json.loads(peer.stdout)
        print(f"{result['model']}: eager PyTorch {result['torch']['version']} min {result['torch']['min_seconds']:.3f} s; ours / its "
              f"{result['min_seconds'] / result['torch']['min_seconds']:.2f}")
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump(results, file, indent=1)


main()
