# SPDX-License-Identifier: Apache-2.0
"""Looking for the configuration with which a whole run takes the fewest seconds, on the simulated machine."""
