# SPDX-License-Identifier: Apache-2.0
"""The papers' experiments: what is run, on what, and the page that shows it. See research/studies.md.

matrix      what a study runs: jobs of weir-bench, and contests whose best setting a first stage finds
place       where jobs run: this machine, or a lab of several hosts
runner      runs jobs, keeps what they measured, leaves out what was measured already
record      what was measured; repeats: outliers told apart, the paper's formula; account: what any page says of runs
charts      the figures; page: the page around them; claims: what a paper says, and whether it shows
papers/     one file a study
"""
