-- Whole evaluations, the corpus that a run was measured on, and labels that came with an imported set.

create table evaluations (
    id varchar primary key,
    created_at timestamp not null,
    set_fingerprint varchar not null,
    report_json varchar not null
);

alter table runs add column corpus_fingerprint varchar default '';
alter table runs add column evaluation_id varchar default '';

create table imported_grades (
    question_id varchar not null,
    chunk_id varchar not null,
    grade double not null,
    primary key (question_id, chunk_id)
);
