-- Version 4 of the schema, the first that is supported. Times are milliseconds since 1970.
-- Values, options and statuses are JSON. AUTOINCREMENT: the id of a deleted record is never used again.
-- `identity` is stored in export folders and import reports. A moved or copied file keeps it.
create table workspace (
  id integer primary key check (id = 1),
  region text not null,
  sample integer not null default 0,
  identity text not null default ''
) strict;
insert into workspace (id, region, identity) values (1, 'US', lower(hex(randomblob(16))));

create table api_key (
  id integer primary key autoincrement,
  name text not null,
  sha256 text not null unique,
  read_only integer not null,
  created_at integer not null,
  revoked_at integer
) strict;

create table organization (
  id integer primary key autoincrement,
  name text,
  created_at integer not null,
  updated_at integer not null
) strict;

create table organization_domain (
  domain text primary key,
  organization_id integer not null references organization on delete cascade,
  position integer not null
) strict, without rowid;
create index organization_domain_of on organization_domain (organization_id, position);

create table contact (
  id integer primary key autoincrement,
  first_name text,
  last_name text,
  organization_id integer references organization on delete set null,
  created_at integer not null,
  updated_at integer not null
) strict;
create index contact_organization on contact (organization_id);

-- `folded` is the address in lower case, which is unique and used for lookups.
create table contact_email (
  folded text primary key,
  email text not null,
  contact_id integer not null references contact on delete cascade,
  position integer not null
) strict, without rowid;
-- Includes the address, because the rows of this table are stored in the order of addresses, far apart for one contact.
create index contact_email_of on contact_email (contact_id, position, email);

-- `number` is in E.164 format, `national` is the same number without its country code.
create table contact_phone (
  contact_id integer not null references contact on delete cascade,
  position integer not null,
  number text not null,
  national text not null,
  primary key (contact_id, position)
) strict, without rowid;
create index contact_phone_number on contact_phone (number);
create index contact_phone_national on contact_phone (national);

create table note (
  id integer primary key autoincrement,
  organization_id integer not null references organization on delete cascade,
  deal_id text,
  body text not null,
  created_at integer not null,
  updated_at integer not null
) strict;
create index note_organization on note (organization_id);

create table custom_field (
  id integer primary key autoincrement,
  model text not null,
  name text not null,
  data_type text not null,
  accepts_multiple_values integer not null,
  options text not null,
  created_at integer not null,
  updated_at integer not null,
  unique (model, name)
) strict;

create table contact_value (
  record_id integer not null references contact on delete cascade,
  field_id integer not null references custom_field on delete cascade,
  value text not null,
  primary key (record_id, field_id)
) strict, without rowid;
create index contact_value_field on contact_value (field_id);

create table organization_value (
  record_id integer not null references organization on delete cascade,
  field_id integer not null references custom_field on delete cascade,
  value text not null,
  primary key (record_id, field_id)
) strict, without rowid;
create index organization_value_field on organization_value (field_id);

-- The columns from `identifier` to `statuses` are null for a regular list. `last_key` is the number of the newest key and
-- never decreases.
create table list (
  id integer primary key autoincrement,
  name text not null,
  process integer not null,
  entry_type text not null,
  identifier text,
  duplicates_allowed integer,
  entry_label text,
  status_label text,
  statuses text,
  last_key integer not null default 0,
  created_at integer not null,
  updated_at integer not null,
  archived_at integer
) strict;

create table list_field (
  id integer primary key autoincrement,
  list_id integer not null references list on delete cascade,
  name text not null,
  data_type text not null,
  accepts_multiple_values integer not null,
  options text not null,
  unique (list_id, name)
) strict;

-- The entry of a contact or of an organization, depending on the list's entry_type.
create table entry (
  id integer primary key autoincrement,
  list_id integer not null references list on delete cascade,
  key text,
  entryable_contact_id integer references contact on delete cascade,
  entryable_organization_id integer references organization on delete cascade,
  contact_id integer references contact on delete set null,
  status text,
  assignee_email text,
  one_time_value_cents integer,
  recurring_value_cents integer,
  recurring_value_period text,
  closed_at integer,
  created_at integer not null,
  updated_at integer not null,
  check ((entryable_contact_id is null) <> (entryable_organization_id is null))
) strict;
create index entry_list on entry (list_id, id);
create index entry_of_contact on entry (entryable_contact_id, list_id);
create index entry_of_organization on entry (entryable_organization_id, list_id);
create index entry_contact on entry (contact_id);
create index entry_status on entry (list_id, status);

