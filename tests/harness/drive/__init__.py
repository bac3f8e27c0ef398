# SPDX-License-Identifier: Apache-2.0
"""What tools/faults does: draws runs of the model in which one thing goes wrong, carries them out, judges what is left.

ways.py    the ways to write        plan.py   what a model writes, and which states its files may have
faults.py  what goes wrong          job.py    one run, in a folder and a job of its own
judge.py   what is wrong with it    inputs.py damaged inputs of the programs
carry.py   runs by name             draw.py   what a name draws
soak.py    thousands of files       tables.py the tables
"""
