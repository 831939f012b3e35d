-- expands: programs before it keep no uploads, and end the jobs of those that they accept as before.
-- The upload of an import that was accepted, until its job is done. Its content lies in the sandbox's storage, encrypted
-- under a key of its own: that key is sealed in sealed_secret, or to the sandbox's caller's key here. The epoch tells a
-- later reader from an earlier one, so that whoever lost the lease can write nothing.
create table import_upload (
  user_id text not null,
  sandbox_id text not null,
  job_id text not null,
  -- Null where what is uploaded says itself to which sources it goes, and until that is known.
  source_id text,
  -- Who sent it, by which credential.
  actor_id text not null,
  credential jsonb not null,
  -- being stored, stored, or over and to be removed.
  state text not null default 'storing',
  -- The upload's key sealed to the caller's key; null elsewhere.
  key_box bytea,
  -- How it is to be read, sealed under the upload's key.
  manifest bytea not null,
  bytes bigint not null,
  owner text,
  epoch bigint not null default 1,
  lease_until timestamptz,
  not_before timestamptz not null,
  -- How often reading the upload failed; deaths of processes are counted by its job.
  failures integer not null default 0,
  created_at timestamptz not null,
  constraint import_upload_pkey primary key (user_id, sandbox_id, job_id),
  constraint import_upload_state check (state in ('storing', 'stored', 'over')),
  constraint import_upload_sandbox foreign key (user_id, sandbox_id) references sandbox (user_id, id) on delete cascade
);
create index import_upload_by_source on import_upload (user_id, sandbox_id, source_id);
create index import_upload_due on import_upload (not_before);
alter table import_upload enable row level security;
alter table import_upload force row level security;
create policy import_upload_tenant on import_upload to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));
grant select, insert, update, delete on import_upload to cairn_app;

-- Workers look for uploads that nobody reads; they change one only as its tenant.
create policy import_upload_worker on import_upload for select to cairn_gate
  using (current_setting('app.worker', true) = 'on');
grant select on import_upload to cairn_gate;
