"""Who comes before whom where nobody meets an opponent: pure functions over facts of tables."""
