-- A key of a connection is a row of the account that holds the sandbox, and goes with the connection. Whoever holds it
-- acts as the connection's grantee.
alter table api_key add column sandbox_id text;
alter table api_key add constraint api_key_connection foreign key (user_id, sandbox_id, connection_id)
  references connection (user_id, sandbox_id, id) on delete cascade;
alter table api_key add constraint api_key_in_connection check ((sandbox_id is null) = (connection_id is null));
create index api_key_by_connection on api_key (user_id, sandbox_id, connection_id) where connection_id is not null;

-- Whoever holds a connection's key may read that connection and the account it acts as.
create policy connection_by_key_hash on connection for select to cairn_gate
  using (exists (
    select from api_key k
    where k.user_id = connection.user_id
      and k.sandbox_id = connection.sandbox_id
      and k.connection_id = connection.id
      and k.key_hash = decode(nullif(current_setting('app.key_hash', true), ''), 'hex')
  ));
create policy account_by_connection_key_hash on account for select to cairn_gate
  using (exists (
    select from api_key k
      join connection c on c.user_id = k.user_id and c.sandbox_id = k.sandbox_id and c.id = k.connection_id
    where c.grantee_user_id = account.user_id
      and k.key_hash = decode(nullif(current_setting('app.key_hash', true), ''), 'hex')
  ));

-- The project that a job was limited to when it came in; who is limited to a project sees no other jobs.
alter table job add column project_id text;

-- The operator lists accounts by age.
create index account_by_age on account (created_at, user_id);
