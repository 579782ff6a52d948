-- The requests of each API key in its latest minute, for the rate limit of all servers. A minute is the number of minutes
-- since 1970. After a crash of the database server, the table is empty, which costs less than a log of each change.
create unlogged table rate_limit (
  key_id bigint primary key,
  minute bigint not null,
  requests bigint not null
);
