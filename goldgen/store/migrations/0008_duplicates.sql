-- Questions that are one with another in nearly the same words, and pairs that a person has said are not.

create table question_duplicates (
    question_id varchar primary key,
    kept_id varchar not null,    -- never itself a question_id of this table
    found_by varchar not null,   -- words: the same ones; embedding: a few differ and mean the same
    similarity double not null   -- cosine
);

create table parted_questions (
    first_id varchar not null,
    second_id varchar not null,  -- the greater of the two
    primary key (first_id, second_id)
);
