-- expands: programs before it have no sources with auth_kind oauth, and do not read these tables.
-- The consent of a person by which a source with auth_kind oauth acts. Tokens, verifiers and client secrets are in
-- sealed_secret. Every table here belongs to one sandbox, so nothing is shared between tenants and all of it goes with
-- the sandbox.
create table oauth_flow (
  user_id text not null,
  sandbox_id text not null,
  source_id text not null,
  state_hash bytea not null check (octet_length(state_hash) = 32),
  phase text not null default 'pending' check (phase in ('pending', 'confirming')),
  issuer text not null,
  scopes text not null,
  started_by text not null,
  credential_id text not null,
  code_hash bytea check (octet_length(code_hash) = 32),
  wrong_codes integer not null default 0,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  constraint oauth_flow_pkey primary key (user_id, sandbox_id, source_id),
  constraint oauth_flow_source foreign key (user_id, sandbox_id, source_id)
    references source (user_id, sandbox_id, id) on delete cascade
);
create index oauth_flow_by_state on oauth_flow (state_hash);
create index oauth_flow_expired on oauth_flow (expires_at);
alter table oauth_flow enable row level security;
alter table oauth_flow force row level security;
create policy oauth_flow_tenant on oauth_flow to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));
grant select, insert, update, delete on oauth_flow to cairn_app;

-- A callback names a flow by its state before its tenant is known. It is changed only as its tenant.
create policy oauth_flow_by_state on oauth_flow for select to cairn_gate
  using (state_hash = decode(nullif(current_setting('app.oauth_state', true), ''), 'hex'));
-- Workers look for flows that expired; they remove one only as its tenant.
create policy oauth_flow_worker on oauth_flow for select to cairn_gate
  using (current_setting('app.worker', true) = 'on');
grant select (user_id, sandbox_id, source_id, state_hash, phase, expires_at) on oauth_flow to cairn_gate;

create table oauth_client (
  user_id text not null,
  sandbox_id text not null,
  id text not null,
  issuer text not null,
  redirect_uri text not null,
  registered_at timestamptz not null,
  constraint oauth_client_pkey primary key (user_id, sandbox_id, id),
  constraint oauth_client_sandbox foreign key (user_id, sandbox_id) references sandbox (user_id, id) on delete cascade
);
alter table oauth_client enable row level security;
alter table oauth_client force row level security;
create policy oauth_client_tenant on oauth_client to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));
grant select, insert, update, delete on oauth_client to cairn_app;

create table oauth_grant (
  user_id text not null,
  sandbox_id text not null,
  source_id text not null,
  state text not null default 'authorized' check (state in ('authorized', 'needs_scopes', 'ended')),
  reason text,
  issuer text,
  resource text,
  scopes text not null default '',
  missing_scopes text not null default '',
  refreshable boolean not null default false,
  authorized_by text,
  expires_at timestamptz,
  refresh_at timestamptz,
  generation bigint not null default 1,
  lease_owner text,
  lease_until timestamptz,
  updated_at timestamptz not null,
  constraint oauth_grant_pkey primary key (user_id, sandbox_id, source_id),
  constraint oauth_grant_source foreign key (user_id, sandbox_id, source_id)
    references source (user_id, sandbox_id, id) on delete cascade
);
alter table oauth_grant enable row level security;
alter table oauth_grant force row level security;
create policy oauth_grant_tenant on oauth_grant to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));
grant select, insert, update, delete on oauth_grant to cairn_app;
