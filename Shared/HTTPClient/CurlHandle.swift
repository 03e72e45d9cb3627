internal import CCurl
internal import Synchronization

/// Whether the global initialization of libcurl succeeded; done once for the process.
private let isCurlReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

/// A handle of libcurl with its open connections.
///
/// `@unchecked Sendable`: libcurl allows a handle on any thread, one at a time, and `CurlHandlePool` gives it to one
/// thread at a time.
final class CurlHandle: @unchecked Sendable {
    let pointer: UnsafeMutableRawPointer

    fileprivate init() {
        // Both fail only without memory.
        guard isCurlReady, let pointer = curl_easy_init() else { fatalError("libcurl cannot be set up") }
        self.pointer = pointer
    }

    deinit {
        curl_easy_cleanup(pointer)
    }
}

/// The handles that no transfer uses. There are at most as many as threads that use them.
final class CurlHandlePool: Sendable {
    private let idle = Mutex<[CurlHandle]>([])

    /// Runs `body` with a handle without options. The most recently returned handle is used first, because its
    /// connections are the most recent.
    func withHandle<R>(_ body: (CurlHandle) -> R) -> R {
        let handle = idle.withLock { $0.popLast() } ?? CurlHandle()
        defer {
            // Resets every option; connections, the session cache and the name cache stay.
            curl_easy_reset(handle.pointer)
            idle.withLock { $0.append(handle) }
        }
        return body(handle)
    }
}
