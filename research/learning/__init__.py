# SPDX-License-Identifier: Apache-2.0
"""Learning what to do with each variable (Wang & Huang 2025, section 3.5), on simulated machines."""
