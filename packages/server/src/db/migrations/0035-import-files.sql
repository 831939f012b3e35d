-- What became of each file of an import, for 30 days. path_key is a hash of the path; in a sandbox under a caller's key
-- that hash is under it, and the path is sealed. reason is a code and never content.
create table import_file (
  user_id text not null,
  sandbox_id text not null,
  id bigint not null generated always as identity,
  job_id text not null,
  source_id text not null,
  project_id text,
  path_key bigint not null,
  path text,
  sealed bytea,
  reason text,
  records integer not null default 0,
  unchanged integer not null default 0,
  noted_at timestamptz not null,
  constraint import_file_pkey primary key (user_id, sandbox_id, job_id, path_key),
  constraint import_file_named check ((path is null) <> (sealed is null)),
  constraint import_file_sandbox foreign key (user_id, sandbox_id) references sandbox (user_id, id) on delete cascade
);
create index import_file_in_order on import_file (user_id, sandbox_id, job_id, id);
create index import_file_by_path on import_file (user_id, sandbox_id, source_id, path_key, id);
create index import_file_unread on import_file (user_id, sandbox_id, id) where reason is not null;
create index import_file_by_age on import_file (noted_at);
alter table import_file enable row level security;
alter table import_file force row level security;
create policy import_file_tenant on import_file to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));
grant select, insert, update, delete on import_file to cairn_app;

-- Workers drop what is over, as the policies of deliveries and replies let them.
create policy import_file_worker on import_file for select to cairn_gate
  using (current_setting('app.worker', true) = 'on');
create policy import_file_worker_removes on import_file for delete to cairn_gate
  using (current_setting('app.worker', true) = 'on');
grant select, delete on import_file to cairn_gate;
