-- Whether what opens the source's provider is sealed under the caller's key of its sandbox, beside the master key: such
-- a source is read only where somebody holds that key.
alter table source add column credential_under_key boolean not null default false;
