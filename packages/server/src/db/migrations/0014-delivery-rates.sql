-- What a source's minute allows of deliveries is counted here for all processes, by the role that deliveries have.
create policy rate_door on rate to cairn_door
  using (current_setting('app.door', true) = 'on' and kind = 'deliveries')
  with check (current_setting('app.door', true) = 'on' and kind = 'deliveries');
grant select, insert, update on rate to cairn_door;

-- take_rate for deliveries. A process may take more than it has, for what comes within the same second; what of that it
-- did not use (p_unused, taken in p_unused_second) is given back first, to the second that it was taken from.
create function take_deliveries(
  p_user text, p_sandbox text, p_source text, p_limit bigint, p_wanted bigint, p_second bigint,
  p_unused bigint, p_unused_second bigint, out granted bigint, out used bigint, out free_in integer
) language plpgsql as $$
declare
  slots constant integer := 61;
begin
  if p_unused > 0 then
    update rate r
      set counts[p_unused_second % slots + 1] = greatest(0, r.counts[p_unused_second % slots + 1] - p_unused)
      where r.user_id = p_user and r.sandbox_id = p_sandbox and r.subject = p_source and r.kind = 'deliveries'
        and r.latest_second - p_unused_second between 0 and slots - 1;
  end if;
  select taken.granted, taken.used, taken.free_in into granted, used, free_in
    from take_rate(p_user, p_sandbox, p_source, 'deliveries', p_limit, p_wanted, 1, p_second) as taken;
end
$$;
