-- What is to be erased, or was a moment ago: a sandbox, or what one source fed. A row stays until no byte is left, so
-- that whatever crashes on the way is done again. It has no foreign keys, since it outlives what it names.
create table erasure (
  user_id text not null,
  id text not null,
  sandbox_id text not null,
  source_id text,
  -- Records committed up to here go; null until a purge has begun.
  up_to_seq bigint,
  counts jsonb not null,
  requested_at timestamptz not null default now(),
  -- When a writer that was at work at the time has lost its lease.
  not_before timestamptz not null default now(),
  erased_at timestamptz,
  scrubbed_at timestamptz,
  constraint erasure_pkey primary key (user_id, id)
);
create index erasure_of_sandbox on erasure (user_id, sandbox_id);
alter table erasure enable row level security;
alter table erasure force row level security;

-- The address and secrets of a source that was deleted, so that its sender can be told to stop.
create table source_tombstone (
  user_id text not null,
  sandbox_id text not null,
  source_id text not null,
  webhook_slug text not null,
  hash bytea not null check (octet_length(hash) = 32),
  deleted_at timestamptz not null,
  constraint source_tombstone_pkey primary key (user_id, sandbox_id, source_id, hash),
  constraint source_tombstone_sandbox foreign key (user_id, sandbox_id)
    references sandbox (user_id, id) on delete cascade
);
create index source_tombstone_by_slug on source_tombstone (webhook_slug);
create index source_tombstone_by_age on source_tombstone (deleted_at);
alter table source_tombstone enable row level security;
alter table source_tombstone force row level security;

create index source_ephemeral on source (last_seen_at) where kind = 'ephemeral';

create policy erasure_tenant on erasure to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));
create policy source_tombstone_tenant on source_tombstone to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));

-- A delivery to a source that was deleted names it by the slug in its address.
create policy source_tombstone_by_webhook_slug on source_tombstone for select to cairn_gate
  using (webhook_slug = nullif(current_setting('app.webhook_slug', true), ''));

-- Workers look for what is to be erased, for tombstones past their time and for ephemeral sources that idle.
create policy erasure_worker on erasure for select to cairn_gate
  using (current_setting('app.worker', true) = 'on');
create policy source_tombstone_worker on source_tombstone for select to cairn_gate
  using (current_setting('app.worker', true) = 'on');
create policy source_worker_idle on source for select to cairn_gate
  using (current_setting('app.worker', true) = 'on' and kind = 'ephemeral');

grant select, insert, update, delete on erasure, source_tombstone to cairn_app;
grant select on erasure, source_tombstone to cairn_gate;

-- What tenants wrote shall not stand in the planner's statistics, where it would outlive its row.
alter table inbox alter column payload set statistics 0;
alter table job alter column result set statistics 0, alter column error_message set statistics 0;
alter table merge_ledger alter column evidence set statistics 0;
alter table idempotency alter column body set statistics 0, alter column headers set statistics 0;
alter table sandbox alter column owner_id set statistics 0, alter column name set statistics 0,
  alter column metadata set statistics 0;
alter table source alter column name set statistics 0, alter column external_account_id set statistics 0,
  alter column adapter_config set statistics 0;
alter table project alter column name set statistics 0, alter column description set statistics 0,
  alter column metadata set statistics 0;
alter table connection alter column label set statistics 0;
