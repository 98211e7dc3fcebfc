"""Investigations: who played with whom, what moved between them, which pairs are unusual.

Public facts alone: what hands came to, never a card.

unusual         the statistic that ranks pairs
"""
