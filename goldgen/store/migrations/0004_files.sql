-- What was read of the corpus's files, so that the next load reads only what has changed.

create table files (
    path varchar primary key,
    size bigint not null,
    modified_ns bigint not null, -- 0: it changed so shortly before it was read that only the hash can tell
    hash varchar not null,
    read_by varchar not null, -- fingerprint of the readers
    cut_by varchar not null,  -- of the chunk options and footers; empty if there are no chunks
    reason varchar not null   -- why it gave no document; empty if it did
);
