# SPDX-License-Identifier: Apache-2.0
"""What `import weir` gives to programs that write: datasets, in the manner of netCDF4-python."""
