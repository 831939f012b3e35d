-- expands: programs before it look for keys and addresses in the same columns.
-- What is looked for before its tenant is known has an index, and no key that is unique over all tenants, which tables that
-- are distributed by tenant cannot have. Both are at least 128 random bits, so that no two are equal.
create index api_key_by_hash on api_key (key_hash);
alter table api_key drop constraint api_key_taken;
create index source_by_slug on source (webhook_slug) where webhook_slug is not null;
alter table source drop constraint source_slug_taken;
