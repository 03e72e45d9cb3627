-- For wrk with one thread: POSTs the bodies of a file in turn. A client that gets 503 sends again after the
-- seconds that `Retry-After` says. Arguments: the path, the file.

require "bodies"

local pauses = {}

function response(status, headers)
   -- After a 503 without Retry-After the client sends again at once.
   table.insert(pauses, status == 503 and 1000 * tonumber(headers["Retry-After"] or 0) or 0)
end

-- wrk does not report which connection is next, but all of them wait for the same time.
function delay()
   return table.remove(pauses, 1) or 0
end
