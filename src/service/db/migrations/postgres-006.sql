-- Version 6. Whether the region was chosen, and is not the default: all servers of a workspace use the same one.
alter table workspace add region_chosen boolean not null default false;
update workspace set region_chosen = region <> 'US';
