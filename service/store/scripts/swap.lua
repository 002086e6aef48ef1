-- One write of a match, whole or not at all: compare the write id, then set.
-- KEYS: record, moves, feed, remembered answer (the last only with a key). One hash tag: one cluster slot.
-- ARGV: expected write id ('' = must not exist), new write id, live, head ('' = as it is), ttl in ms,
--       remembered value, its ttl in ms,
--       the record's field that counts this writer's writes ('' = none does), the window's number, the most within one,
--       number of moves, moves ..., events ...
-- Answers 1 when written, 0 when lost, 2 when this writer has written as often as it may within this window.
local was = redis.call('HMGET', KEYS[1], 'write', ARGV[8])
if (was[1] or '') ~= ARGV[1] then return 0 end
-- A key that is already remembered has had its one application.
if KEYS[4] and redis.call('EXISTS', KEYS[4]) == 1 then return 0 end

local fields = {'write', ARGV[2], 'live', ARGV[3]}
if ARGV[4] ~= '' then
  fields[5], fields[6] = 'head', ARGV[4]
end
if ARGV[8] ~= '' then
  local window, count = string.match(was[2] or '', '^(%d+):(%d+)$')
  count = window == ARGV[9] and tonumber(count) + 1 or 1
  if count > tonumber(ARGV[10]) then return 2 end
  fields[#fields + 1], fields[#fields + 2] = ARGV[8], ARGV[9] .. ':' .. count
end
-- A key of another type would stop the script half way: look before the first write.
redis.call('LLEN', KEYS[2])
redis.call('LLEN', KEYS[3])

redis.call('HSET', KEYS[1], unpack(fields))
-- Many at once: each call costs, here and in the append-only file. A Lua call takes a few thousand arguments at most.
local function append(key, first, last)
  local length
  for i = first, last, 1000 do length = redis.call('RPUSH', key, unpack(ARGV, i, math.min(i + 999, last))) end
  return length
end
local first_event = 12 + tonumber(ARGV[11])
append(KEYS[2], 12, first_event - 1)
local events = append(KEYS[3], first_event, #ARGV)
if events then
  -- News for whoever listens: the number of the first event, then the events, one a line (JSON has no line feeds).
  redis.call('PUBLISH', KEYS[3], events - (#ARGV - first_event) .. '\n' .. table.concat(ARGV, '\n', first_event))
end
for i = 1, 3 do redis.call('PEXPIRE', KEYS[i], ARGV[5]) end
if KEYS[4] then redis.call('SET', KEYS[4], ARGV[6], 'PX', ARGV[7]) end
return 1
