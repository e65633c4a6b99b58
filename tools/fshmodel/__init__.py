# SPDX-License-Identifier: BSD-3-Clause
"""fshmodel: what a system would do, by arithmetic (docs/02_reference/model.md)."""
