-- An entry that was taken has been looked at: put it where it is next needed, or away.
-- KEYS: queue, announced times. ARGV: match, lease, next (ms; '' = not by itself).
-- If somebody scheduled the entry earlier meanwhile, or took it after the lease was over, it is left alone.
local score = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not score or tonumber(score) ~= tonumber(ARGV[2]) then return 0 end
local next = tonumber(ARGV[3])
local announced = tonumber(redis.call('HGET', KEYS[2], ARGV[1]))
if announced and (not next or announced < next) then next = announced end
if next then
  redis.call('ZADD', KEYS[1], string.format('%.0f', next), ARGV[1])
else
  redis.call('ZREM', KEYS[1], ARGV[1])
end
return 1
