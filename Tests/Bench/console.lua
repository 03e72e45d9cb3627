-- For wrk: GETs a page of a browser that is signed in. Arguments: the path, the cookies.

require "summary"

local page

function init(arguments)
   page = wrk.format("GET", arguments[1], { ["Accept"] = "text/html", ["Cookie"] = arguments[2] })
end

function request()
   return page
end
