internal import Blocking
internal import CCurl
internal import Synchronization

/// libcurl as a whole.
package enum Curl {
    /// Tried once for the process.
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// Sets libcurl up, before anything else calls it. It fails only when there is no memory.
    package static func setUp() {
        guard isReady else { fatalError("libcurl cannot be set up") }
    }
}

/// A handle of libcurl with the connections it keeps.
///
/// `@unchecked Sendable`: libcurl allows a handle on any thread, one at a time, and `CurlHandlePool` lends it to one.
package final class CurlHandle: @unchecked Sendable {
    package let pointer: UnsafeMutableRawPointer
    private let closing: CurlHandlePool.Closing

    fileprivate init(_ closing: CurlHandlePool.Closing) {
        Curl.setUp()
        guard let pointer = curl_easy_init() else { fatalError("out of memory") }
        self.pointer = pointer
        self.closing = closing
    }

    deinit {
        switch closing {
        case .immediate: curl_easy_cleanup(pointer)
        case .onOwnThread(let label):
            let handle = ClosingHandle(pointer: pointer)
            DedicatedThread.start(label: label) { curl_easy_cleanup(handle.pointer) }
        }
    }

    /// `@unchecked Sendable`: the last owner gives it to the thread that frees it.
    private struct ClosingHandle: @unchecked Sendable {
        let pointer: UnsafeMutableRawPointer
    }
}

/// The handles that no transfer uses. There are never more than threads that use them.
package final class CurlHandlePool: Sendable {
    /// How the connections of a handle are closed.
    package enum Closing: Sendable {
        case immediate
        /// For protocols that end with a reply of the server: libcurl waits up to two minutes for it.
        case onOwnThread(label: String)
    }

    private let closing: Closing
    private let idle = Mutex<[CurlHandle]>([])

    package init(closing: Closing) {
        self.closing = closing
    }

    /// Lends a handle without options. The handle that came back last goes first: its connections are the freshest.
    /// After a thrown error the handle does not come back: its connection can hold a rest of the failed exchange, which
    /// the next one would take for its reply.
    package func withHandle<Result, Failure: Error>(
        _ body: (CurlHandle) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let handle = idle.withLock { $0.popLast() } ?? CurlHandle(closing)
        let result = Swift.Result { () throws(Failure) in try body(handle) }
        // Forgets every option, and with them what they point to; connections, the session cache and the name cache
        // stay.
        curl_easy_reset(handle.pointer)
        let value = try result.get()
        idle.withLock { $0.append(handle) }
        return value
    }
}
