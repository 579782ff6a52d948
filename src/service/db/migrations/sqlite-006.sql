-- Version 6. Ids of records that were restored from another service, and the ids under which it lists values of fields.
-- Only a restore adds rows. A record without a row has the hashid of its row number.
create table foreign_id (
  resource text not null,
  row_id integer not null,
  id text not null,
  primary key (resource, row_id)
) strict, without rowid;
create index foreign_id_text on foreign_id (resource, id);
