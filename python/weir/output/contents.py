# SPDX-License-Identifier: Apache-2.0
"""What a dataset has, by paths: the dimensions, variables and groups of all its groups, and its layouts."""

from typing import TYPE_CHECKING, cast

from weir import _output
from weir.errors import Code, Error
from weir.output.layout import Layout
from weir.output.names import ByName
from weir.output.scope import Dimension, Group, Scope, parent_of
from weir.output.session import Weir
from weir.output.variable import Variable

if TYPE_CHECKING:
    from weir.output.dataset import Dataset


class Contents(Scope):
    """The part of a Dataset that its groups and variables look things up in. By paths: "ice/area", of groups "ice/"."""

    _weir: Weir
    _path: str
    _defining: bool
    _waiting: list[Layout]  # for the end of the definitions
    all_dimensions: ByName[Dimension]
    all_variables: ByName[Variable]
    all_groups: ByName[Group]

    def enter_dimension(self, number: int) -> Dimension:
        path = self._file.inq_dim(number)[0]
        self.all_dimensions[path] = Dimension(self.enter_scope(parent_of(path)), number)
        return self.all_dimensions[path]

    def enter_variable(self, number: int) -> Variable:
        path = self._file.inq_var(number)[0]
        self.all_variables[path] = Variable(self.enter_scope(parent_of(path)), number)
        return self.all_variables[path]

    def enter_group(self, prefix: str) -> Group:
        if prefix not in self.all_groups:
            self.enter_scope(parent_of(prefix[:-1]))
            self.all_groups[prefix] = Group(cast("Dataset", self), self._file, prefix)
        return self.all_groups[prefix]

    def enter_scope(self, prefix: str) -> Scope:
        return self.enter_group(prefix) if prefix else self

    def find_dimension(self, path: str, name: str) -> Dimension:
        """Of this name, for what has this path: in its group, or in one that holds that."""
        if name.startswith("/") and name[1:] in self.all_dimensions:
            return self.all_dimensions[name[1:]]
        prefix = parent_of(path)
        while prefix + name not in self.all_dimensions and prefix:
            prefix = parent_of(prefix[:-1])
        if prefix + name not in self.all_dimensions:
            raise Error(
                Code.ENOTFOUND,
                f'"{path}": {self._path} has no dimension "{name}": it has {", ".join(self.all_dimensions) or "none"}',
            )
        return self.all_dimensions[prefix + name]

    def enter_layout(self, layout: Layout) -> None:
        """Collective once definitions have ended; till then it waits for that."""
        self._waiting.append(layout)
        if not self._defining:
            self._define_layouts()

    def forget_layout(self, layout: Layout) -> None:
        """Collective."""
        self._weir.instance.free_layout(self.made_of(layout))

    def made_of(self, layout: Layout) -> _output.Layout:
        """The layout on this dataset's Weir."""
        if layout.made is None:
            raise Error(
                Code.ESTATE,
                f"{layout!r} is of another dataset, whose definitions have not ended: call its ready() before",
            )
        return layout.made

    def _define_layouts(self) -> None:
        for layout in self._waiting:
            layout.define(self._weir.instance)
        self._waiting = []
