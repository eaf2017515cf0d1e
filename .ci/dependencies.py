"""The dependencies of a package of the workspace, with their licences. Needs Python 3.11 or later, and no packages."""
import re
import subprocess
import sys

try:
    import tomllib
except ImportError:
    sys.exit("needs Python 3.11 or later")


def load(path):
    with open(path, "rb") as file:
        return tomllib.load(file)


def tree(package, target):
    """Yields a row for each line of the tree of dependencies: depth, name, version, licence, and whether it is a crate of the
    workspace. `target` is a platform, or `all`.

    Lists the dependencies of a package only below its first line. If a package has no licence expression, its licence comes
    from a table `[[licenses.clarify]]` of deny.toml.
    """
    clarified = {entry["crate"]: entry["expression"] for entry in load("deny.toml")["licenses"]["clarify"]}
    command = ["cargo", "tree", "--locked", "-p", package, "-e", "normal", "--target", target, "--prefix", "depth"]
    lines = subprocess.run([*command, "-f", "|{p}|{l}"], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    for line in lines:
        depth, found, licence = line.removesuffix(" (*)").split("|")
        name, version, path = re.fullmatch(r"(\S+) v(\S+)(?: \(proc-macro\))?( \(.*\))?", found).groups()
        # Old packages separate licences with a slash.
        licence = re.sub(r" */ *", " OR ", licence) or clarified.get(name)
        if not licence:
            sys.exit(f"{name} {version} has no licence expression: add a table [[licenses.clarify]] to deny.toml")
        yield int(depth), name, version, licence, path is not None
