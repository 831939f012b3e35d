-- A source is its own schedule: when it is read next, how far it has been read, and who reads it now. The epoch tells a
-- later reader from an earlier one, so that whoever lost the lease can write nothing.
alter table source
  add column next_poll_at timestamptz,
  add column poll_cursor jsonb,
  add column poll_owner text,
  add column poll_epoch bigint not null default 0,
  add column poll_until timestamptz,
  add column poll_job_id text,
  add column poll_since timestamptz,
  add column poll_failures integer not null default 0,
  add column last_error text;
create index source_by_next_poll on source (next_poll_at nulls first)
  where ingestion_mode = 'polling' or poll_job_id is not null;

-- Workers look for what is due; they change a source only as its tenant.
create policy source_worker_polls on source for select to cairn_gate
  using (current_setting('app.worker', true) = 'on' and (ingestion_mode = 'polling' or poll_job_id is not null));
