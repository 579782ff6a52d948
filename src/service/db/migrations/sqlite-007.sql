-- Version 7. The number of the newest key of each process, which never decreases.
create table key_counter (
  list_id integer primary key references list on delete cascade,
  last_key integer not null
) strict;
insert into key_counter select id, last_key from list where last_key > 0;
alter table list drop column last_key;
