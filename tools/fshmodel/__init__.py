# SPDX-License-Identifier: BSD-3-Clause
"""fshmodel: analytical performance model (docs/02_reference/model.md)."""
