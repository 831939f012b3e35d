-- expands: programs before it find the same records by the words of these, and do not relate spellings.
-- British and American spellings are one term in records that are written, or read again, from here on.
alter table sandbox_head no force row level security;
update sandbox_head set reread_up_to = seq;
alter table sandbox_head force row level security;
