-- expands: programs before it find the same records, and do not look up the words of declared names.
-- Under which words of its declared names a record is known is stored with those that are written, or read again, from here on.
alter table sandbox_head no force row level security;
update sandbox_head set reread_up_to = seq;
alter table sandbox_head force row level security;
