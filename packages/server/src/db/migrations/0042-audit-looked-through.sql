-- expands: programs before it append and read as they did.
alter table audit validate constraint audit_before_months;
