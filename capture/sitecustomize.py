# SPDX-License-Identifier: MIT
"""sitecustomize.py -- starts vramscope.py in a program that knows nothing of it.

`vramscope record --torch` puts the folder of this file first on PYTHONPATH. Python imports it before
the program; it waits until torch is imported, and has torch.cuda call start() when it initialises.
Nothing here imports torch, and nothing here can fail the program.
"""

import os
import sys

_here = os.path.dirname(os.path.abspath(__file__))


def _start():
    try:
        import vramscope

        vramscope.start()
    except Exception as error:
        sys.stderr.write("vramscope: cannot record: %s\n" % error)


class _Loader:
    """torch's own loader, and one call behind it."""

    def __init__(self, loader):
        self._loader = loader

    def __getattr__(self, name):
        return getattr(self._loader, name)

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        self._loader.exec_module(module)
        try:
            module.cuda._lazy_call(_start)
        except Exception as error:
            sys.stderr.write("vramscope: cannot record: %s\n" % error)


class _Finder:
    """Waits for the import of torch, then steps aside."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name != "torch":
            return None
        from importlib.machinery import PathFinder

        sys.meta_path[:] = [finder for finder in sys.meta_path if finder is not _Finder]
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and hasattr(spec.loader, "exec_module"):
            spec.loader = _Loader(spec.loader)
        return spec


def _run_other():
    """The sitecustomize that ours hides, when there is one."""
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec

    places = [path for path in sys.path if os.path.abspath(path or ".") != _here]
    spec = PathFinder.find_spec("sitecustomize", places)
    if spec is not None and spec.loader is not None:
        module = module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


sys.meta_path.insert(0, _Finder)
_run_other()
