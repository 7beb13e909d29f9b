-- What code found about a draft and did not reject it for.

alter table questions add column flags varchar[] default [];
