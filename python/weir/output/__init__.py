# SPDX-License-Identifier: Apache-2.0
"""What `import weir` gives to programs that write: datasets, in the manner of netCDF4-python. Wants the compiled module,
weir._output: where that is missing, or does not load, one sentence says what to do."""

try:
    from weir import _output as _output
except ImportError as error:
    raise ImportError(
        f"Python's weir cannot write, its module weir._output is not there or does not load ({error}): in a source tree run "
        "make build and tools/install-deps --package; with an installed Weir run CMAKE_PREFIX_PATH=FOLDER pip install . "
        "(docs/installing.md)"
    ) from error
