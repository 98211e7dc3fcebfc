"""The event store: commits in PostgreSQL, appended in groups, followed without a gap."""
