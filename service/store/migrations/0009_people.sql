-- What is known of persons: nowhere else, so that it can be erased.

-- Gone with the principal's row: whoever nobody's tokens stand for has neither name nor contact.
CREATE TABLE kartejo.person (
  lane    smallint NOT NULL,
  id      uuid     NOT NULL,
  name    text     NOT NULL DEFAULT '',
  contact text     NOT NULL DEFAULT '',
  key     bytea    NOT NULL,                         -- of the notes on the person's account
  PRIMARY KEY (lane, id),
  FOREIGN KEY (lane, id) REFERENCES kartejo.principal (lane, id) ON DELETE CASCADE
);

-- The planner's samples would be copies that nobody erases.
ALTER TABLE kartejo.person
  ALTER COLUMN name SET STATISTICS 0,
  ALTER COLUMN contact SET STATISTICS 0,
  ALTER COLUMN key SET STATISTICS 0;
ALTER TABLE kartejo.principal ALTER COLUMN subject SET STATISTICS 0;

GRANT SELECT, INSERT, UPDATE, DELETE ON kartejo.person TO kartejo_writer;
