-- Version 8. The addresses that attended each shown event, once for each event, in the order of the events. Triggers
-- maintain the rows, and count them in the tally of each address, in the blocks of `calendar_event`.
create table attendance (
  calendar_event_id integer not null references calendar_event on delete cascade,
  folded text not null,
  starts_at integer not null,
  primary key (calendar_event_id, folded)
) strict, without rowid;
insert into attendance select distinct calendar_event.id, folded, starts_at
  from calendar_event join calendar_event_attendee on calendar_event.id = calendar_event_id where shown;
create index attendance_of_address on attendance (folded, starts_at desc, calendar_event_id);
drop index calendar_event_attendee_email;

insert into tally select 'attendee:' || folded, -(starts_at >> 26), count(*) from attendance
  group by folded, starts_at >> 26;
create trigger attendance_in after insert on attendance begin
  insert into tally values ('attendee:' || new.folded, -(new.starts_at >> 26), 1)
    on conflict do update set records = records + 1;
end;
create trigger attendance_out after delete on attendance begin
  update tally set records = records - 1
    where scope = 'attendee:' || old.folded and block = -(old.starts_at >> 26);
  delete from tally
    where scope = 'attendee:' || old.folded and block = -(old.starts_at >> 26) and records = 0;
end;

create trigger calendar_event_attendee_in after insert on calendar_event_attendee begin
  insert into attendance select id, new.folded, starts_at
    from calendar_event where id = new.calendar_event_id and shown on conflict do nothing;
end;
create trigger calendar_event_attendee_out after delete on calendar_event_attendee begin
  delete from attendance where calendar_event_id = old.calendar_event_id and folded = old.folded
    and not exists (select 1 from calendar_event_attendee
      where calendar_event_id = old.calendar_event_id and folded = old.folded);
end;
create trigger calendar_event_attendance after update of shown, starts_at on calendar_event
  when old.shown <> new.shown or old.starts_at <> new.starts_at begin
  delete from attendance where calendar_event_id = new.id;
  insert into attendance select distinct new.id, folded, new.starts_at
    from calendar_event_attendee where calendar_event_id = new.id and new.shown;
end;

-- Shown events are also counted by their latest update, in blocks of the same length.
insert into tally select 'calendar_event:updated', -(updated_at >> 26), count(*) from calendar_event where shown
  group by updated_at >> 26;
create trigger calendar_event_updates after update of shown, updated_at on calendar_event begin
  update tally set records = records - 1
    where old.shown and scope = 'calendar_event:updated' and block = -(old.updated_at >> 26);
  insert into tally select 'calendar_event:updated', -(new.updated_at >> 26), 1 where new.shown
    on conflict do update set records = records + 1;
end;
create trigger calendar_event_updates_out after delete on calendar_event when old.shown begin
  update tally set records = records - 1
    where scope = 'calendar_event:updated' and block = -(old.updated_at >> 26);
end;

-- Includes the start, so that the events that were updated before a time are counted from the index.
drop index calendar_event_updated;
create index calendar_event_updated on calendar_event (updated_at, starts_at) where shown;
