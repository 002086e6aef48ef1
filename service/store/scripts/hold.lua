-- Have the errand of a match to oneself for a while.
-- KEYS: record. ARGV: holder, now (ms), until (ms).
-- Answers nothing when there is no such match; {until} when another has it, who will hear that it was wanted;
-- {'', note} when it is the caller's.
if redis.call('HEXISTS', KEYS[1], 'write') == 0 then return {} end
local held = redis.call('HMGET', KEYS[1], 'errand_by', 'errand_until', 'errand_note')
if held[1] and held[1] ~= ARGV[1] and tonumber(held[2]) > tonumber(ARGV[2]) then
  redis.call('HSET', KEYS[1], 'errand_wanted', '1')
  return {held[2]}
end
redis.call('HSET', KEYS[1], 'errand_by', ARGV[1], 'errand_until', ARGV[3])
redis.call('HDEL', KEYS[1], 'errand_wanted')
return {'', held[3] or ''}
