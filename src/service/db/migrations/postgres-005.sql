-- Version 5. The addresses that attended each shown event, once for each event, in the order of the events. Triggers
-- maintain the rows, and count them in the tally of each address, in the blocks of `calendar_event`.
create table attendance (
  calendar_event_id bigint not null references calendar_event on delete cascade,
  folded text not null,
  starts_at bigint not null,
  primary key (calendar_event_id, folded)
);
insert into attendance select distinct calendar_event.id, folded, starts_at
  from calendar_event join calendar_event_attendee on calendar_event.id = calendar_event_id where shown;
create index attendance_of_address on attendance (folded, starts_at desc, calendar_event_id);
drop index calendar_event_attendee_email;

create function count_attendance() returns trigger language plpgsql set search_path from current as $$
begin
  perform count_change('attendee:' || folded, -(starts_at >> 26),
      case tg_op when 'INSERT' then count(*) else -count(*) end)
    from changed group by folded, starts_at >> 26;
  return null;
end $$;
create trigger tally_in after insert on attendance referencing new table as changed
  for each statement execute function count_attendance();
create trigger tally_out after delete on attendance referencing old table as changed
  for each statement execute function count_attendance();

create function add_attendance() returns trigger language plpgsql set search_path from current as $$
begin
  insert into attendance select distinct calendar_event.id, folded, starts_at
    from changed join calendar_event on calendar_event.id = calendar_event_id where shown
    on conflict do nothing;
  return null;
end $$;
create trigger attendance_in after insert on calendar_event_attendee referencing new table as changed
  for each statement execute function add_attendance();

create function remove_attendance() returns trigger language plpgsql set search_path from current as $$
begin
  delete from attendance using changed
    where attendance.calendar_event_id = changed.calendar_event_id and attendance.folded = changed.folded
      and not exists (select 1 from calendar_event_attendee as other
        where other.calendar_event_id = changed.calendar_event_id and other.folded = changed.folded);
  return null;
end $$;
create trigger attendance_out after delete on calendar_event_attendee referencing old table as changed
  for each statement execute function remove_attendance();

create function move_attendance() returns trigger language plpgsql set search_path from current as $$
begin
  delete from attendance where calendar_event_id = new.id;
  if new.shown then
    insert into attendance select distinct new.id, folded, new.starts_at
      from calendar_event_attendee where calendar_event_id = new.id;
  end if;
  return null;
end $$;
create trigger attendance_change after update of shown, starts_at on calendar_event for each row
  when (old.shown <> new.shown or old.starts_at <> new.starts_at) execute function move_attendance();

-- Shown events are also counted by their latest update, in blocks of the same length.
create function count_updates() returns trigger language plpgsql set search_path from current as $$
begin
  if tg_op <> 'INSERT' and old.shown then
    perform count_change('calendar_event:updated', -(old.updated_at >> 26), -1);
  end if;
  if tg_op <> 'DELETE' and new.shown then
    perform count_change('calendar_event:updated', -(new.updated_at >> 26), 1);
  end if;
  return null;
end $$;
create trigger tally_updates after insert or delete or update of shown, updated_at on calendar_event
  for each row execute function count_updates();

insert into tally_block
  select 'attendee:' || folded, -(starts_at >> 26), count(*) from attendance group by folded, starts_at >> 26
  union all
  select 'calendar_event:updated', -(updated_at >> 26), count(*) from calendar_event where shown
    group by updated_at >> 26;
insert into tally_part select scope, block >> 6, sum(records) from tally_block
  where scope like 'attendee:%' or scope = 'calendar_event:updated' group by scope, block >> 6;

-- Includes the start, so that the events that were updated before a time are counted from the index.
drop index calendar_event_updated;
create index calendar_event_updated on calendar_event (updated_at, starts_at) where shown;
