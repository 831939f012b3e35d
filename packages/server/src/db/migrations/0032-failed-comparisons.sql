-- What the last comparison of a sandbox's things could not compare: pairs or types, which stay as they were, or nothing
-- at all, since it ended in an error and is made again. Null: it compared everything.
alter table sandbox_head
  add column comparison_failed text,
  add constraint sandbox_head_comparison_failed check (comparison_failed in ('part', 'whole'));
