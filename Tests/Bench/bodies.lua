-- For wrk: POSTs the bodies of a file, one a line, in turn. Arguments: the path, the file.

require "summary"

local requests, turn = {}, 0

function init(arguments)
   local path, file = arguments[1], arguments[2]
   for body in io.lines(file) do
      requests[#requests + 1] = wrk.format("POST", path, { ["Content-Type"] = "application/json" }, body)
   end
end

function request()
   turn = turn % #requests + 1
   return requests[turn]
end
