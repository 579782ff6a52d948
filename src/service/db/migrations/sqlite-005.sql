-- Version 5. The conditions of these indexes match the queries that both engines run.
drop index calendar_event_shown;
create index calendar_event_shown on calendar_event (starts_at desc, id) where shown;
drop index calendar_event_updated;
create index calendar_event_updated on calendar_event (updated_at) where shown;
