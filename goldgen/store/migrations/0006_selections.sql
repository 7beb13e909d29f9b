-- Where the best gold of a question stands in a retriever, and named selections of questions.

create table gold_ranks (
    question_id varchar not null,
    retriever varchar not null,
    rank integer,          -- from 1; null: not among the first ``depth``
    depth integer not null,
    primary key (question_id, retriever)
);

create table selections (
    name varchar not null,
    place integer not null, -- the order in which they were chosen
    question_id varchar not null,
    primary key (name, place)
);
