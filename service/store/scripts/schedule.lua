-- See that a queue has an entry at a time or earlier.
-- KEYS: queue, announced times. ARGV: match, at (ms), now (ms), channel on which waiting workers listen.
-- An announced time stands until it has passed: a worker that settles an earlier look may not put the entry off.
redis.call('ZADD', KEYS[1], 'LT', ARGV[2], ARGV[1])
local announced = tonumber(redis.call('HGET', KEYS[2], ARGV[1]))
if not announced or announced > tonumber(ARGV[2]) then redis.call('HSET', KEYS[2], ARGV[1], ARGV[2]) end
if tonumber(ARGV[2]) <= tonumber(ARGV[3]) then redis.call('PUBLISH', ARGV[4], ARGV[1]) end
return 1
