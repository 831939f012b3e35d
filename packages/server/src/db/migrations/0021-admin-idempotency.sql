-- The first reply to a keyed request of the operator, who has no account to keep it with. A row without a status belongs
-- to a request that is still running, or that died: lease_until says how long to believe in it.
create table admin_idempotency (
  credential_id text not null,
  method text not null,
  path text not null,
  key text not null,
  fingerprint bytea not null,
  status integer,
  body bytea,
  lease_until timestamptz not null,
  created_at timestamptz not null,
  claim text not null,
  constraint admin_idempotency_pkey primary key (credential_id, method, path, key)
);
create index admin_idempotency_by_age on admin_idempotency (created_at);
alter table admin_idempotency enable row level security;
alter table admin_idempotency force row level security;
alter table admin_idempotency alter column body set statistics 0;

-- A reply is kept in the transaction of its effect, which works for an account: only one that says that it works for
-- the operator as well sees these rows.
create policy admin_idempotency_operator on admin_idempotency to cairn_app
  using (current_setting('app.operator', true) = 'on');
grant select, insert, update, delete on admin_idempotency to cairn_app;

-- A worker removes replies older than their day, as it does those of accounts.
create policy admin_idempotency_worker on admin_idempotency for select to cairn_gate
  using (current_setting('app.worker', true) = 'on' and created_at < now() - interval '24 hours');
create policy admin_idempotency_worker_removes on admin_idempotency for delete to cairn_gate
  using (current_setting('app.worker', true) = 'on' and created_at < now() - interval '24 hours');
grant select, delete on admin_idempotency to cairn_gate;
