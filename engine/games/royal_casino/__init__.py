"""Royal Casino.  Rule specification: royal_casino."""
