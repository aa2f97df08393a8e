#!/usr/bin/env python3
"""No allocation in a step: runs of different length allocate equally often."""
import os

from common import DATA, GOLDEN, check, compile_model, finish, path, run

COUNTER = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
static atomic_long calls;
#define COUNTED(type, name, parameters, arguments)                      \
  type name parameters {                                                \
    static type(*real) parameters;                                      \
    if (!real) real = (type(*) parameters)dlsym(RTLD_NEXT, #name);      \
    atomic_fetch_add(&calls, 1);                                        \
    return real arguments;                                              \
  }
COUNTED(void *, malloc, (size_t n), (n))
COUNTED(void *, realloc, (void *p, size_t n), (p, n))
COUNTED(void *, aligned_alloc, (size_t a, size_t n), (a, n))
COUNTED(int, posix_memalign, (void **p, size_t a, size_t n), (p, a, n))
COUNTED(void *, mmap, (void *p, size_t n, int a, int b, int c, long d), (p, n, a, b, c, d))
__attribute__((destructor)) static void report(void) {
  FILE *file = fopen(getenv("ALLOCATIONS"), "w");
  fprintf(file, "%ld\n", (long)calls);
  fclose(file);
}
"""


def main():
    source, library = path("counter.c"), path("counter.so")
    with open(source, "w") as file:
        file.write(COUNTER)
    run("clang-22", "-shared", "-fPIC", "-O1", source, "-o", library)
    for model, flags in (("llama-tiny", []), ("gpt2-tiny", ["--metrics", path("m.jsonl")])):
        program = compile_model(model, f"{model}.program", "--micro-batch-size", 2, steps=40)
        for threads in ("1", "2"):
            counts = []
            for steps in (10, 40):
                out = path("count")
                run(program, "--data", DATA, "--init", os.path.join(GOLDEN, model), "--steps", steps, "--log-every", 1000, *flags,
                    env={"LD_PRELOAD": library, "ALLOCATIONS": out, "OMP_NUM_THREADS": threads})
                with open(out) as file:
                    counts.append(int(file.read()))
            check(f"{model}, {threads} thread(s): 30 further steps allocate nothing", counts[0] == counts[1] and counts[0] > 0, counts)
    finish()


main()
