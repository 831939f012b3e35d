-- A delivery to an ephemeral source is a call to it: the role of deliveries notes it, and finds out in the same
-- statement whether the source has just been archived. It changes nothing else of any source.
create policy source_door on source for select to cairn_door
  using (current_setting('app.door', true) = 'on' and kind = 'ephemeral');
create policy source_door_notes on source for update to cairn_door
  using (current_setting('app.door', true) = 'on' and kind = 'ephemeral' and status in ('active', 'error'))
  with check (current_setting('app.door', true) = 'on' and kind = 'ephemeral' and status in ('active', 'error'));
grant update (last_seen_at) on source to cairn_door;

-- A suspended account takes no deliveries.
create policy account_by_webhook_slugs on account for select to cairn_door
  using (exists (select from source s where s.user_id = account.user_id));
grant select (user_id, status) on account to cairn_door;
