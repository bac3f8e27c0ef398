# SPDX-License-Identifier: Apache-2.0
"""Weir's Python side: the command line around the MPI programs."""
