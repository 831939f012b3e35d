-- A secret can be kept in a vault instead: the row names the version there that counts, 0 when it was removed and the
-- vault still has it. Settled: the vault holds nothing else under the reference.
alter table sealed_secret
  add column vault_version integer,
  add column vault_settled boolean not null default true;

-- The sweeper of the vault looks over all secrets that are there, and sees nothing of those that are sealed here.
create policy sealed_secret_worker on sealed_secret for select to cairn_gate
  using (current_setting('app.worker', true) = 'on' and vault_version is not null);
grant select (user_id, sandbox_id, ref, sealed_at, vault_version, vault_settled) on sealed_secret to cairn_gate;
