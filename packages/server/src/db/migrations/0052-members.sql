-- expands: programs before it know no members. They refuse sessions and keys of members, whose rows they do not find by
-- an account, and show grants to groups without a grantee.
-- A member is a person of an account. Besides its row in `member` it has a row in `account`, which grants, answers and
-- feedback refer to and which holds nothing else. A member is deleted by deleting that row.
create table member (
  user_id text not null,
  id text not null,
  role text not null check (role in ('owner', 'admin', 'member', 'viewer')),
  status text not null default 'active' check (status in ('active', 'suspended')),
  display_name text not null,
  email text,
  -- Whether a value of the groups claim gave the role, and may take it again.
  role_from_claim boolean not null default false,
  created_by text not null,
  created_at timestamptz not null,
  last_seen_at timestamptz,
  constraint member_pkey primary key (user_id, id),
  constraint member_account foreign key (user_id) references account (user_id) on delete cascade,
  constraint member_own_account foreign key (id) references account (user_id) on delete cascade
);
create index member_by_id on member (id);
alter table member enable row level security;
alter table member force row level security;
create policy member_tenant on member to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));
grant select, insert, update, delete on member to cairn_app;

alter table account add column member_of text;
-- The operator sees accounts, not their members.
drop policy account_operator on account;
create policy account_operator on account for select to cairn_gate
  using (current_setting('app.operator', true) = 'on' and member_of is null);

-- A key that belongs to a member acts as that member; it goes with the member.
alter table api_key add column member_id text;
alter table api_key add constraint api_key_member foreign key (user_id, member_id)
  references member (user_id, id) on delete cascade;
create index api_key_by_member on api_key (user_id, member_id) where member_id is not null;

-- The member who made a sandbox uses it as its owner.
alter table sandbox add column member_id text;
create index sandbox_by_member on sandbox (member_id) where member_id is not null;

-- Who a person is at an identity provider: the SHA-256 of issuer and subject finds the row before the account is known.
create table member_identity (
  user_id text not null,
  identity_hash bytea not null check (octet_length(identity_hash) = 32),
  member_id text not null,
  issuer text not null,
  subject text not null,
  created_at timestamptz not null,
  signed_in_at timestamptz not null,
  constraint member_identity_pkey primary key (user_id, identity_hash),
  constraint member_identity_member foreign key (user_id, member_id) references member (user_id, id) on delete cascade
);
create index member_identity_by_hash on member_identity (identity_hash);
create index member_identity_by_member on member_identity (user_id, member_id);
alter table member_identity enable row level security;
alter table member_identity force row level security;
create policy member_identity_tenant on member_identity to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));
grant select, insert, update, delete on member_identity to cairn_app;

-- A browser that is signed in. Without a member it acts as the account. The digests of the provider's session and
-- subject find it for back-channel logout.
create table session (
  user_id text not null,
  id text not null,
  token_hash bytea not null check (octet_length(token_hash) = 32),
  member_id text,
  identity_hash bytea check (octet_length(identity_hash) = 32),
  provider_session_hash bytea check (octet_length(provider_session_hash) = 32),
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  expires_at timestamptz not null,
  constraint session_pkey primary key (user_id, id),
  constraint session_account foreign key (user_id) references account (user_id) on delete cascade,
  constraint session_member foreign key (user_id, member_id) references member (user_id, id) on delete cascade
);
create index session_by_token on session (token_hash);
create index session_by_member on session (user_id, member_id);
create index session_by_identity on session (identity_hash) where identity_hash is not null;
create index session_by_provider_session on session (provider_session_hash) where provider_session_hash is not null;
alter table session enable row level security;
alter table session force row level security;
create policy session_tenant on session to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));
grant select, insert, update, delete on session to cairn_app;

-- A code of a link that was exchanged for a session. One exchanged for a key is known by that key's row.
create table used_code (
  user_id text not null,
  id text not null,
  expires_at timestamptz not null,
  constraint used_code_pkey primary key (user_id, id),
  constraint used_code_account foreign key (user_id) references account (user_id) on delete cascade
);
alter table used_code enable row level security;
alter table used_code force row level security;
create policy used_code_tenant on used_code to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));
grant select, insert, update, delete on used_code to cairn_app;

-- The states of sign-ins that came back from the identity provider, each of which is taken once.
create table used_state (
  state_hash bytea not null check (octet_length(state_hash) = 32),
  expires_at timestamptz not null,
  constraint used_state_pkey primary key (state_hash)
);
create index used_state_by_end on used_state (expires_at);
alter table used_state enable row level security;
alter table used_state force row level security;
create policy used_state_worker on used_state to cairn_gate
  using (current_setting('app.worker', true) = 'on');
grant select, insert, delete on used_state to cairn_gate;

create table invitation (
  user_id text not null,
  id text not null,
  code_hash bytea not null check (octet_length(code_hash) = 32),
  role text not null check (role in ('owner', 'admin', 'member', 'viewer')),
  email text,
  -- Ids of groups, separated by spaces.
  group_ids text not null default '',
  created_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  accepted_by text,
  constraint invitation_pkey primary key (user_id, id),
  constraint invitation_account foreign key (user_id) references account (user_id) on delete cascade
);
create index invitation_by_code on invitation (code_hash);
alter table invitation enable row level security;
alter table invitation force row level security;
create policy invitation_tenant on invitation to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));
grant select, insert, update, delete on invitation to cairn_app;

