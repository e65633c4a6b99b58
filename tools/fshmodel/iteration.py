# SPDX-License-Identifier: BSD-3-Clause
"""The parts of an iteration."""
from dataclasses import dataclass


@dataclass
class Iteration:
    forward: float
    backward: float
    allreduce_exposed: float
    update: float

    @property
    def total(self):
        return self.forward + self.backward + self.allreduce_exposed + self.update
