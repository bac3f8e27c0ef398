#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# timeout: 240
# The recipes of packaging/ and the Debian package: the latter is made, and its programs run from where it is unpacked; Spack's
# recipe has the options that the configuration has, for every variant; what the container's file calls is there.
set -eu

fail() {
  echo "packaging: $1" >&2
  exit 1
}

if command -v dpkg-shlibdeps >/dev/null; then
  cd "$TMPDIR"
  cpack --config "$WEIR_BUILD_DIR/CPackConfig.cmake" -G DEB -B "$TMPDIR/deb" >log 2>&1 || fail "no Debian package: $(tail -n 5 log)"
  package=$(echo deb/weir_*.deb)
  wants=$(dpkg-deb --field "$package" Depends)
  [[ $wants == *libpnetcdf* && $wants == *libyaml-cpp* && $wants == *libutf8proc* ]] || fail "the Debian package wants only: $wants"
  dpkg-deb --extract "$package" unpacked
  cp "$(find unpacked -name hello.c)" .
  WEIR_STRATEGY=file_per_rank "$WEIR_SOURCE_DIR/tools/launch" -n 2 --timeout 60 -- "$WEIR_BUILD_DIR/bin/hello_c"
  unpacked/usr/bin/weir-merge hello.nc
  said=$(unpacked/usr/bin/weir-verify hello.nc)
  [[ $said == 'hello.nc is whole'* ]] || fail "the package's weir-verify says $said"
  pc=$(find unpacked -name weir.pc)
  grep -q '^prefix=/usr$' "$pc" && ! grep -q rpath "$pc" || fail "weir.pc of the package: $(<"$pc")"
fi

# Spack's recipe, with what it would have of Spack: each variant that it names is one, each option one of CMake's.
python3 - "$WEIR_SOURCE_DIR" <<'END' || fail "packaging/spack/package.py"
import re
import sys
import types
from pathlib import Path

tree = Path(sys.argv[1])
variants, conditions, options = {}, [], {}


class CMakePackage:
    def define(self, option, value):
        options[option] = value

    def define_from_variant(self, option, variant):
        options[option] = variants[variant]


spack, package = types.ModuleType("spack"), types.ModuleType("spack.package")
package.CMakePackage = CMakePackage
package.variant = lambda name, default, description: variants.__setitem__(name, default)
package.depends_on = lambda spec, type=None, when="": conditions.append(when)
package.version = lambda text: versions.append(text)
package.license = package.conflicts = lambda *words, **named: None
versions = []
sys.modules.update({"spack": spack, "spack.package": package})
recipe = {}
exec((tree / "packaging/spack/package.py").read_text(), recipe)
recipe["Weir"]().cmake_args()

known = " ".join(path.read_text() for path in [tree / "CMakeLists.txt", *tree.glob("cmake/*.cmake")])
for option in options:
    assert re.search(rf"option\({option} ", known), f"the configuration has no option {option}"
for condition in filter(None, conditions):
    assert condition.lstrip("+~") in variants, f"there is no variant for {condition}"
assert f"VERSION {versions[0]} " in (tree / "CMakeLists.txt").read_text(), f"the tree is not {versions[0]}"
END

# The container's file: each program it starts is one of the tree's or of the packages', each file it copies is there.
cd "$WEIR_SOURCE_DIR"
file=packaging/container/Containerfile
grep -qx 'build\*' "$WEIR_SOURCE_DIR/.dockerignore" || fail "a used tree's builds go into the container, where CMake refuses them"
while read -r word rest; do
  case $word in
    RUN) bash -nc "$rest" || fail "$file: $rest" ;;
    COPY) [[ $rest == --from=* || -e ${rest%% *} ]] || fail "$file: there is no ${rest%% *}" ;;
  esac
done <"$file"
packages=$(tools/install-deps --list | sed -n 's/^building: //p')
for program in $(sed -nE 's#^RUN (/weir/)?([^ ]+).*#\2#p' "$file"); do
  [[ " $packages " == *" $program "* || -x $program ]] || fail "$file: nothing installs $program"
done
for each in $(sed -nE 's#^COPY --from=build /weir/([^ ]+) .*#\1#p' "$file"); do
  [[ -e $each ]] || fail "$file: there is no $each"
done
for option in $(grep -oE -e '-DWEIR_[A-Z_]+' "$file"); do
  grep -rqF "option(${option#-D} " CMakeLists.txt cmake || fail "$file: the configuration has no option ${option#-D}"
done
[[ -e tools/launch && $(<"$file") == *'CMD ["weir-launch"'* ]] || fail "$file starts what is not installed"
