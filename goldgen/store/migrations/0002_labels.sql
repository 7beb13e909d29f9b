-- Verdicts by parts and votes, evidence sets, the pool of candidates, controls of a further kind.

alter table questions add column evidence_chunks varchar[] default [];

alter table judgments add column answer varchar default '';
alter table judgments add column parts_json varchar default '[]';
alter table judgments add column votes integer[] default []; -- a null in it: a vote without a verdict
alter table judgments add column sampled boolean default false;

create table pool (
    question_id varchar not null,
    chunk_id varchar not null,
    source varchar not null, -- the retriever that proposed the chunk
    rank integer not null,   -- from 1
    depth integer not null,  -- how many were asked of it for the question
    primary key (question_id, source, chunk_id)
);

create table controls_of_any_kind (
    id varchar primary key,
    question_id varchar not null,
    kind varchar not null,
    document_id varchar not null,
    text varchar not null,
    context varchar not null,
    grade integer check (grade between 0 and 3), -- null: unjudged
    score double,
    reason varchar not null
);
insert into controls_of_any_kind select * from controls;
drop table controls;
alter table controls_of_any_kind rename to controls;
