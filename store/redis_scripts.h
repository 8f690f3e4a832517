// What runs in the store: Lua, each script atomic. For redis_store.cpp.
//
// KEYS, for every script: 1 run   hash    the card, the terms, tick, next, epoch, phase, stats; times for people
//                         2 weights       string  as published
//                         3 free    zset  ranges to be leased again, by first number
//                         4 leased  zset  ranges by the tick of their last renewal
//                         5 given   zset  ranges by the tick of their lease
//                         6 results stream  m: the range, a: the actor, d: the games
//                         7 seen    zset  actors by tick
//                         8 actors  hash  actor -> "SECONDS STATUS"
//                         9 inputs  hash  number of a share -> its input
// ARGV[1] is the run's id, or the learner's epoch (of kOpen: the last one that it had). Numbers go through %.0f: Lua's
// tostring() would round them.
#pragma once

namespace quarto::store::scripts {

// What the learner's scripts begin with: the run is there, and no other learner has taken it over since ARGV[1]. Epochs
// grow, so a smaller one is that of a server that came back with older data: the run as this learner had it is gone.
#define QUARTO_ONLY_FOR_THE_LEARNER                                                                    \
  "\n"                                                                                                 \
  "local run = redis.call('HMGET', KEYS[1], 'id', 'epoch')\n"                                          \
  "if not run[1] then return redis.error_reply('GONE') end\n"                                          \
  "if run[2] ~= ARGV[1] then\n"                                                                        \
  "  if (tonumber(run[2]) or 0) > tonumber(ARGV[1]) then return redis.error_reply('SUPERSEDED') end\n" \
  "  return redis.error_reply('GONE')\n"                                                               \
  "end"

inline constexpr const char* kOpen = R"(
local run = redis.call('HMGET', KEYS[1], 'id', 'phase', 'epoch')
local empty = 0
-- Larger than any before, also than one that this server has forgotten.
local time = redis.call('TIME')
local epoch = math.max(tonumber(time[1]) * 1000000 + tonumber(time[2]), (tonumber(run[3] or '0') or 0) + 1,
  tonumber(ARGV[1]) + 1)
if run[1] and run[1] ~= ARGV[2] and run[2] ~= 'finished' then return redis.error_reply('FOREIGN ' .. run[1]) end
if not run[1] or run[1] ~= ARGV[2] or run[2] == 'finished' or ARGV[9] == '1' then
  redis.call('DEL', unpack(KEYS))
  empty = 1
end
local next = tonumber(redis.call('HGET', KEYS[1], 'next') or '0')
if tonumber(ARGV[3]) > next then next = tonumber(ARGV[3]) end
redis.call('HSET', KEYS[1], 'epoch', string.format('%.0f', epoch), 'id', ARGV[2], 'next', string.format('%.0f', next),
  'build', ARGV[4], 'fingerprint', ARGV[5], 'probe', ARGV[6], 'config', ARGV[7], 'kind', ARGV[8], 'phase', 'running',
  'upto', '0', 'alive', time[1])
redis.call('HSETNX', KEYS[1], 'tick', '0')
return {empty, string.format('%.0f', epoch)}
)";

inline constexpr const char* kPublish = QUARTO_ONLY_FOR_THE_LEARNER R"(
if ARGV[5] ~= '' then
  redis.call('SET', KEYS[2], ARGV[5])
  redis.call('HSET', KEYS[1], 'published', redis.call('TIME')[1])
end
redis.call('HSET', KEYS[1], 'version', ARGV[2], 'upto', ARGV[3], 'most', ARGV[4], 'checksum', ARGV[6])
return 1
)";

inline constexpr const char* kTick = QUARTO_ONLY_FOR_THE_LEARNER R"(
local tick = redis.call('HINCRBY', KEYS[1], 'tick', 1)
redis.call('HSET', KEYS[1], 'stats', ARGV[4], 'alive', redis.call('TIME')[1])
local lost = redis.call('ZRANGEBYSCORE', KEYS[4], '-inf', tick - tonumber(ARGV[2]), 'LIMIT', 0, 1000)
for _, m in ipairs(lost) do
  redis.call('ZREM', KEYS[4], m)
  redis.call('ZREM', KEYS[5], m)
  redis.call('ZADD', KEYS[3], string.match(m, '^%d+'), m)
