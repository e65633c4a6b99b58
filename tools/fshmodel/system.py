# SPDX-License-Identifier: BSD-3-Clause
"""System files: TOML, whose numbers may be names of constants of spec/fshmem.toml.

FSHMEM's and the paper's systems are in systems/; users may pass any file with the same
sections. One with `base = "fshmem"` inherits that system's values.
"""
import pathlib
import tomllib

HERE = pathlib.Path(__file__).resolve().parent


class Problem(Exception):
    """A one-line error about the user's input."""


def _read(path):
    try:
        with open(path, "rb") as file:
            return tomllib.load(file)
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise Problem(f"{path}: {error}") from error


def constants():
    """Constants of the specification, next to an installed model or in the source tree."""
    for path in (HERE / "spec.toml", HERE.parents[1] / "spec" / "fshmem.toml"):
        if path.exists():
            return {c["name"]: c["value"] for c in _read(path)["const"]}
    raise Problem("the constants of spec/fshmem.toml are not there")


def _resolve(section, known, where):
    out = {}
    for name, value in section.items():
        if isinstance(value, dict):
            value = _resolve(value, known, where)
        elif isinstance(value, str) and name not in ("about", "base"):
            if value not in known:
                raise Problem(f"{where}: {name}: no constant {value}")
            value = known[value]
        out[name] = value
    return out


def _merge(base, over):
    out = dict(base)
    for name, value in over.items():
        if isinstance(value, dict):
            value = _merge(base.get(name, {}), value)
        out[name] = value
    return out


def load(name):
    """Loads a system by name or file."""
    path = HERE / "systems" / f"{name}.toml"
    if not path.exists():
        path = pathlib.Path(name)
    if not path.exists():
        have = ", ".join(sorted(p.stem for p in (HERE / "systems").glob("*.toml")))
        raise Problem(f"no system {name}: {have}, or a file")
    system = _resolve(_read(path), constants(), path)
    if "base" in system:
        system = _merge(load(system["base"]), system)
    return system


def change(system, settings):
    """A copy of the system with section.name=value applied for each of `settings`."""
    out = _merge(system, {})
    for setting in settings:
        key, equals, text = setting.partition("=")
        section, dot, name = key.partition(".")
        try:
            value = float(text)
        except ValueError:
            value = None
        if not (equals and dot) or value is None:
            raise Problem(f"--set {setting}: expected SECTION.NAME=NUMBER")
        if name not in out.get(section, {}):
            raise Problem(f"--set {setting}: this system has no {key}")
        out[section] = dict(out[section])
        out[section][name] = int(value) if value == int(value) else value
    return out
