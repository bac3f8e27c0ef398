#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cores: 2
# tools/install-deps --package builds the modules that it installs, and .venv of `make demo` has what the demo imports; what a
# build does not want is installed while it runs; where the module by which Python writes is missing, one sentence says what to do.
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
printf '#!/bin/sh\necho "$*" >>pips; ls build/lib 2>/dev/null || true\n' >tree/.venv/bin/pip
printf '#!/bin/sh\n' >tree/.venv/bin/python
chmod +x tree/.venv/bin/{pip,python}
cat tree/requirements{-demo,}.txt >tree/.venv/weir-installed
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

# The target has the modules, where this build has them.
if [[ -e $WEIR_BUILD_DIR/build.ninja ]]; then
  ninja -C "$WEIR_BUILD_DIR" -t inputs python_package >inputs
  for module in _output:output/module _simulate:module; do
    ! compgen -G "$WEIR_BUILD_DIR/lib/${module%:*}.*.so" >/dev/null || grep -q "bindings/python/${module#*:}.cpp" inputs ||
      fail "python_package builds no module ${module%:*}"
  done
fi

# Where a demo was and a test is to be: first what the configuration looks for, the rest while the command runs, whose code is kept.
mkdir bin
printf '#!/bin/sh\nprintf installed\n' >bin/dpkg-query
chmod +x bin/dpkg-query
cp tree/requirements-demo.txt tree/.venv/weir-installed
rm tree/pips
look='for ((look = 0; look < 600; ++look)); do ! grep -q -e "-r requirements.txt" pips || exit 3; sleep 0.1; done'
code=0
(cd tree && PATH=$TMPDIR/bin:$PATH tools/install-deps --tests --while "$look") >said 2>&1 || code=$?
((code == 3)) || fail "--while ends with $code, not 3: $(cat said tree/pips)"
[[ $(head -n 1 tree/pips) == *' nanobind'* && $(wc -l <tree/pips) == 2 ]] || fail "into .venv goes: $(cat tree/pips)"
cat "$WEIR_SOURCE_DIR"/requirements{-demo,}.txt | cmp - tree/.venv/weir-installed || fail '.venv is not said to be whole'
(cd tree && PATH=$TMPDIR/bin:$PATH tools/install-deps --demo) && [[ $(wc -l <tree/pips) == 2 ]] || fail 'what is whole is installed again'

# The lists: the demo's has all that the demo's programs and the package import; the whole one what the package is built by, too.
python3 - "$WEIR_SOURCE_DIR" <<'END' || fail "a list of requirements lacks something"
import ast
import re
import sys
import tomllib
from pathlib import Path

tree = Path(sys.argv[1])
project = tomllib.loads((tree / "pyproject.toml").read_text())


def names(words):
    return {re.split("[><=]", word)[0].lower() for word in words if word[0] not in "#-"}


def imported(*folders):
    found = set()
    for path in [path for folder in folders for path in (tree / "examples" / folder).glob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text())):
            modules = [each.name for each in node.names] if isinstance(node, ast.Import) else [node.module] if isinstance(node, ast.ImportFrom) else []
            found |= {name.split(".")[0].lower() for name in modules} - {name.lower() for name in sys.stdlib_module_names}
    return found - {"weir"}


demo = names((tree / "requirements-demo.txt").read_text().splitlines())
whole = demo | names((tree / "requirements.txt").read_text().splitlines())
missing = (names(project["project"]["dependencies"]) | imported("ocean", "demo")) - demo
missing |= (names(project["build-system"]["requires"]) | imported("python")) - whole
print("missing:", missing) if missing else None
sys.exit(bool(missing))
END

# The package without its module.
mkdir there
cp -r "$WEIR_SOURCE_DIR/python/weir" there/weir
rm -f there/weir/_output.*.so
(cd there && PYTHONPATH=. "$WEIR_SOURCE_DIR/.venv/bin/python" -S -c '
import sys
sys.path.append(sys.argv[1])
import weir.cli
assert "/there/weir/" in weir.__file__, f"{weir.__file__} is loaded"
assert "mpi4py" not in sys.modules, "MPI is loaded"
' "$(echo "$WEIR_SOURCE_DIR"/.venv/lib/python3*/site-packages)") >said 2>&1 || fail "the command wants the module: $(tail -n 1 said)"
for name in Dataset Variable Weir Streams; do
  PYTHONPATH=$PWD/there /usr/bin/python3 -c "import weir; weir.$name" >said 2>&1 && fail "weir.$name is there without the module"
  grep -q "^ImportError: Python's weir cannot write.*run make build and tools/install-deps --package" said ||
    fail "weir.$name says: $(tail -n 1 said)"
done
