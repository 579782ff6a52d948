-- Blocks of 512 ids in place of 4096: a page begins somewhere in a block, and what lies before it there is passed
-- over row by row.
drop trigger organization_in;
drop trigger organization_out;
drop trigger contact_in;
drop trigger contact_out;
drop trigger note_in;
drop trigger note_out;
drop trigger custom_field_in;
drop trigger custom_field_out;
drop trigger list_in;
drop trigger list_out;
drop trigger entry_in;
drop trigger entry_out;

delete from tally where scope <> 'calendar_event';
insert into tally select 'organization', id >> 9, count(*) from organization group by 2;
insert into tally select 'contact', id >> 9, count(*) from contact group by 2;
insert into tally select 'note', id >> 9, count(*) from note group by 2;
insert into tally select 'custom_field', id >> 9, count(*) from custom_field group by 2;
insert into tally select 'list', id >> 9, count(*) from list group by 2;
insert into tally select 'entry:' || list_id, id >> 9, count(*) from entry group by list_id, 2;

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
