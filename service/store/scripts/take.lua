-- Take entries that are due, hiding each until its lease is over.
-- KEYS: queue, announced times. ARGV: now (ms), lease (ms), how many.
-- Answers match, lease, when it was due, match, lease, ...
local due = redis.call('ZRANGE', KEYS[1], '-inf', ARGV[1], 'BYSCORE', 'LIMIT', 0, ARGV[3], 'WITHSCORES')
local now, taken = tonumber(ARGV[1]), {}
local lease = string.format('%.0f', now + tonumber(ARGV[2]))
for i = 1, #due, 2 do
  local match = due[i]
  redis.call('ZADD', KEYS[1], lease, match)
  local announced = tonumber(redis.call('HGET', KEYS[2], match))
  if announced and announced <= now then redis.call('HDEL', KEYS[2], match) end
  taken[#taken + 1] = match
  taken[#taken + 1] = lease
  taken[#taken + 1] = due[i + 1]
end
return taken
