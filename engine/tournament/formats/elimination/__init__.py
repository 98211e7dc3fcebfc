"""Elimination over many tables."""

from engine.tournament.formats.elimination.rules import Elimination

__all__ = ["Elimination"]
