#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 300
# cores: 2
# `make demo` and `make build` on a machine that lacks something: one sentence says what, and what to do. It is all that is
# printed, beside what make says of itself. The programs of the system are stand-ins here; research/tests/test_empty_debian.py
# tries the system itself.
set -eu
tree="$TMPDIR/a tree"
bin=$TMPDIR/bin
mkdir -p "$tree"/{tools,examples/demo,build} "$bin"
cp "$WEIR_SOURCE_DIR"/{Makefile,requirements.txt,requirements-demo.txt} "$tree"
cp "$WEIR_SOURCE_DIR/tools/install-deps" "$tree/tools"
cp "$WEIR_SOURCE_DIR/examples/demo/compile" "$tree/examples/demo"
cd "$tree"
as=(env)

fail() {
  echo "bare_machine: $1" >&2
  exit 1
}

# stand_in NAME LINE...: a program of the system.
stand_in() {
  printf '%s\n' '#!/bin/bash' "${@:2}" >"$bin/$1"
  chmod +x "$bin/$1"
}

# says TARGET WORD...: make TARGET fails, and the sentence has these words.
says() {
  local target=$1 word said code=0
  shift
  PATH=$bin:$PATH "${as[@]}" make --no-print-directory "$target" >printed 2>errors </dev/null || code=$?
  ((code)) || fail "make $target ends well, without: $*"
  said=$(grep -vE '^make(\[[0-9]+\])?: \*\*\* ' errors) || fail "no sentence, but: $(<printed)"
  [[ $said != *$'\n'* ]] || fail "more than a sentence: $said"
  ! grep -qE '^(W|E|WARNING|ERROR):' printed || fail "beside the sentence: $(<printed)"
  for word in "$@"; do
    [[ $said == *"$word"* ]] || fail "not '$word' but: $said"
  done
}

# Of the packages one is not there, and root installs.
echo gfortran >lacking
stand_in dpkg-query 'grep -qx "${@: -1}" lacking || printf installed'
stand_in sudo '[[ $1 != -n ]] || shift' 'exec "$@"'
# Without a network apt warns of its lists, and then knows no package.
stand_in apt-get 'if [[ $1 == update ]]; then' \
  "  echo \"W: Failed to fetch http://deb.debian.org/x  Temporary failure resolving 'deb.debian.org'\" >&2" \
  'else' '  echo "E: Unable to locate package gfortran" >&2' '  exit 100' 'fi'
says demo "Debian's packages were not installed (Failed to fetch http://deb.debian.org/x Temporary failure resolving" \
  ": mend that, or install them otherwise: gfortran"
says build "Debian's packages were not installed (Failed to fetch"
stand_in apt-get '[[ $1 == update ]] || { echo "E: Unable to locate package gfortran" >&2; exit 100; }'
says demo "(Unable to locate package gfortran)"
# It waits for another process that installs.
stand_in apt-get '[[ $1 == update || "$*" == *DPkg::Lock::Timeout=* ]] || echo "E: Could not get lock" >&2' 'exit 100'
says demo "(see /"

# No root, and a sudo that asks for a password.
stand_in sudo 'exit 1'
[[ $EUID != 0 ]] || { chmod 755 "$TMPDIR" && chown -R nobody "$TMPDIR"; }
[[ $EUID != 0 ]] || as=(setpriv --reuid nobody --clear-groups env -u LD_PRELOAD HOME="$TMPDIR")
says demo "only root can install what is missing: let root run apt-get install gfortran" docs/installing.md
# Where CMake is there too, a build goes on: another Fortran compiler may be there.
stand_in cmake 'echo "CMake was called" >&2' 'exit 1'
went_on=$(PATH=$bin:$PATH "${as[@]}" make build 2>&1) && fail "make build ends well"
[[ $went_on == *'going on without gfortran, which only root can install'*'CMake was called'* ]] || fail "make build does not go on: $went_on"
[[ $EUID != 0 ]] || chown -R root "$TMPDIR"
as=(env)
: >lacking

# PyPI does not answer.
stand_in cmake
stand_in ninja
export PIP_INDEX_URL=http://127.0.0.1:9/simple PIP_RETRIES=1 PIP_TIMEOUT=2 PIP_CONFIG_FILE=/dev/null
unset PIP_NO_INDEX PIP_FIND_LINKS http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY
if /usr/bin/python3 -c 'import ensurepip' 2>/dev/null; then
  says demo "the Python packages of requirements-demo.txt were not installed (Failed to establish a new connection: " \
    "Connection refused" "name another source than PyPI by PIP_INDEX_URL"
fi
# From here on what Python wants is there.
rm -rf .venv
mkdir -p .venv/bin
printf '#!/bin/sh\n' >.venv/bin/python
chmod +x .venv/bin/python
cp requirements-demo.txt .venv/weir-installed

# What CMake does not find.
stand_in cmake "printf '%s\n' '-- found' 'CMake Error at cmake/WeirMpi.cmake:16 (message):' '  MPI, or its headers, are missing: load its' \
  '  module' '' '' '-- Configuring incomplete, errors occurred!' >&2" 'exit 1'
says demo "demo: MPI, or its headers, are missing: load its module"
stand_in cmake 'echo "weir: not built: the Fortran modules and the ocean: there is no Fortran compiler" >&2'
says demo "demo: the ocean is not built, since there is no Fortran compiler: install gfortran"

# A source that does not compile, and a compiler that wants more memory than there is.
stand_in cmake '[[ $1 != --build ]] || { echo "[1/2] Building CXX object a.o"; echo "a.cpp:1: error: no"; exit 1; }'
says demo "demo: not compiled: build/demo.log has all that was said"
grep -q 'a.cpp:1: error: no' printed || fail "what the compiler says is not told: $(<printed)"
stand_in cmake '[[ $1 != --build ]] || { echo "c++: fatal error: Killed signal terminated program cc1plus"; exit 1; }'
says demo "too little memory to compile" "make demo JOBS=1"

# A disk without room: before anything is compiled, and meanwhile.
export disk="$tree/build"
as=(unshare --mount bash -c 'mount -t tmpfs -o size="$0" tmpfs "$disk" && exec "$@"' 8M env)
"${as[@]}" true 2>/dev/null || { echo "SKIPPED the full disk: mounting a tmpfs is not permitted here"; exit 0; }
says demo "demo: the disk of $tree/build is full: " "free some"
as[5]=24M
stand_in cmake '[[ $1 != --build ]] || {' '  head -c 30M /dev/zero >build/object' '  rm build/object' \
  '  echo "c.s: fatal error: error writing: No space left on device"' '  exit 1' '}'
says demo "demo: the disk of $tree/build is full: " "free some"
