-- Where an owner has the changes of a sandbox sent. A row is its own schedule, like a source: up to where changes have
-- arrived, the message that is being sent (its id, and where it ends), when it is sent next, and who sends it now.
-- Nothing of what it says is kept: it is read from the table change, and from what is known, at every attempt.
create table webhook (
  user_id text not null,
  sandbox_id text not null,
  id text not null,
  url text not null,
  description text,
  events text not null,
  status text not null default 'active' check (status in ('active', 'paused', 'disabled')),
  disabled_reason text check (disabled_reason in ('failing', 'gone')),
  previous_secret_until timestamptz,
  next_seq bigint not null,
  next_at bigint not null default 0,
  message_id text,
  message_seq bigint,
  message_at bigint,
  failures integer not null default 0,
  failing_since timestamptz,
  last_error text,
  last_attempt_at timestamptz,
  last_delivered_at timestamptz,
  next_attempt_at timestamptz,
  lease_owner text,
  lease_epoch bigint not null default 0,
  lease_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint webhook_pkey primary key (user_id, sandbox_id, id),
  constraint webhook_sandbox foreign key (user_id, sandbox_id) references sandbox (user_id, id) on delete cascade
);
create index webhook_active on webhook (user_id, sandbox_id) where status = 'active';
alter table webhook enable row level security;
alter table webhook force row level security;
create policy webhook_tenant on webhook to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));
grant select, insert, update, delete on webhook to cairn_app;

-- Workers look for what is to be sent; they change an endpoint only as its tenant.
create policy webhook_worker on webhook for select to cairn_gate
  using (current_setting('app.worker', true) = 'on' and status = 'active');
grant select (user_id, sandbox_id, id, status, next_seq, message_id, next_attempt_at, last_attempt_at, lease_owner,
  lease_until) on webhook to cairn_gate;

-- What was sent lately and how it went; not what it said.
create table webhook_delivery (
  user_id text not null,
  sandbox_id text not null,
  webhook_id text not null,
  id text not null,
  message_id text not null,
  attempted_at timestamptz not null,
  status_code integer,
  reason text,
  change_count integer not null,
  duration_ms integer not null,
  constraint webhook_delivery_pkey primary key (user_id, sandbox_id, webhook_id, id),
  constraint webhook_delivery_webhook foreign key (user_id, sandbox_id, webhook_id)
    references webhook (user_id, sandbox_id, id) on delete cascade
);
alter table webhook_delivery enable row level security;
alter table webhook_delivery force row level security;
create policy webhook_delivery_tenant on webhook_delivery to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));
grant select, insert, delete on webhook_delivery to cairn_app;
