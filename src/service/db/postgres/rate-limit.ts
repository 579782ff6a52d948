import sql from 'sql-template-tag';

/**
 * Returns the statement that adds to the request count of a key, which all servers share. It reads the clock after it has
 * locked the row, so that a statement that waits until the next minute counts in that minute.
 */
export const countRequests = (key: number, requests: number) => sql`
  insert into rate_limit as counted (key_id, minute, requests)
    select ${key}::bigint, floor(extract(epoch from clock_timestamp()) / 60), ${requests}::bigint
  on conflict (key_id) do update set (minute, requests) = (
    select clock.minute, case when counted.minute = clock.minute then counted.requests else 0 end + excluded.requests
    from (select floor(extract(epoch from clock_timestamp()) / 60) as minute) as clock)
  returning minute, requests, 60000 * (minute + 1) - extract(epoch from clock_timestamp()) * 1000 as milliseconds`;
