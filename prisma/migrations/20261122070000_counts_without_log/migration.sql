-- Counts of at most an hour: after a crash they begin anew, and until then they are written without a log.
ALTER TABLE rate_limit_counts SET UNLOGGED;
