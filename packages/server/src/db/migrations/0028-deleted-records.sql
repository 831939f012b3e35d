-- Records that a person deleted, by a hash of what names them at their source and one of what they said, so that a repeat
-- does not bring them back; nothing of what they said. In a sandbox under a caller's key the hashes are under it, and
-- what they are made of is sealed, for the day on which the key is changed.
create table deleted_record (
  user_id text not null,
  sandbox_id text not null,
  record_id text not null,
  source_id text,
  record_key bigint not null,
  digest bigint not null,
  as_of text,
  occurred_at text,
  sealed bytea,
  deleted_at timestamptz not null,
  constraint deleted_record_pkey primary key (user_id, sandbox_id, record_id),
  constraint deleted_record_sandbox foreign key (user_id, sandbox_id)
    references sandbox (user_id, id) on delete cascade
);
create index deleted_record_by_key on deleted_record (user_id, sandbox_id, record_key);
alter table deleted_record enable row level security;
alter table deleted_record force row level security;
create policy deleted_record_tenant on deleted_record to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));
grant select, insert, update, delete on deleted_record to cairn_app;

-- An erasure of one record, which has been removed by a commit and stays in versions before it until they go.
alter table erasure add column record_id text;
