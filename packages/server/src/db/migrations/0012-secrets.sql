-- A secret that the service has to read again, such as a provider's token: sealed under the data key of its account.
create table sealed_secret (
  user_id text not null,
  sandbox_id text not null,
  ref text not null,
  sealed bytea not null,
  sealed_at timestamptz not null,
  constraint sealed_secret_pkey primary key (user_id, sandbox_id, ref),
  constraint sealed_secret_sandbox foreign key (user_id, sandbox_id) references sandbox (user_id, id) on delete cascade
);
alter table sealed_secret enable row level security;
alter table sealed_secret force row level security;
alter table sealed_secret alter column ref set statistics 0, alter column sealed set statistics 0;

-- The data key of an account, wrapped by the master key whose fingerprint stands beside it.
create table data_key (
  user_id text not null,
  wrapped bytea not null,
  fingerprint bytea not null check (octet_length(fingerprint) = 32),
  wrapped_at timestamptz not null,
  constraint data_key_pkey primary key (user_id),
  constraint data_key_account foreign key (user_id) references account (user_id) on delete cascade
);
alter table data_key enable row level security;
alter table data_key force row level security;
alter table data_key alter column wrapped set statistics 0;

-- The master key that this database is used with, by its fingerprint, so that a start with another one is refused.
create table master_key (
  is_only boolean not null default true check (is_only),
  fingerprint bytea not null check (octet_length(fingerprint) = 32),
  noted_at timestamptz not null,
  constraint master_key_pkey primary key (is_only)
);
alter table master_key enable row level security;
alter table master_key force row level security;

create policy sealed_secret_tenant on sealed_secret to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));
create policy data_key_tenant on data_key to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));
grant select, insert, update, delete on sealed_secret, data_key to cairn_app;

-- A start looks over all accounts for keys that another master key wrapped; the wrapped keys it cannot see.
create policy data_key_worker on data_key for select to cairn_gate
  using (current_setting('app.worker', true) = 'on');
grant select (user_id, fingerprint) on data_key to cairn_gate;
create policy master_key_worker on master_key to cairn_gate
  using (current_setting('app.worker', true) = 'on');
grant select, insert, update on master_key to cairn_gate;

-- Where in the store a source's secrets are; null for those that it has not.
alter table source add column credential_ref text;
alter table source add column signing_secret_ref text;
