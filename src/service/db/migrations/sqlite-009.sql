-- Version 9. Whether the region was chosen, and is not the default: all servers of a workspace use the same one.
alter table workspace add region_chosen integer not null default 0;
update workspace set region_chosen = region <> 'US';
