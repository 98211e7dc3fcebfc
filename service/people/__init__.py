"""Persons: their names, and what hosts write of them.

texts    which texts of persons others can be shown
notes    notes on accounts, sealed under a key that is erased with the person
"""
