-- A worker shows that it and the store live. A long silence before it is time during which nothing lived.
-- KEYS: pulse (a hash). ARGV: now (ms), what counts as a long silence (ms), '1' to write only the first beat ever.
-- Answers the last beat and all time away.
local last = tonumber(redis.call('HGET', KEYS[1], 'last'))
if ARGV[3] == '1' and last then return {last, tonumber(redis.call('HGET', KEYS[1], 'away') or '0')} end
local now = tonumber(ARGV[1])
if last and now - last > tonumber(ARGV[2]) then redis.call('HINCRBY', KEYS[1], 'away', now - last) end
if not last or now > last then redis.call('HSET', KEYS[1], 'last', ARGV[1]) end
return {tonumber(redis.call('HGET', KEYS[1], 'last')), tonumber(redis.call('HGET', KEYS[1], 'away') or '0')}
