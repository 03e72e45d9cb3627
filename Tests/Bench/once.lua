-- For wrk with one thread: POSTs each body of a file once, in order, and then pauses. It measures the time itself, because
-- wrk includes the pause. Arguments: the path, the file.

local ffi = require "ffi"
ffi.cdef [[
   typedef struct { long seconds; long nanoseconds; } bench_time;
   int clock_gettime(int clock, bench_time *time);
]]

local time = ffi.new("bench_time")
local requests, turn, granted, answered, good, began, ended = {}, 0, 0, 0, 0, 0, 0
local threads = {}

local function now()
   ffi.C.clock_gettime(1, time)  -- CLOCK_MONOTONIC
   return tonumber(time.seconds) + tonumber(time.nanoseconds) / 1e9
end

function setup(thread) table.insert(threads, thread) end

function init(arguments)
   local path, file = arguments[1], arguments[2]
   for body in io.lines(file) do
      requests[#requests + 1] = wrk.format("POST", path, { ["Content-Type"] = "application/json" }, body)
   end
end

-- Asked before each request. Who is granted nothing waits for longer than the measurement lasts.
function delay()
   if granted == #requests then return 3600000 end
   granted = granted + 1
   return 0
end

function request()
   -- wrk makes a trial request that it never sends: nothing was granted then.
   if granted == 0 then return requests[1] end
   if turn == 0 then began = now() end
   turn = turn + 1
   return requests[turn]
end

function response(status)
   answered = answered + 1
   if status == 200 then good = good + 1 end
   seconds, accepted, refused = now() - began, good, answered - good
   if answered == #requests then wrk.thread:stop() end
end

function done(summary, latency)
   local errors = summary.errors
   local thread = threads[1]
   local refused = thread:get("refused") or 0
   print(string.format(
      '{"requests":%d,"seconds":%f,"p50":%d,"p99":%d,"refused":%d,"broken":%d}', (thread:get("accepted") or 0) + refused,
      thread:get("seconds") or 1, latency:percentile(50), latency:percentile(99), refused,
      errors.connect + errors.read + errors.write + errors.timeout))
end
