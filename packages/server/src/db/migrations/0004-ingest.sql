-- What was accepted and is not applied yet, in the order of arrival. A row is a chunk of records.
create table inbox (
  user_id text not null,
  sandbox_id text not null,
  id bigint not null generated always as identity,
  source_id text,
  job_id text not null,
  kind text not null check (kind in ('records', 'text')),
  payload text not null,
  record_count integer not null,
  attempts integer not null default 0,
  received_at timestamptz not null,
  constraint inbox_pkey primary key (user_id, sandbox_id, id),
  constraint inbox_sandbox foreign key (user_id, sandbox_id) references sandbox (user_id, id) on delete cascade
);
-- Compressing a payload that lives for a second costs more than it saves.
alter table inbox alter column payload set storage external;
create index inbox_by_job on inbox (user_id, sandbox_id, job_id);
alter table inbox enable row level security;
alter table inbox force row level security;

create table job (
  user_id text not null,
  sandbox_id text not null,
  id text not null,
  type text not null,
  status text not null default 'queued' check (status in ('queued', 'processing', 'completed', 'failed', 'cancelled')),
  parent_id text,
  source_id text,
  encrypted boolean not null default false,
  total_chunks integer not null default 0,
  pending_chunks integer not null default 0,
  result jsonb,
  error_message text,
  retry_count integer not null default 0,
  created_at timestamptz not null,
  started_at timestamptz,
  completed_at timestamptz,
  constraint job_pkey primary key (user_id, sandbox_id, id),
  constraint job_sandbox foreign key (user_id, sandbox_id) references sandbox (user_id, id) on delete cascade
);
create index job_by_parent on job (user_id, sandbox_id, parent_id) where parent_id is not null;
create index job_by_source on job (user_id, sandbox_id, source_id, created_at) where source_id is not null;
create index job_unfinished on job (created_at) where status in ('queued', 'processing');
alter table job enable row level security;
alter table job force row level security;

-- One row for each merge of two entities. Undoing sets undone_at; nothing is deleted, so an old id resolves for ever.
create table merge_ledger (
  user_id text not null,
  sandbox_id text not null,
  id text not null,
  from_entity text not null,
  into_entity text not null,
  evidence jsonb not null default '{}',
  merged_at timestamptz not null,
  undone_at timestamptz,
  constraint merge_ledger_pkey primary key (user_id, sandbox_id, id),
  constraint merge_ledger_sandbox foreign key (user_id, sandbox_id) references sandbox (user_id, id) on delete cascade
);
create index merge_ledger_by_from on merge_ledger (user_id, sandbox_id, from_entity);
create index merge_ledger_by_into on merge_ledger (user_id, sandbox_id, into_entity);
alter table merge_ledger enable row level security;
alter table merge_ledger force row level security;

create policy inbox_tenant on inbox to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));
create policy job_tenant on job to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));
create policy merge_ledger_tenant on merge_ledger to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));

-- Workers look over all sandboxes for what waits; they change rows only as the tenant.
create policy inbox_worker on inbox for select to cairn_gate
  using (current_setting('app.worker', true) = 'on');
create policy job_worker on job for select to cairn_gate
  using (current_setting('app.worker', true) = 'on');

grant select, insert, update, delete on inbox, job, merge_ledger to cairn_app;
grant select on inbox, job to cairn_gate;