end
local gone = redis.call('ZRANGEBYSCORE', KEYS[7], '-inf', tick - tonumber(ARGV[3]), 'LIMIT', 0, 1000)
for _, a in ipairs(gone) do
  redis.call('ZREM', KEYS[7], a)
  redis.call('HDEL', KEYS[8], a)
end
local now = redis.call('HMGET', KEYS[1], 'phase', 'version', 'upto', 'next')
return {string.format('%.0f', tick), now[1] or '', now[2] or '0', now[3] or '0', now[4] or '0',
  redis.call('ZCARD', KEYS[4]), redis.call('ZCOUNT', KEYS[3], '-inf', '(' .. (now[3] or '0')),
  redis.call('XLEN', KEYS[6]), redis.call('ZCARD', KEYS[7]),
  #lost, redis.call('EXISTS', KEYS[2]), redis.call('HLEN', KEYS[9])}
)";

inline constexpr const char* kRead = QUARTO_ONLY_FOR_THE_LEARNER R"(
-- One at a time, each field at most ARGV[4] bytes and all together not much more than ARGV[5]: anyone may have written them.
local after, all, bytes = ARGV[3], {}, 0
while #all < tonumber(ARGV[2]) and bytes < tonumber(ARGV[5]) do
  local next = redis.call('XREAD', 'COUNT', 1, 'STREAMS', KEYS[6], after)
  if not next then break end
  local entry = next[1][2][1]
  local kept, fields = {}, entry[2]
  for i = 1, #fields - 1, 2 do
    local name, value = fields[i], fields[i + 1]
    if #kept < 6 and (name == 'm' or name == 'a' or name == 'd') and #value <= tonumber(ARGV[4]) then
      kept[#kept + 1] = name
      kept[#kept + 1] = value
      bytes = bytes + #value
    end
  end
  after = entry[1]
  all[#all + 1] = {after, kept}
end
return all
)";

inline constexpr const char* kRemove = QUARTO_ONLY_FOR_THE_LEARNER R"(
for i = 2, #ARGV do redis.call('XDEL', KEYS[6], ARGV[i]) end
return 1
)";

inline constexpr const char* kRelease = QUARTO_ONLY_FOR_THE_LEARNER R"(
for i = 2, #ARGV do redis.call('ZADD', KEYS[3], string.match(ARGV[i], '^%d+'), ARGV[i]) end
return 1
)";

inline constexpr const char* kPutInputs = QUARTO_ONLY_FOR_THE_LEARNER R"(
for i = 2, #ARGV, 2 do redis.call('HSET', KEYS[9], ARGV[i], ARGV[i + 1]) end
return 1
)";

inline constexpr const char* kRemoveInputs = QUARTO_ONLY_FOR_THE_LEARNER R"(
for i = 2, #ARGV do redis.call('HDEL', KEYS[9], ARGV[i]) end
return 1
)";

inline constexpr const char* kClose = QUARTO_ONLY_FOR_THE_LEARNER R"(
redis.call('HSET', KEYS[1], 'phase', ARGV[2])
if ARGV[2] == 'finished' then
  redis.call('DEL', KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[7], KEYS[8], KEYS[9])
end
return 1
)";

#undef QUARTO_ONLY_FOR_THE_LEARNER

inline constexpr const char* kWeights = R"(
if redis.call('HGET', KEYS[1], 'id') ~= ARGV[1] then return redis.error_reply('GONE') end
return redis.call('GET', KEYS[2])
)";

inline constexpr const char* kInputs = R"(
if redis.call('HGET', KEYS[1], 'id') ~= ARGV[1] then return redis.error_reply('GONE') end
local found = {}
for i = 2, #ARGV do found[i - 1] = redis.call('HGET', KEYS[9], ARGV[i]) end
return found
)";

