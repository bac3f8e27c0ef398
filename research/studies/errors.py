# SPDX-License-Identifier: Apache-2.0
"""What goes wrong before a study runs."""


class StudyError(Exception):
    """One sentence for the user: what is wrong and what to do."""
