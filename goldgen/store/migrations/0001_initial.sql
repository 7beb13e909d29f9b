-- Timestamps are UTC. Columns that end in _json hold JSON as text: the JSON type refuses some escapes
-- that models really write.

create table meta (
    key varchar primary key,
    value varchar not null
);

create table documents (
    id varchar primary key,
    path varchar not null,
    text varchar not null,
    title varchar not null,
    metadata_json varchar not null
);

create table chunks (
    id varchar primary key,
    document_id varchar not null,
    text varchar not null,
    "start" integer not null,
    "end" integer not null,
    context varchar not null,
    position integer not null
);

create table skipped_files (
    path varchar primary key,
    reason varchar not null
);

create table questions (
    id varchar primary key,
    text varchar not null,
    origin varchar not null check (origin in ('synthetic', 'log', 'manual')),
    style varchar not null,
    chunk_id varchar,
    document_id varchar,
    answer varchar not null,
    quote varchar not null,
    model varchar not null,
    prompt_hash varchar not null,
    call_key varchar not null,
    asked integer not null
);

create table near_misses (
    id varchar primary key,
    question_id varchar not null,
    chunk_id varchar not null,
    text varchar not null,
    context varchar not null,
    edit varchar not null check (edit in ('plan', 'version', 'date', 'region', 'entity', 'answer_removed')),
    before varchar not null,
    after varchar not null,
    model varchar not null,
    call_key varchar not null
);

create table rejections (
    id varchar primary key,
    stage varchar not null,
    text varchar not null,
    chunk_id varchar,
    reason varchar not null
);

create table judgments (
    question_id varchar not null,
    target_id varchar not null,
    judge varchar not null,
    judge_kind varchar not null check (judge_kind in ('verifier', 'human')),
    grade integer check (grade between 0 and 3), -- null: unjudged
    document_id varchar,
    quote varchar not null,
    "start" integer,
    "end" integer,
    standalone boolean not null,
    score double,
    reason varchar not null,
    call_key varchar not null,
    sequence bigint not null, -- grows with every verdict; clocks can run backwards
    judged_at timestamp not null,
    primary key (question_id, target_id, judge_kind, judge)
);

create table controls (
    id varchar primary key,
    question_id varchar not null,
    kind varchar not null check (kind in ('answer_deleted', 'same_document', 'easy')),
    document_id varchar not null,
    text varchar not null,
    context varchar not null,
    grade integer check (grade between 0 and 3), -- null: unjudged
    score double,
    reason varchar not null
);

create table calls (
    key varchar primary key,
    stage varchar not null,
    model varchar not null,
    endpoint varchar not null,
    prompt_hash varchar not null,
    messages_json varchar not null,
    status varchar not null check (status in ('ok', 'failed')),
    reply varchar not null,
    failure_kind varchar not null,
    failure_message varchar not null,
    prompt_tokens bigint not null,
    completion_tokens bigint not null,
    attempts integer not null,
    seconds double not null,
    usd double, -- null: the price is not known
    parameters_json varchar not null,
    ended_at timestamp not null
);

create table vectors (
    model varchar not null,
    hash varchar not null,
    vector blob not null, -- little-endian float32
    primary key (model, hash)
);

create table runs (
    id varchar primary key,
    created_at timestamp not null,
    retriever varchar not null,
    measures varchar[] not null,
    means double[] not null,
    configuration_json varchar not null,
    set_fingerprint varchar not null
);

create table run_questions (
    run_id varchar not null,
    position integer not null,
    question_id varchar not null,
    measured double[] not null,
    chunk_ids varchar[] not null,
    scores double[] not null,
    primary key (run_id, question_id)
);
