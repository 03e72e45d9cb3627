-- For wrk with one thread: each session uses its own refresh-token family. Arguments: the path, a file with the
-- first tokens, one a line: one more than there are connections, because wrk makes a trial request it never sends.

require "summary"

local path, tokens = nil, {}

function init(arguments)
   path = arguments[1]
   for token in io.lines(arguments[2]) do table.insert(tokens, token) end
end

function request()
   local body = '{"grant_type":"refresh_token","refresh_token":"' .. table.remove(tokens) .. '"}'
   return wrk.format("POST", path, { ["Content-Type"] = "application/json" }, body)
end

function response(status, headers, body)
   table.insert(tokens, body:match('"refresh_token":"([^"]+)"'))
end
