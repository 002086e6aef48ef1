-- Write what is there once more, so that whoever waits for replicas afterwards waits for all that was written before.
-- KEYS: record. Answers 1, or 0 when there is no such match.
local write = redis.call('HGET', KEYS[1], 'write')
if not write then return 0 end
redis.call('HSET', KEYS[1], 'write', write)
return 1
