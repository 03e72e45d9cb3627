import Blocking
internal import CCurl
import Synchronization

/// The global state of libcurl.
package enum Curl {
    /// Initialized once per process.
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// Initializes libcurl before any other call. It fails only without memory.
    package static func setUp() {
        guard isReady else { fatalError("libcurl cannot be set up") }
    }
}

/// A handle of libcurl with its connections.
///
/// `@unchecked Sendable`: libcurl allows a handle on any thread, one at a time, and `CurlHandlePool` gives it to one
/// caller at a time.
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

    /// `@unchecked Sendable`: the last owner passes it to the thread that frees it.
    private struct ClosingHandle: @unchecked Sendable {
        let pointer: UnsafeMutableRawPointer
    }
}

/// The handles that no transfer uses. Their number never exceeds the number of threads that use them.
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

    /// Provides a handle without options. The handle that was returned last is used first: its connections are the
    /// freshest. After a thrown error the handle is not returned: its connection may hold the rest of the failed
    /// exchange, which the next transfer would read as its reply.
    package func withHandle<Result, Failure: Error>(
        _ body: (CurlHandle) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let handle = idle.withLock { $0.popLast() } ?? CurlHandle(closing)
        let result = Swift.Result { () throws(Failure) in try body(handle) }
        // Resets every option, and thereby the pointers that they hold. Connections, the session cache and the name
        // cache are kept.
        curl_easy_reset(handle.pointer)
        let value = try result.get()
        idle.withLock { $0.append(handle) }
        return value
    }
}
