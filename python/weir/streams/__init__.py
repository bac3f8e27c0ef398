# SPDX-License-Identifier: Apache-2.0
"""Streams for those who come from another program: its tables become Weir's configuration."""
