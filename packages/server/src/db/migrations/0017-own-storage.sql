-- Where a sandbox's own bucket is; null in the platform's storage. What opens it is in the secret store.
alter table sandbox add column storage jsonb;
alter table sandbox add constraint sandbox_own_storage
  check ((storage_provider_type = 'custom_s3') = (storage is not null));
alter table sandbox alter column storage set statistics 0;

-- The objects of a deleted sandbox lie in a bucket that can be out of reach for days: until they are gone the note
-- knows where, and the key outlives the sandbox and its account.
alter table erasure add column storage jsonb;
alter table erasure alter column storage set statistics 0;
alter table sealed_secret drop constraint sealed_secret_sandbox;
alter table data_key drop constraint data_key_account;
