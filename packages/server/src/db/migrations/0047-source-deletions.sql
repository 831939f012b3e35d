-- expands: programs before it read such a mark as that of a version, and keep older versions out by it.
-- Deletions that a source reported are marked too, by the time of the deletion and without a digest of what was said:
-- a version from before that time stays out, and a later one is a new record. The index finds the oldest of them.
alter table deleted_record alter column digest drop not null;
create index deleted_record_of_sources on deleted_record (user_id, sandbox_id, deleted_at) where digest is null;
