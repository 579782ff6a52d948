-- Version 4. The number of the newest key of each process, which never decreases. It is not in the list's row: entries are
-- validated under a shared lock on that row, and a transaction that would lock it alone waits as long as there are others.
create table key_counter (
  list_id bigint primary key references list on delete cascade,
  last_key bigint not null
);
insert into key_counter select id, last_key from list where last_key > 0;
alter table list drop column last_key;
