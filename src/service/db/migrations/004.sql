-- What the folder of an export and the report of an import know the workspace by, wherever its file is moved or copied.
alter table workspace add column identity text not null default '';
update workspace set identity = lower(hex(randomblob(16)));
