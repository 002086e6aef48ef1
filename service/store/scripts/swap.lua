-- One write of a match, whole or not at all: compare the write id, then set.
-- KEYS: record, moves, feed, remembered answer (the last only with a key). One hash tag: one cluster slot.
-- ARGV: expected write id ('' = must not exist), new write id, live, head ('' = as it is), least ttl in ms,
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

-- Many at once: each call costs, here and in the append-only file. A Lua call takes a few thousand arguments at most.
local function append(key, first, last)
  local length
  for i = first, last, 1000 do
    length = redis.pcall('RPUSH', key, unpack(ARGV, i, math.min(i + 999, last)))
    if type(length) == 'table' then return nil, length end
  end
  return length
end
local moves, first_event = tonumber(ARGV[11]), 12 + tonumber(ARGV[11])
local played, refused = append(KEYS[2], 12, first_event - 1)
if refused then return refused end
local told
told, refused = append(KEYS[3], first_event, #ARGV)
if refused then -- a feed that is no list: as if nothing had been
  if moves > 0 then redis.call('LTRIM', KEYS[2], 0, -1 - moves) end
  return refused
end
redis.call('HSET', KEYS[1], unpack(fields))
if told then
  -- News for whoever listens: the number of the first event and the length of the write id, that id, then the events,
  -- one a line (JSON has no line feeds).
  -- All is written by now: that nobody may be told is no reason to say that it is not.
  local head = (told - (#ARGV - first_event)) .. ' ' .. #ARGV[2] .. '\n' .. ARGV[2] .. '\n'
  redis.pcall('PUBLISH', KEYS[3], head .. table.concat(ARGV, '\n', first_event))
end
-- Times to live are set with an eighth to spare, so that most writes find enough left.
local ttl, left = tonumber(ARGV[5]), redis.call('PTTL', KEYS[1])
local spare = math.ceil(ttl * 9 / 8)
if left < ttl or left > spare then
  for i = 1, 3 do redis.call('PEXPIRE', KEYS[i], spare) end
elseif played == moves then -- the first move of a match: the others have time enough, this list has none yet
  redis.call('PEXPIRE', KEYS[2], left)
end
if KEYS[4] then redis.call('SET', KEYS[4], ARGV[6], 'PX', ARGV[7]) end
return 1
