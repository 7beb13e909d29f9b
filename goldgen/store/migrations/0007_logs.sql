-- What each log says of each query, scrubbed; and the traffic for which a query of the set stands.

create table log_queries (
    log varchar not null, -- SHA-256 of the log, so that the same one counts once
    question_id varchar not null,
    text varchar not null,
    asked bigint not null,
    first_seen timestamp,
    last_seen timestamp,
    variants varchar[] not null,
    pages varchar[] not null,
    unclicked bigint not null,
    rewritten bigint not null,
    rewritten_to varchar[] not null, -- ids of questions, most often first
    liked bigint not null,
    disliked bigint not null,
    primary key (log, question_id)
);

create table log_weights (
    question_id varchar primary key,
    weight double not null -- asked / chance to be in the sample
);

insert into log_queries
select logs.key, counts.key, coalesce(questions.text, ''), counts.value::bigint, null, null, [], [], 0, 0, [], 0, 0
from meta, json_each(meta.value) as logs, json_each(logs.value) as counts
left join questions on questions.id = counts.key
where meta.key = 'log_counts';

insert into log_weights
select question_id, sum(asked) from log_queries where question_id in (select id from questions) group by question_id;

delete from meta where key = 'log_counts';
