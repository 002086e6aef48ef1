-- Note how far the errand of a match has come, and keep it for a while longer.
-- KEYS: record. ARGV: holder, note, until (ms). Answers 1, or 0 when it is no longer the caller's.
-- The holder is a field of the record: a match that is gone has none, and is not brought back.
if redis.call('HGET', KEYS[1], 'errand_by') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'errand_note', ARGV[2], 'errand_until', ARGV[3])
return 1
