create table sandbox (
  user_id text not null,
  id text not null,
  owner_id text not null,
  name text not null,
  tier text not null check (tier in ('free', 'pro', 'enterprise')),
  status text not null default 'active' check (status in ('active', 'suspended', 'archived')),
  storage_provider_type text not null check (storage_provider_type in ('platform_s3', 'custom_s3')),
  metadata jsonb not null default '{}',
  encrypted boolean not null default false,
  key_fingerprint text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint sandbox_pkey primary key (user_id, id),
  constraint sandbox_account foreign key (user_id) references account (user_id) on delete cascade,
  constraint sandbox_duplicate_name unique (user_id, owner_id, name),
  constraint sandbox_key_bound check (encrypted = (key_fingerprint is not null))
);
-- A path names a sandbox without its tenant.
create index sandbox_by_id on sandbox (id);
alter table sandbox enable row level security;
alter table sandbox force row level security;

-- The head of a sandbox: the versions of its three datasets that are committed, and the lease of its one writer.
create table sandbox_head (
  user_id text not null,
  sandbox_id text not null,
  records_version bigint not null default 0,
  entities_version bigint not null default 0,
  links_version bigint not null default 0,
  seq bigint not null default 0,
  floor_seq bigint not null default 0,
  commits_since_upkeep integer not null default 0,
  lease_owner text,
  lease_epoch bigint not null default 0,
  lease_until timestamptz,
  constraint sandbox_head_pkey primary key (user_id, sandbox_id),
  constraint sandbox_head_sandbox foreign key (user_id, sandbox_id) references sandbox (user_id, id) on delete cascade
);
alter table sandbox_head enable row level security;
alter table sandbox_head force row level security;

-- A grant: user_id is the account that holds the sandbox, grantee_user_id the account that reaches it.
create table connection (
  user_id text not null,
  sandbox_id text not null,
  id text not null,
  grantee_user_id text not null,
  role text not null check (role in ('viewer', 'editor')),
  project_id text,
  label text,
  created_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  constraint connection_pkey primary key (user_id, sandbox_id, id),
  constraint connection_sandbox foreign key (user_id, sandbox_id) references sandbox (user_id, id) on delete cascade,
  constraint connection_grantee foreign key (grantee_user_id) references account (user_id) on delete cascade,
  constraint connection_not_own check (grantee_user_id <> user_id)
);
create index connection_by_grantee on connection (grantee_user_id, sandbox_id);
alter table connection enable row level security;
alter table connection force row level security;

create policy sandbox_tenant on sandbox to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));
create policy sandbox_head_tenant on sandbox_head to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));
create policy connection_tenant on connection to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));

-- Whoever asks for a sandbox sees it when it is the asker's own or granted to the asker.
create policy connection_by_grantee on connection for select to cairn_gate
  using (grantee_user_id = nullif(current_setting('app.caller', true), '') and revoked_at is null);
create policy sandbox_by_caller on sandbox for select to cairn_gate
  using (
    user_id = nullif(current_setting('app.caller', true), '')
    or exists (
      select from connection c
      where c.user_id = sandbox.user_id
        and c.sandbox_id = sandbox.id
        and c.grantee_user_id = nullif(current_setting('app.caller', true), '')
        and c.revoked_at is null
    )
  );

-- Whoever may see a sandbox may see its head, so that a question asks the database once.
create policy sandbox_head_by_caller on sandbox_head for select to cairn_gate
  using (
    nullif(current_setting('app.caller', true), '') is not null
    and exists (
      select from sandbox s where s.user_id = sandbox_head.user_id and s.id = sandbox_head.sandbox_id
    )
  );

-- The operator finds the account of a sandbox, to set its tier.
create policy sandbox_operator on sandbox for select to cairn_gate
  using (current_setting('app.operator', true) = 'on');

-- Workers look over all heads for work and take leases.
create policy sandbox_head_worker_reads on sandbox_head for select to cairn_gate
  using (current_setting('app.worker', true) = 'on');
create policy sandbox_head_worker_leases on sandbox_head for update to cairn_gate
  using (current_setting('app.worker', true) = 'on');

grant select, insert, update, delete on sandbox, sandbox_head, connection to cairn_app;
grant select on sandbox, sandbox_head, connection to cairn_gate;
grant update (lease_owner, lease_epoch, lease_until) on sandbox_head to cairn_gate;
