-- Count tries in a window that opens with the first one.
-- KEYS: counter. ARGV: how many to add (0 looks only), the window in ms. Answers the count and the ms left.
local count = tonumber(redis.call('GET', KEYS[1]) or '0')
if tonumber(ARGV[1]) > 0 then
  count = redis.call('INCRBY', KEYS[1], ARGV[1])
  if count == tonumber(ARGV[1]) then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
end
return {count, redis.call('PTTL', KEYS[1])}