inline constexpr const char* kLease = R"(
local run = redis.call('HMGET', KEYS[1], 'id', 'phase', 'version', 'next', 'upto', 'tick', 'checksum')
if run[1] ~= ARGV[1] then return redis.error_reply('GONE') end
local published = redis.call('EXISTS', KEYS[2])
local answer = {run[2], run[3] or '0', published, run[7] or '0'}
if run[2] ~= 'running' or published == 0 or run[3] ~= ARGV[2] or run[7] ~= ARGV[6] then return answer end
local want, got, ranges = tonumber(ARGV[3]), 0, {}
local next, upto = tonumber(run[4]), tonumber(run[5])
-- The free ones below `upto`; what is beyond it stays, for later weights.
while got < want do
  local m = redis.call('ZRANGE', KEYS[3], 0, 0)[1]
  if not m then break end
  local first, n = string.match(m, '^(%d+):(%d+)$')
  first, n = tonumber(first or '0'), tonumber(n or '1')
  if first >= upto then break end
  redis.call('ZREM', KEYS[3], m)
  local now = math.min(n, tonumber(ARGV[4]), upto - first)
  if now < n then
    redis.call('ZADD', KEYS[3], string.format('%.0f', first + now), string.format('%.0f:%.0f', first + now, n - now))
    n = now
    m = string.format('%.0f:%.0f', first, n)
  end
  ranges[#ranges + 1] = m
  got = got + math.max(1, n)
end
while got < want and next < upto do
  local n = math.min(want - got, tonumber(ARGV[4]), upto - next)
  ranges[#ranges + 1] = string.format('%.0f:%.0f', next, n)
  next = next + n
  got = got + n
end
if next ~= tonumber(run[4]) then redis.call('HSET', KEYS[1], 'next', string.format('%.0f', next)) end
if got == 0 then
  ranges = redis.call('ZRANGEBYSCORE', KEYS[5], '-inf', tonumber(run[6]) - tonumber(ARGV[5]), 'LIMIT', 0, 1)
end
for i, m in ipairs(ranges) do
  redis.call('ZADD', KEYS[4], run[6], m)
  redis.call('ZADD', KEYS[5], run[6], m)
  answer[4 + i] = m
end
return answer
)";

inline constexpr const char* kDeliver = R"(
local run = redis.call('HMGET', KEYS[1], 'id', 'phase', 'most')
if run[1] ~= ARGV[1] then return redis.error_reply('GONE') end
if run[2] == 'finished' then return 2 end
if redis.call('XLEN', KEYS[6]) >= tonumber(run[3] or '0') then return 0 end
-- First what needs memory: a server that lacks it refuses only the first change of a script.
redis.call('XADD', KEYS[6], '*', 'm', ARGV[2], 'a', ARGV[4], 'd', ARGV[3])
redis.call('ZREM', KEYS[3], ARGV[2])
redis.call('ZREM', KEYS[4], ARGV[2])
redis.call('ZREM', KEYS[5], ARGV[2])
return 1
)";

inline constexpr const char* kBeat = R"(
local run = redis.call('HMGET', KEYS[1], 'id', 'phase', 'version', 'tick', 'checksum')
if run[1] ~= ARGV[1] then return redis.error_reply('GONE') end
if run[2] ~= 'finished' and (redis.call('HEXISTS', KEYS[8], ARGV[2]) == 1 or
    redis.call('HLEN', KEYS[8]) < tonumber(ARGV[4])) then
  redis.call('ZADD', KEYS[7], run[4], ARGV[2])
  redis.call('HSET', KEYS[8], ARGV[2], redis.call('TIME')[1] .. ' ' .. ARGV[3])
end
for i = 5, #ARGV do redis.call('ZADD', KEYS[4], 'XX', run[4], ARGV[i]) end
return {run[2], run[3] or '0', redis.call('EXISTS', KEYS[2]), run[5] or '0'}
)";

inline constexpr const char* kLeave = R"(
if redis.call('HGET', KEYS[1], 'id') ~= ARGV[1] then return redis.error_reply('GONE') end
redis.call('ZREM', KEYS[7], ARGV[2])
redis.call('HDEL', KEYS[8], ARGV[2])
for i = 3, #ARGV do
  redis.call('ZREM', KEYS[5], ARGV[i])
  if redis.call('ZREM', KEYS[4], ARGV[i]) == 1 then
    redis.call('ZADD', KEYS[3], string.match(ARGV[i], '^%d+'), ARGV[i])
  end
end
return 1
)";

}  // namespace quarto::store::scripts
