-- Leave the errand of a match to whoever comes next.
-- KEYS: record. ARGV: holder. Answers 1 if somebody wanted it meanwhile, else 0.
if redis.call('HGET', KEYS[1], 'errand_by') ~= ARGV[1] then return 0 end
local wanted = redis.call('HEXISTS', KEYS[1], 'errand_wanted')
redis.call('HDEL', KEYS[1], 'errand_by', 'errand_until', 'errand_wanted')
return wanted
