-- For wrk with one thread: POSTs the bodies of a file in turn, and whoever is refused with 503 comes back after the
-- seconds that `Retry-After` says. Arguments: the path, the file.

require "bodies"

local pauses = {}

function response(status, headers)
   -- A 503 that does not say when to come back is answered by coming back at once.
   table.insert(pauses, status == 503 and 1000 * tonumber(headers["Retry-After"] or 0) or 0)
end

-- wrk does not say whose turn it is, but all wait for the same thing.
function delay()
   return table.remove(pauses, 1) or 0
end
