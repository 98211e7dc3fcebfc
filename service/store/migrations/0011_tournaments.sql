-- Which tournaments there are: the first commits of their streams, which are few.
CREATE INDEX commit_tournament ON kartejo.commit (lane, stream)
  WHERE kind = 3 AND version = count;
