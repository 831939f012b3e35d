create table source (
  user_id text not null,
  sandbox_id text not null,
  id text not null,
  provider text not null,
  name text not null,
  ingestion_mode text not null check (ingestion_mode in ('realtime', 'polling', 'batch', 'manual')),
  status text not null default 'active' check (status in ('active', 'paused', 'disconnected', 'error', 'archived')),
  kind text not null default 'durable' check (kind in ('durable', 'ephemeral')),
  external_account_id text,
  adapter_config jsonb not null default '{}',
  poll_interval_seconds integer check (poll_interval_seconds >= 60),
  webhook_slug text,
  last_sync_at timestamptz,
  last_seen_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint source_pkey primary key (user_id, sandbox_id, id),
  constraint source_sandbox foreign key (user_id, sandbox_id) references sandbox (user_id, id) on delete cascade,
  constraint source_slug_taken unique (webhook_slug)
);
alter table source enable row level security;
alter table source force row level security;

-- Only the sha256 of a webhook secret is kept. After a rotation the old row lives until its grace ends.
create table source_secret (
  user_id text not null,
  sandbox_id text not null,
  source_id text not null,
  hash bytea not null check (octet_length(hash) = 32),
  created_at timestamptz not null,
  expires_at timestamptz,
  constraint source_secret_pkey primary key (user_id, sandbox_id, source_id, hash),
  constraint source_secret_source foreign key (user_id, sandbox_id, source_id)
    references source (user_id, sandbox_id, id) on delete cascade
);
alter table source_secret enable row level security;
alter table source_secret force row level security;

create table project (
  user_id text not null,
  sandbox_id text not null,
  id text not null,
  name text not null,
  status text not null default 'active' check (status in ('active', 'archived')),
  description text,
  metadata jsonb not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint project_pkey primary key (user_id, sandbox_id, id),
  constraint project_sandbox foreign key (user_id, sandbox_id) references sandbox (user_id, id) on delete cascade
);
alter table project enable row level security;
alter table project force row level security;

create table project_source (
  user_id text not null,
  sandbox_id text not null,
  project_id text not null,
  source_id text not null,
  constraint project_source_pkey primary key (user_id, sandbox_id, project_id, source_id),
  constraint project_source_project foreign key (user_id, sandbox_id, project_id)
    references project (user_id, sandbox_id, id) on delete cascade,
  constraint project_source_source foreign key (user_id, sandbox_id, source_id)
    references source (user_id, sandbox_id, id) on delete cascade
);
create index project_source_by_source on project_source (user_id, sandbox_id, source_id);
alter table project_source enable row level security;
alter table project_source force row level security;

alter table connection add constraint connection_project foreign key (user_id, sandbox_id, project_id)
  references project (user_id, sandbox_id, id) on delete cascade;

create policy source_tenant on source to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));
create policy source_secret_tenant on source_secret to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));
create policy project_tenant on project to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));
create policy project_source_tenant on project_source to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));

-- A delivery names its source by the slug in its address.
create policy source_by_webhook_slug on source for select to cairn_gate
  using (webhook_slug = nullif(current_setting('app.webhook_slug', true), ''));

grant select, insert, update, delete on source, source_secret, project, project_source to cairn_app;
grant select on source to cairn_gate;
