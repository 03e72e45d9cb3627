"""The executable that is installed: with Swift's runtime inside, as a release has it."""

import json
import os
import pathlib
import subprocess

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
EXECUTABLES = pathlib.Path(os.environ.get("LATCHKEY_EXECUTABLES", ROOT / ".build/debug")).resolve()
# What static libraries of Foundation need, and a build against the shared ones does not name.
STATIC = ["-static-stdlib", "-use-ld=lld", "-l_FoundationCollections", "-l_FoundationCShims"]


def standalone(folder):
    """The folder of an executable that needs no library of the toolchain. That of a build for tests is linked again, without
    the symbols for a debugger: it would take minutes to pack them."""
    needs = subprocess.run(["ldd", EXECUTABLES / "latchkey"], check=True, capture_output=True, text=True).stdout
    if "libswiftCore.so" not in needs:
        return EXECUTABLES
    output = folder / "latchkey"
    arguments = json.loads(link_command())
    arguments[arguments.index("-o") + 1] = str(output)
    linker = [word for option in ["--build-id", "--strip-debug"] for word in ("-Xlinker", option)]
    subprocess.run([*arguments, *STATIC, *linker], check=True, cwd=ROOT)
    return folder


def link_command():
    """The arguments with which the package manager has linked `latchkey`, as JSON. Its plan is above the folder of the
    platform, and has a line for each command."""
    plan = EXECUTABLES.parent.parent / f"{EXECUTABLES.name}.yaml"
    target = json.dumps(str(EXECUTABLES / "latchkey"))
    for line in plan.read_text().splitlines():
        if line.lstrip().startswith("args: ") and f'"-o",{target},' in line and '"-emit-executable"' in line:
            return line.split("args: ", 1)[1]
    raise AssertionError(f"{plan} does not say how {target} is linked")
