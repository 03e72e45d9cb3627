-- For wrk: GETs a page. Arguments: the path.

require "summary"

local page

function init(arguments)
   page = wrk.format("GET", arguments[1], { ["Accept"] = "text/html" })
end

function request()
   return page
end
