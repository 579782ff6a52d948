-- Version 7. Email addresses are compared without invisible characters, and with ASCII hyphens. An address that another
-- contact has in this form keeps its old form.
update contact_email set folded = clean
  from (
    select folded as dirty, clean, row_number() over (partition by clean order by folded) as place
    from contact_email, translate(
      folded,
      U&'\2010\2011\2012\2013\2014\2015\2212\00ad\061c\200b\200e\200f\202a\202b\202c\202d\202e\2060\2066\2067\2068\2069\feff',
      '-------'
    ) as clean
    where folded <> clean
  ) as renamed
  where folded = dirty and place = 1
    and not exists (select 1 from contact_email as other where other.folded = clean);
