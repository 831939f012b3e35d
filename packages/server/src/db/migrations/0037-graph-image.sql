-- Where the graph of a sandbox is kept as a file, as it was at a commit: what the file is named and nothing of what it
-- says. A restore of the database names the file of its time, or one that is gone; then the graph is built anew.
alter table sandbox_head add column graph_image text;
