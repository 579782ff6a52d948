-- Version 10. Email addresses are compared without invisible characters, and with ASCII hyphens. An address that another
-- contact has in this form keeps its old form.
update or ignore contact_email set folded = (
  with recursive
    character (position, text, plain) as (values
      (1, char(0x00ad), ''), (2, char(0x061c), ''), (3, char(0x200b), ''), (4, char(0x200e), ''),
      (5, char(0x200f), ''), (6, char(0x202a), ''), (7, char(0x202b), ''), (8, char(0x202c), ''),
      (9, char(0x202d), ''), (10, char(0x202e), ''), (11, char(0x2060), ''), (12, char(0x2066), ''),
      (13, char(0x2067), ''), (14, char(0x2068), ''), (15, char(0x2069), ''), (16, char(0xfeff), ''),
      (17, char(0x2010), '-'), (18, char(0x2011), '-'), (19, char(0x2012), '-'), (20, char(0x2013), '-'),
      (21, char(0x2014), '-'), (22, char(0x2015), '-'), (23, char(0x2212), '-')),
    clean (position, address) as (
      select 0, folded
      union all
      select character.position, replace(address, text, plain)
        from clean join character on character.position = clean.position + 1)
  select address from clean order by position desc limit 1
) where folded glob '*[^' || char(1) || '-' || char(127) || ']*';