create table entry_value (
  record_id integer not null references entry on delete cascade,
  field_id integer not null references list_field on delete cascade,
  value text not null,
  primary key (record_id, field_id)
) strict, without rowid;
create index entry_value_field on entry_value (field_id);

-- `start_at` and `end_at` keep their UTC offset; `starts_at` is the same moment in milliseconds, for sorting.
-- `source` identifies an event of a calendar file, so that a repeated import updates it.
-- `shown` is 1 if the event has a recording that is done: only these events are listed.
create table calendar_event (
  id integer primary key autoincrement,
  source text unique,
  title text not null,
  start_at text not null,
  end_at text not null,
  starts_at integer not null,
  conference_link text,
  conference_type text,
  created_at integer not null,
  updated_at integer not null,
  shown integer not null default 0
) strict;
create index calendar_event_shown on calendar_event (starts_at desc, id) where shown = 1;
create index calendar_event_updated on calendar_event (updated_at) where shown = 1;

create table calendar_event_attendee (
  calendar_event_id integer not null references calendar_event on delete cascade,
  position integer not null,
  email text not null,
  folded text not null,
  primary key (calendar_event_id, position)
) strict, without rowid;
create index calendar_event_attendee_email on calendar_event_attendee (folded);

create table recording (
  id integer primary key autoincrement,
  calendar_event_id integer not null references calendar_event on delete cascade,
  status text not null,
  started_at integer not null,
  ended_at integer,
  audio_duration real,
  created_at integer not null,
  updated_at integer not null,
  summary text,
  transcript text
) strict;
create index recording_event on recording (calendar_event_id, status);

-- The number of records in each block of 512 ids. A total is read and an offset is located without counting records.
-- `scope` is the table, for entries with the list.
create table tally (
  scope text not null,
  block integer not null,
  records integer not null,
  primary key (scope, block)
) strict, without rowid;

-- The blocks of `tally` in groups of 64. A lookup in a long list reads its groups and the blocks of one of them.
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

create trigger organization_in after insert on organization begin
  insert into tally values ('organization', new.id >> 9, 1) on conflict do update set records = records + 1;
end;
create trigger organization_out after delete on organization begin
  update tally set records = records - 1 where scope = 'organization' and block = old.id >> 9;
end;
create trigger contact_in after insert on contact begin
  insert into tally values ('contact', new.id >> 9, 1) on conflict do update set records = records + 1;
end;
create trigger contact_out after delete on contact begin
  update tally set records = records - 1 where scope = 'contact' and block = old.id >> 9;
end;
create trigger note_in after insert on note begin
  insert into tally values ('note', new.id >> 9, 1) on conflict do update set records = records + 1;
end;
create trigger note_out after delete on note begin
  update tally set records = records - 1 where scope = 'note' and block = old.id >> 9;
end;
create trigger custom_field_in after insert on custom_field begin
  insert into tally values ('custom_field', new.id >> 9, 1) on conflict do update set records = records + 1;
end;
create trigger custom_field_out after delete on custom_field begin
  update tally set records = records - 1 where scope = 'custom_field' and block = old.id >> 9;
end;
create trigger list_in after insert on list begin
  insert into tally values ('list', new.id >> 9, 1) on conflict do update set records = records + 1;
end;
create trigger list_out after delete on list begin
  update tally set records = records - 1 where scope = 'list' and block = old.id >> 9;
  delete from tally where scope = 'entry:' || old.id;
end;
create trigger entry_in after insert on entry begin
  insert into tally values ('entry:' || new.list_id, new.id >> 9, 1)
    on conflict do update set records = records + 1;
end;
create trigger entry_out after delete on entry begin
  update tally set records = records - 1 where scope = 'entry:' || old.list_id and block = old.id >> 9;
end;

-- Shown events are counted by their start, the latest first. A block has 2^26 milliseconds, which is 18.6 hours.
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
