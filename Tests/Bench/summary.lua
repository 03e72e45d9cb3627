-- For wrk, required by the other scripts: prints what it counted as one line of JSON. Times are in microseconds.

function done(summary, latency)
   local errors = summary.errors
   print(string.format(
      '{"requests":%d,"seconds":%f,"p50":%d,"p99":%d,"refused":%d,"broken":%d}', summary.requests,
      summary.duration / 1e6, latency:percentile(50), latency:percentile(99), errors.status,
      errors.connect + errors.read + errors.write + errors.timeout))
end
