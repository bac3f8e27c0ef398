# SPDX-License-Identifier: Apache-2.0
"""What Wong et al. 2015 say of their domains: sizes (section 4.2) and the figures that the text of section 5 gives."""

from dataclasses import dataclass

VALUES = 35 * 146 * 4  # bytes of a column of the atmosphere: layers, species, float32
STEPS = 3
GRAPHICAL = "The figures are graphical; these are the figures of the text."


@dataclass(frozen=True)
class Domain:
    name: str
    title: str
    workload: str
    columns: int
    rows: int
    figures: str
    relative_size: float  # of the data here: the smaller domain stays the smaller one
    words: str
    table: tuple[tuple[str, str, str, str], ...]
    values: int = VALUES
    steps: int = STEPS

    @property
    def step_bytes(self) -> int:
        return self.columns * self.rows * self.values


DOMAINS = (
    Domain(
        "CA", "California, 89 x 134 x 35 x 146", "cmaq-ca", 89, 134, "3 and 4", 0.5,
        f"{GRAPHICAL} Performance degrades as stripe count or size increase. With 5 stripes of 1 MB, the best on both "
        "machines, pnetCDF drops against rnetCDF as processors increase, to below it on Edison, and pnetCDFcr gains on "
        "pnetCDF. Rows are better than columns.",
        (("Kraken", "pnetCDF to rnetCDF", "~50 %", "~20 %"), ("Edison", "pnetCDF to rnetCDF", "~40 %", "~-25 %"),
         ("Kraken", "pnetCDFcr to pnetCDF", "~20 %", "75 %"), ("Edison", "pnetCDFcr to pnetCDF", "~20 %", "80 %")),
    ),
    Domain(
        "EUS", "Eastern US, 279 x 299 x 35 x 146", "cmaq-eus", 279, 299, "5 and 6", 1.0,
        f"{GRAPHICAL} Rows are much better than columns. With 4 x 4 and 4 x 8 processors pnetCDF is better than "
        f"pnetCDFcr, "
        "at 8 x 8 pnetCDFcr is better by about 10 %, and its gain grows. Best are 11 stripes of 2 MB (Kraken), 5 of "
        "2 MB (Edison).",
        (("Kraken", "pnetCDF to rnetCDF", "~90 %", "~75 %"), ("Edison", "pnetCDF to rnetCDF", "~50 %", "~40 %"),
         ("both", "pnetCDFcr to pnetCDF, 8 x 8", "~10 %", "")),
    ),
    Domain(
        "CONUS", "continental US, 459 x 299 x 35 x 146", "cmaq-conus", 459, 299, "7 and 8", 1.6,
        f"{GRAPHICAL} As processors increase pnetCDF loses against rnetCDF, and pnetCDFcr gains dramatically. Best "
        f"are 11 "
        "stripes of 2 MB.",
        (("Kraken", "pnetCDF to rnetCDF", "~80 %", "~60 %"), ("Edison", "pnetCDF to rnetCDF", "~75 %", "~50 %")),
    ),
)  # fmt: skip
APPLICATION = Domain(
    "application", "CMAQ itself, 423 x 594 x 14 x 142", "cmaq-app", 423, 594, "12", 4.0,
    "The figure is graphical. In the text: with 11 stripes of 2 MB pnetCDFcr shortens the writing time significantly, "
    "and is two times better than straight pnetCDF (abstract).",
    (), 14 * 142 * 4, 24,
)  # fmt: skip
FIGURE_10_WORDS = (
    "Graphical, without a figure in the text: as the number of processors continues to increase, pnetCDF reaches a "
    "point "
    "where it is worse than serial, and pnetCDFcr continues to improve significantly."
)