-- A group with a claim has the members whose identity provider names that value.
create table team_group (
  user_id text not null,
  id text not null,
  name text not null,
  claim text,
  created_at timestamptz not null,
  constraint team_group_pkey primary key (user_id, id),
  constraint team_group_account foreign key (user_id) references account (user_id) on delete cascade,
  constraint team_group_duplicate_name unique (user_id, name),
  constraint team_group_duplicate_claim unique (user_id, claim)
);
alter table team_group enable row level security;
alter table team_group force row level security;
create policy team_group_tenant on team_group to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));
grant select, insert, update, delete on team_group to cairn_app;

create table team_group_member (
  user_id text not null,
  group_id text not null,
  member_id text not null,
  constraint team_group_member_pkey primary key (user_id, group_id, member_id),
  constraint team_group_member_group foreign key (user_id, group_id) references team_group (user_id, id)
    on delete cascade,
  constraint team_group_member_member foreign key (user_id, member_id) references member (user_id, id)
    on delete cascade
);
create index team_group_member_by_member on team_group_member (member_id);
alter table team_group_member enable row level security;
alter table team_group_member force row level security;
create policy team_group_member_tenant on team_group_member to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));
grant select, insert, update, delete on team_group_member to cairn_app;

create table group_role (
  user_id text not null,
  id text not null,
  claim text not null,
  role text not null check (role in ('owner', 'admin', 'member', 'viewer')),
  created_at timestamptz not null,
  constraint group_role_pkey primary key (user_id, id),
  constraint group_role_account foreign key (user_id) references account (user_id) on delete cascade,
  constraint group_role_claim unique (user_id, claim)
);
alter table group_role enable row level security;
alter table group_role force row level security;
create policy group_role_tenant on group_role to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));
grant select, insert, update, delete on group_role to cairn_app;

-- A grant names an account or a member, a group of the account that holds the sandbox, or an invited address, which
-- becomes a member once somebody joins with it.
alter table connection alter column grantee_user_id drop not null;
alter table connection add column group_id text;
alter table connection add column email text;
alter table connection add constraint connection_group foreign key (user_id, group_id)
  references team_group (user_id, id) on delete cascade;
alter table connection add constraint connection_one_grantee check (num_nonnulls(grantee_user_id, group_id, email) = 1);
create index connection_by_group on connection (user_id, group_id) where group_id is not null;
create index connection_by_email on connection (user_id, lower(email)) where email is not null;

-- Whoever holds a session's token may read that session, its account and its member.
create policy session_by_hash on session for select to cairn_gate
  using (token_hash = decode(nullif(current_setting('app.session_hash', true), ''), 'hex'));
create policy account_by_session_hash on account for select to cairn_gate
  using (exists (
    select from session s
    where s.user_id = account.user_id
      and s.token_hash = decode(nullif(current_setting('app.session_hash', true), ''), 'hex')
  ));
create policy member_by_session_hash on member for select to cairn_gate
  using (exists (
    select from session s
    where s.user_id = member.user_id and s.member_id = member.id
      and s.token_hash = decode(nullif(current_setting('app.session_hash', true), ''), 'hex')
  ));
create policy member_by_key_hash on member for select to cairn_gate
  using (exists (
    select from api_key k
    where k.user_id = member.user_id and k.member_id = member.id
      and k.key_hash = decode(nullif(current_setting('app.key_hash', true), ''), 'hex')
  ));
-- An invitation is found by its code, the members and sessions of a person by who that is at the identity provider.
create policy invitation_by_code on invitation for select to cairn_gate
  using (code_hash = decode(nullif(current_setting('app.invitation', true), ''), 'hex'));
create policy member_identity_by_hash on member_identity for select to cairn_gate
  using (identity_hash = decode(nullif(current_setting('app.identity', true), ''), 'hex'));
create policy session_by_identity on session for select to cairn_gate
  using (
    identity_hash = decode(nullif(current_setting('app.identity', true), ''), 'hex')
    or provider_session_hash = decode(nullif(current_setting('app.identity', true), ''), 'hex')
  );
grant select on member, member_identity, session, invitation to cairn_gate;

-- A member sees the sandboxes that it made and those that its groups were granted.
create policy team_group_member_by_caller on team_group_member for select to cairn_gate
  using (member_id = nullif(current_setting('app.caller', true), ''));
create policy connection_by_group_member on connection for select to cairn_gate
  using (
    group_id is not null and revoked_at is null and exists (
      select from team_group_member g
      where g.user_id = connection.user_id
        and g.group_id = connection.group_id
        and g.member_id = nullif(current_setting('app.caller', true), '')
    )
  );
create policy sandbox_by_member on sandbox for select to cairn_gate
  using (
    member_id = nullif(current_setting('app.caller', true), '')
    or exists (
      select from connection c
      where c.user_id = sandbox.user_id
        and c.sandbox_id = sandbox.id
        and c.group_id is not null
        and nullif(current_setting('app.caller', true), '') is not null
    )
  );
grant select on team_group_member to cairn_gate;

-- The grants of hosted servers that a person authorized, in whichever sandbox, are found when that person leaves.
create policy oauth_grant_by_person on oauth_grant for select to cairn_gate
  using (authorized_by = nullif(current_setting('app.caller', true), ''));
create index oauth_grant_by_person on oauth_grant (authorized_by) where authorized_by is not null;
grant select (user_id, sandbox_id, source_id, authorized_by) on oauth_grant to cairn_gate;
