-- The blocks of `tally` in groups of 64: of a long list only a few groups and the blocks of one are read.
create table tally_group (
  scope text not null,
  part integer not null,
  records integer not null,
  primary key (scope, part)
) strict, without rowid;

create trigger tally_in after insert on tally begin
  insert into tally_group values (new.scope, new.block >> 6, new.records)
    on conflict do update set records = records + excluded.records;
end;
create trigger tally_change after update on tally begin
  update tally_group set records = records + new.records - old.records
    where scope = new.scope and part = new.block >> 6;
end;
create trigger tally_out after delete on tally begin
  update tally_group set records = records - old.records
    where scope = old.scope and part = old.block >> 6;
  delete from tally_group where scope = old.scope and part = old.block >> 6 and records = 0;
end;

insert into tally_group select scope, block >> 6, sum(records) from tally group by 1, 2;

-- With the address: the rows of `contact_email` lie by address, each somewhere else in a large file.
drop index contact_email_of;
create index contact_email_of on contact_email (contact_id, position, email);

-- Whether an event has a recording that is done: only such are shown, in this order.
alter table calendar_event add column shown integer not null default 0;
drop index calendar_event_start;
create index calendar_event_shown on calendar_event (starts_at desc, id) where shown = 1;
create index calendar_event_updated on calendar_event (updated_at) where shown = 1;

-- Shown events are counted by when they start, the latest first: a block has 2^26 milliseconds, 18.6 hours.
create trigger calendar_event_change after update of shown, starts_at on calendar_event begin
  update tally set records = records - 1
    where old.shown = 1 and scope = 'calendar_event' and block = -(old.starts_at >> 26);
  insert into tally select 'calendar_event', -(new.starts_at >> 26), 1 where new.shown = 1
    on conflict do update set records = records + 1;
end;
create trigger calendar_event_out after delete on calendar_event when old.shown = 1 begin
  update tally set records = records - 1
    where scope = 'calendar_event' and block = -(old.starts_at >> 26);
end;

create trigger recording_in after insert on recording when new.status = 'done' begin
  update calendar_event set shown = 1 where id = new.calendar_event_id and shown = 0;
end;
create trigger recording_change after update of status, calendar_event_id on recording begin
  update calendar_event
    set shown = exists (select 1 from recording where calendar_event_id = calendar_event.id and status = 'done')
    where id in (old.calendar_event_id, new.calendar_event_id);
end;
create trigger recording_out after delete on recording when old.status = 'done' begin
  update calendar_event
    set shown = exists (select 1 from recording where calendar_event_id = calendar_event.id and status = 'done')
    where id = old.calendar_event_id;
end;

update calendar_event set shown = 1
  where id in (select calendar_event_id from recording where status = 'done');
