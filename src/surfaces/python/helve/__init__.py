"""Bounded, safe, fast access to knowledge graphs and databases for language-model agents."""

from helve._core import version as __version__

__all__ = ["__version__"]
