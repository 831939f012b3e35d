-- expands: programs before it store no originals. They delete records without the originals of these, which nobody can
-- read all the same, because their readers need a record; a program that knows of originals removes them.
-- The file that a document was read from. Its content lies in the sandbox's storage, encrypted under a key of its own.
create table original (
  user_id text not null,
  sandbox_id text not null,
  id text not null,
  source_id text not null,
  -- The project of its import. Only records of this project lead to it.
  project_id text,
  -- Digest of source, path and content, keyed in a sandbox with a customer-managed key.
  digest bytea not null,
  -- Its key, encrypted under the sandbox's key for originals, or to its customer-managed key. Null once it is over.
  key_box bytea,
  -- Its path and media type as JSON, encrypted under its key.
  manifest bytea not null,
  bytes bigint not null,
  -- being stored, stored, or over and to be removed.
  state text not null default 'storing',
  -- False until a record refers to it, and once none does.
  has_records boolean not null default false,
  created_at timestamptz not null,
  constraint original_pkey primary key (user_id, sandbox_id, id),
  constraint original_state check (state in ('storing', 'stored', 'over')),
  constraint original_sandbox foreign key (user_id, sandbox_id) references sandbox (user_id, id) on delete cascade
);
create index original_by_digest on original (user_id, sandbox_id, source_id, digest);
create index original_unused on original (created_at) where not has_records;

-- The records that were read from it. It is removed with the first of them.
create table original_record (
  user_id text not null,
  sandbox_id text not null,
  record_id text not null,
  original_id text not null,
  constraint original_record_pkey primary key (user_id, sandbox_id, record_id),
  constraint original_record_original foreign key (user_id, sandbox_id, original_id)
    references original (user_id, sandbox_id, id) on delete cascade
);
create index original_record_by_original on original_record (user_id, sandbox_id, original_id);

alter table original enable row level security;
alter table original force row level security;
create policy original_tenant on original to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));
grant select, insert, update, delete on original to cairn_app;
alter table original_record enable row level security;
alter table original_record force row level security;
create policy original_record_tenant on original_record to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));
grant select, insert, update, delete on original_record to cairn_app;

-- Workers look for originals that are to be removed; they change one only as its tenant.
create policy original_worker on original for select to cairn_gate
  using (current_setting('app.worker', true) = 'on');
grant select on original to cairn_gate;
