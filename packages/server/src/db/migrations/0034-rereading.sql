-- Up to which commit records may be as an older program read them: they are read anew at rest, and 0 is none.
alter table sandbox_head add column reread_up_to bigint not null default 0;
-- The owner of the table sees its rows only while that is not forced on it as well.
alter table sandbox_head no force row level security;
update sandbox_head set reread_up_to = seq;
alter table sandbox_head force row level security;
