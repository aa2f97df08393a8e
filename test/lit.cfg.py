# How lit runs Trireme's tests: RUN lines of .mlir and .test files.
import os

import lit.formats

config.name = "Trireme"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Unit", "Runtime", "Fuzz", "Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.trireme_binary_dir, "test")

config.environment["PATH"] = os.pathsep.join(
    [os.path.join(config.trireme_binary_dir, "bin"), config.llvm_tools_dir, config.environment["PATH"]])
config.environment["FILECHECK_OPTS"] = "--enable-var-scope"
# Programs that tests run: the machine's cores are lit's.
config.environment["OMP_NUM_THREADS"] = "1"
config.environment["TRIREME_CACHE_DIR"] = os.path.join(config.test_exec_root, "cache")

config.substitutions.append(("%python", config.python))
config.substitutions.append(("%golden", os.path.join(config.test_source_root, "EndToEnd", "Inputs", "golden")))
config.substitutions.append(("%scripts", os.path.join(os.path.dirname(config.test_source_root), "scripts")))
config.substitutions.append(("%libdir", os.path.join(config.trireme_binary_dir, "lib")))
config.substitutions.append(("%bin", os.path.join(config.trireme_binary_dir, "bin")))

# --param roundtrip=1: every input is printed, also as bytecode, and read again.
if lit_config.params.get("roundtrip"):
    config.substitutions.append((r"(?<![/\w])trireme-opt(?= )", "trireme-opt --verify-roundtrip"))
