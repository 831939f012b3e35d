-- Accounts are the tenants. Every table of a tenant starts its keys with user_id and has row level security enabled and
-- forced in the same file. The role cairn_app sees a row only in a transaction that names the row's tenant in
-- app.tenant. The few look-ups that are made before a tenant is known run as cairn_gate, which sees what a policy
-- written for the look-up shows; the catalogue test lists these policies.

create table account (
  user_id text not null,
  display_name text not null,
  status text not null default 'active' check (status in ('active', 'suspended')),
  created_at timestamptz not null,
  primary_sandbox_id text,
  default_project_id text,
  constraint account_pkey primary key (user_id)
);
alter table account enable row level security;
alter table account force row level security;

create table api_key (
  user_id text not null,
  id text not null,
  name text not null,
  key_prefix text not null,
  key_hash bytea not null check (octet_length(key_hash) = 32),
  connection_id text,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  use_count bigint not null default 0,
  constraint api_key_pkey primary key (user_id, id),
  constraint api_key_account foreign key (user_id) references account (user_id) on delete cascade,
  constraint api_key_taken unique (key_hash)
);
alter table api_key enable row level security;
alter table api_key force row level security;

create policy account_tenant on account to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));
create policy api_key_tenant on api_key to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));

-- Whoever holds a key may read that key's row and its account.
create policy api_key_by_hash on api_key for select to cairn_gate
  using (key_hash = decode(nullif(current_setting('app.key_hash', true), ''), 'hex'));
create policy account_by_key_hash on account for select to cairn_gate
  using (exists (
    select from api_key k
    where k.user_id = account.user_id
      and k.key_hash = decode(nullif(current_setting('app.key_hash', true), ''), 'hex')
  ));

-- The operator lists accounts.
create policy account_operator on account for select to cairn_gate
  using (current_setting('app.operator', true) = 'on');

grant select, insert, update, delete on account, api_key to cairn_app;
grant select on account, api_key to cairn_gate;
