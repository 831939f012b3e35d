-- Who did what. Append-only, and chained: each row carries the hash of the row before it in its chain. A chain is a
-- sandbox, or the account for what happens outside sandboxes. It has no foreign keys, since it outlives both.
create table audit (
  user_id text not null,
  chain text not null,
  seq bigint not null,
  at timestamptz not null,
  actor_user_id text not null,
  credential_id text,
  event text not null,
  subject_id text,
  request_id text,
  previous_hash bytea not null,
  hash bytea not null,
  constraint audit_pkey primary key (user_id, chain, seq)
);
alter table audit enable row level security;
alter table audit force row level security;

-- The first reply to a keyed request, so that a retry gets the same one. A row without a status belongs to a request
-- that is still running, or that died: lease_until says how long to believe in it.
create table idempotency (
  user_id text not null,
  credential_id text not null,
  method text not null,
  path text not null,
  key text not null,
  fingerprint bytea not null,
  status integer,
  headers jsonb,
  body bytea,
  lease_until timestamptz not null,
  created_at timestamptz not null,
  constraint idempotency_pkey primary key (user_id, credential_id, method, path, key),
  constraint idempotency_account foreign key (user_id) references account (user_id) on delete cascade
);
create index idempotency_by_age on idempotency (created_at);
alter table idempotency enable row level security;
alter table idempotency force row level security;

create policy audit_tenant on audit to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));
create policy idempotency_tenant on idempotency to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));

-- The operator reads what an erased sandbox left behind.
create policy audit_operator on audit for select to cairn_gate
  using (current_setting('app.operator', true) = 'on');

-- A worker removes replies older than their day.
create policy idempotency_worker on idempotency for select to cairn_gate
  using (current_setting('app.worker', true) = 'on' and created_at < now() - interval '24 hours');
create policy idempotency_worker_removes on idempotency for delete to cairn_gate
  using (current_setting('app.worker', true) = 'on' and created_at < now() - interval '24 hours');

grant select, insert on audit to cairn_app;
grant select, insert, update, delete on idempotency to cairn_app;
grant select on audit to cairn_gate;
grant select, delete on idempotency to cairn_gate;
