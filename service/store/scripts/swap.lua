-- One write of a match, whole or not at all: compare the write id, then set.
-- KEYS: record, moves, feed, remembered answer (the last only with a key). One hash tag: one cluster slot.
-- ARGV: expected write id ('' = must not exist), new write id, live, head ('' = as it is), ttl in ms,
--       remembered value, its ttl in ms, number of moves, moves ..., events ...
-- Answers 1 when written, 0 when lost.
local current = redis.call('HGET', KEYS[1], 'write') or ''
if current ~= ARGV[1] then return 0 end
-- A key that is already remembered has had its one application.
if KEYS[4] and redis.call('EXISTS', KEYS[4]) == 1 then return 0 end
-- A key of another type would stop the script half way: look before the first write.
redis.call('LLEN', KEYS[2])
redis.call('LLEN', KEYS[3])

if ARGV[4] == '' then
  redis.call('HSET', KEYS[1], 'write', ARGV[2], 'live', ARGV[3])
else
  redis.call('HSET', KEYS[1], 'write', ARGV[2], 'live', ARGV[3], 'head', ARGV[4])
end
-- Many at once: each call costs, here and in the append-only file. A Lua call takes a few thousand arguments at most.
local function append(key, first, last)
  for i = first, last, 1000 do redis.call('RPUSH', key, unpack(ARGV, i, math.min(i + 999, last))) end
end
local first_event = 9 + tonumber(ARGV[8])
append(KEYS[2], 9, first_event - 1)
append(KEYS[3], first_event, #ARGV)
if first_event <= #ARGV then
  -- News for whoever listens: the number of the first event, then the events, one a line (JSON has no line feeds).
  local first = redis.call('LLEN', KEYS[3]) - (#ARGV - first_event)
  redis.call('PUBLISH', KEYS[3], first .. '\n' .. table.concat(ARGV, '\n', first_event))
end
for i = 1, 3 do redis.call('PEXPIRE', KEYS[i], ARGV[5]) end
if KEYS[4] then redis.call('SET', KEYS[4], ARGV[6], 'PX', ARGV[7]) end
return 1
