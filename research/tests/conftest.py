# SPDX-License-Identifier: Apache-2.0
import sys
from pathlib import Path

# What the commands of research/ import.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
