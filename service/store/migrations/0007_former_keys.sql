-- A master key that follows another wraps it: whoever has the newest opens what the older ones
-- wrapped.  Null where there was none before, or where that one was lost.

ALTER TABLE kartejo.master_key ADD COLUMN former bytea;
