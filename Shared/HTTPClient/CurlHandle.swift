internal import CCurl
internal import Synchronization

/// Whether libcurl could be set up, tried once for the process.
private let isCurlReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

/// A handle of libcurl with the connections it keeps.
///
/// `@unchecked Sendable`: libcurl allows a handle on any thread, one at a time, and `CurlHandlePool` lends it to one.
final class CurlHandle: @unchecked Sendable {
    let pointer: UnsafeMutableRawPointer

    fileprivate init() {
        // Both fail only for want of memory.
        guard isCurlReady, let pointer = curl_easy_init() else { fatalError("libcurl cannot be set up") }
        self.pointer = pointer
    }

    deinit {
        curl_easy_cleanup(pointer)
    }
}

/// The handles that no transfer uses. There are never more than threads that use them.
final class CurlHandlePool: Sendable {
    private let idle = Mutex<[CurlHandle]>([])

    /// Lends a handle without options. The last one that came back goes first: its connections are the freshest.
    func withHandle<R>(_ body: (CurlHandle) -> R) -> R {
        let handle = idle.withLock { $0.popLast() } ?? CurlHandle()
        defer {
            // Forgets every option; connections, the session cache and the name cache stay.
            curl_easy_reset(handle.pointer)
            idle.withLock { $0.append(handle) }
        }
        return body(handle)
    }
}
