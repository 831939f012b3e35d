-- What a sandbox keeps of its caller's key: what the key is known by again, and the public half of a key pair that is
-- derived from it, so that what comes without the key can be sealed to it. Nothing here opens anything. Roles that may
-- read a sandbox's row may read it; cairn_door seals deliveries with it.
alter table sandbox add column caller_key jsonb;
alter table sandbox add constraint sandbox_caller_key check (encrypted = (caller_key is not null));

-- Under which of its caller's keys the committed datasets are sealed, counted from 1; null where there is none. It moves
-- with the head, so that nobody reads a head with another key than its own.
alter table sandbox_head add column key_epoch integer;
