"""Runs the hand-written program as a user would: exit codes, messages, data,
evaluation, checkpoints, traces. Usage: program_test.py PROGRAM"""
import json
import os
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = sys.argv.pop()
TOKENS, VOCABULARY, SEQUENCE, BATCH, STEPS = 6000, 512, 64, 8, 20


def run(*args, **env):
    variables = dict(os.environ, OMP_NUM_THREADS="1", **env)
    done = subprocess.run([PROGRAM, *map(str, args)], env=variables,
                          capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


class Program(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.tokens = [(i * i + i // 7) % 251 for i in range(TOKENS)]
        self.data = self.write("train.bin", self.tokens)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, tokens):
        with open(self.path(name), "wb") as file:
            file.write(struct.pack(f"<{len(tokens)}H", *tokens))
        return self.path(name)

    def train(self, *args, **env):
        metrics = self.path(f"{time.monotonic_ns()}.jsonl")
        code, out, err = run("--data", self.data, "--metrics", metrics, *args,
                             **env)
        self.assertEqual(code, 0, err)
        with open(metrics) as file:
            return [json.loads(line) for line in file]

    def refused(self, expected, *args, words=(), **env):
        code, out, err = run(*args, **env)
        self.assertEqual(code, expected, err)
        for word in words:
            self.assertIn(word, err)

    def test_losses_fall(self):
        steps = self.train()
        self.assertEqual([m["step"] for m in steps], list(range(1, STEPS + 1)))
        self.assertLess(steps[-1]["loss"], steps[0]["loss"])
        self.assertEqual(steps[-1]["tokens"], STEPS * BATCH * SEQUENCE)

    def test_threads_and_seeds(self):
        losses = [[m["loss"] for m in self.train("--seed", seed, **env)]
                  for seed, env in ((1, {}), (1, {}), (2, {}))]
        self.assertEqual(losses[0], losses[1])
        self.assertNotEqual(losses[0], losses[2])
        os.environ["OMP_NUM_THREADS"] = "3"
        metrics = self.path("threads.jsonl")
        done = subprocess.run([PROGRAM, "--data", self.data, "--metrics",
                               metrics], capture_output=True)
        self.assertEqual(done.returncode, 0)
        with open(metrics) as file:
            self.assertEqual([json.loads(x)["loss"] for x in file], losses[0])

    def test_first_line_tells_the_initialisation(self):
        code, out, err = run("--data", self.data, "--steps", 1)
        self.assertIn("random", out.splitlines()[0])

    def test_resume_gives_the_same_bits(self):
        def key(steps):
            return [(m["step"], m["loss"], m["grad_norm"], m["lr"])
                    for m in steps]
        whole, save = self.train(), self.path("ck")
        first = self.train("--steps", 9, "--save", save)
        second = self.train("--resume", save)
        self.assertEqual(key(first) + key(second), key(whole))
        third = self.train("--resume", "auto", "--save", save, "--steps", 12)
        self.assertEqual(key(third), key(whole)[9:12])
        self.assertEqual(sorted(os.listdir(save)),
                         ["step-00000009", "step-00000012"])

    def test_evaluation(self):
        size = BATCH * SEQUENCE
        files = [self.write(f"b{k}.bin",
                            self.tokens[k * size:(k + 1) * size + 1])
                 for k in (3, 5)]
        plain = [m["loss"] for m in self.train("--steps", 7)]
        got = self.train("--steps", 7, "--eval-data", files[0],
                         f"five={files[1]}", "--eval-every", 3)
        self.assertEqual([m["loss"] for m in got if "loss" in m], plain)
        seen = {m["step"]: m for m in got if "eval_loss" in m}
        self.assertEqual(sorted(seen), [0, 3, 6, 7])
        self.assertEqual(sorted(seen[0]), ["eval_loss", "eval_loss/five",
                                           "step"])
        self.assertAlmostEqual(seen[3]["eval_loss"], plain[3], places=6)

    def test_no_target_leaves_the_parameters(self):
        with open(self.path("train.mask.bin"), "wb") as file:
            file.write(bytes(TOKENS))
        self.assertEqual([m["loss"] for m in self.train("--steps", 2)], [0, 0])

    def test_wrong_data(self):
        def case(tokens, *words, cut=0):
            path = self.write("bad.bin", tokens)
            os.truncate(path, os.path.getsize(path) - cut)
            self.refused(1, "--data", path, words=("bad.bin", *words))
        case([])
        case(self.tokens[:50], "65")
        case(self.tokens, "token 5999", cut=1)
        case([*self.tokens[:1000], 65535, *self.tokens[1000:]], "65535", "1000")

    def test_wrong_command_lines(self):
        self.refused(2, words=("--data", "--help"))
        self.refused(2, "--data", self.data, "--no-such-flag",
                     words=("--no-such-flag",))
        self.refused(2, "--data", self.data, "--resume", "auto")
        for flag in ("--tensorboard", "--timeout", "--shuffle-seed"):
            self.refused(4, "--data", self.data, flag, "1", words=(flag,))
            self.assertNotIn(flag, run("--help")[1])

    def test_wrong_settings(self):
        def case(change, *words):
            self.refused(1, "--data", self.data, "--set", change, words=words)
        case("sequence_length=128", "sequence_length", "64", "128",
             "trireme compile")
        case("optimizer.larning_rate=1", "optimizer")
        self.assertEqual(
            self.train("--steps", 6, "--set", "optimizer.lr=0.0005")[5]["lr"],
            0.0005)

    def test_wrong_weights(self):
        for name, raw in (("cut", b"\x10\0\0\0\0\0\0\0{}"),
                          ("text", b"hello world, this is text")):
            path = self.path(name + ".safetensors")
            with open(path, "wb") as file:
                file.write(raw)
            self.refused(1, "--data", self.data, "--init", path,
                         words=(name + ".safetensors",))

    def test_more_ranks_than_one(self):
        for name in ("OMPI_COMM_WORLD_SIZE", "WORLD_SIZE", "SLURM_NTASKS"):
            self.refused(1, "--data", self.data, words=("1 rank", "4"),
                         **{name: "4"})

    def test_loss_that_is_not_finite(self):
        args = ("--data", self.data, "--set", "optimizer.lr=1e38", "--set",
                "clip_grad_norm=0", "--metrics", self.path("m.jsonl"))
        self.refused(3, *args, words=("step 2", "rank 0", "head.weight"))
        with open(self.path("m.jsonl")) as file:
            self.assertIsNone(json.loads(file.readlines()[-1])["loss"])
        self.assertEqual(run(*args, "--on-nonfinite", "ignore")[0], 0)
        skipped = self.train(*args[2:-2], "--on-nonfinite", "skip")
        self.assertEqual([m["skipped"] for m in skipped],
                         [False] + [True] * (STEPS - 1))
        self.assertIsNone(skipped[-1]["grad_norm"])

    def test_describe(self):
        code, out, err = run("--describe")
        self.assertEqual(code, 0)
        self.assertEqual(json.loads(out)["model"]["name"], "bigram")

    def test_trace(self):
        trace = self.path("t.json")
        self.train("--steps", 3, "--trace", trace, "--trace-steps", "2:2")
        with open(trace) as file:
            events = json.load(file)["traceEvents"]
        self.assertEqual(sum(e["name"] == "gemm" for e in events), 6)
        self.assertTrue(any(e["name"] == "cross_entropy" for e in events))

    def test_signal_ends_at_a_step(self):
        save = self.path("ck")
        program = subprocess.Popen(
            [PROGRAM, "--data", self.data, "--steps", "100000000", "--save",
             save], stdout=subprocess.PIPE, text=True)
        for line in program.stdout:
            if line.split()[:2] == ["step", "3/100000000"]:
                break
        program.send_signal(signal.SIGTERM)
        program.communicate()
        self.assertEqual(program.wait(), 0)
        self.assertEqual(len(os.listdir(save)), 1)

    def test_one_openmp_library(self):
        libraries = subprocess.run(["ldd", PROGRAM], capture_output=True,
                                   text=True).stdout
        self.assertIn("libgomp", libraries)
        self.assertNotIn("libomp", libraries)


if __name__ == "__main__":
    unittest.main()
