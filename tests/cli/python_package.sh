#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cores: 2
# tools/install-deps --package builds the modules that it installs, and .venv of `make demo` has what the demo imports; where
# the module by which Python writes is missing, one sentence says what to do.
set -eu
cd "$TMPDIR"

fail() {
  echo "python_package: $1" >&2
  exit 1
}

# A tree of which nothing is built yet but the configuration, with a pip that tells what it finds.
mkdir -p tree/{tools,bindings/python,.venv/bin}
cp "$WEIR_SOURCE_DIR/tools/install-deps" tree/tools/
cp "$WEIR_SOURCE_DIR"/requirements*.txt "$WEIR_SOURCE_DIR/pyproject.toml" tree/
printf '#!/bin/sh\nls build/lib\n' >tree/.venv/bin/pip
chmod +x tree/.venv/bin/pip
tree/tools/install-deps --package >said 2>&1 && fail "without build/ it says: $(cat said)"
grep -q 'no build/ to make the Python package from: make build' said || fail "without build/ it says: $(cat said)"
cat >tree/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(tree LANGUAGES NONE)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
add_custom_target(python_package COMMAND ${CMAKE_COMMAND} -E touch ${CMAKE_BINARY_DIR}/lib/_output.some.so)
CMAKE
cmake -S tree -B tree/build >log 2>&1 || fail "$(cat log)"
tree/tools/install-deps --package >said 2>&1 || fail "it ends with $(cat said)"
grep -q '_output.some.so' said || fail "what is installed was not built before: $(cat said)"

# The target has the module, where this build has it.
if compgen -G "$WEIR_BUILD_DIR/lib/_output.*.so" >/dev/null && [[ -e $WEIR_BUILD_DIR/build.ninja ]]; then
  ninja -C "$WEIR_BUILD_DIR" -t inputs python_package | grep -q 'bindings/python/output/module.cpp' || fail "python_package builds no module _output"
fi

# The lists: the demo's has all that the demo's programs and the package import.
python3 - "$WEIR_SOURCE_DIR" <<'END' || fail "requirements-demo.txt lacks something"
import ast
import re
import sys
import tomllib
from pathlib import Path

tree = Path(sys.argv[1])
listed = {re.split("[><=]", line)[0].lower() for line in (tree / "requirements-demo.txt").read_text().splitlines() if line[0] != "#"}
project = tomllib.loads((tree / "pyproject.toml").read_text())
wanted = {re.split("[><=]", word)[0].lower() for word in [*project["project"]["dependencies"], *project["build-system"]["requires"]]}
for path in [*(tree / "examples/ocean").glob("*.py"), *(tree / "examples/python").glob("*.py"), *(tree / "examples/demo").glob("*.py")]:
    for node in ast.walk(ast.parse(path.read_text())):
        names = [each.name for each in node.names] if isinstance(node, ast.Import) else [node.module] if isinstance(node, ast.ImportFrom) else []
        wanted |= {name.split(".")[0].lower() for name in names} - {name.lower() for name in sys.stdlib_module_names}
missing = wanted - {"weir"} - {name.replace("_", "-") for name in listed}
print("missing:", missing) if missing else None
sys.exit(bool(missing))
END

# The package without its module.
mkdir there
cp -r "$WEIR_SOURCE_DIR/python/weir" there/weir
rm -f there/weir/_output.*.so
for name in Dataset Variable Weir to_netcdf; do
  PYTHONPATH=$PWD/there /usr/bin/python3 -c "import weir; weir.$name" >said 2>&1 && fail "weir.$name is there without the module"
  grep -q "^ImportError: Python's weir cannot write.*run make build and tools/install-deps --package" said ||
    fail "weir.$name says: $(tail -n 1 said)"
done
