internal import Blocking
internal import CCurl
internal import Glibc
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

    /// libcurl sends QUIT and waits up to two minutes for the reply of the server, so a separate thread frees the
    /// handle.
    deinit {
        let handle = ClosingHandle(pointer: pointer)
        DedicatedThread.start(label: "smtp-goodbye") { curl_easy_cleanup(handle.pointer) }
    }

    /// `@unchecked Sendable`: the last owner passes it to the thread that frees it.
    private struct ClosingHandle: @unchecked Sendable {
        let pointer: UnsafeMutableRawPointer
    }
}

/// The handles that no transfer uses. There are at most as many as threads that use them.
final class CurlHandlePool: Sendable {
    private let idle = Mutex<[CurlHandle]>([])

    /// Runs `body` with a handle without options. The most recently returned handle is used first, because its
    /// connection is the most recent. After a failure the handle is not returned: the server may still send a reply on
    /// its connection, which the next message would take for its own.
    func withHandle(_ body: (CurlHandle) throws(SMTPError) -> Void) throws(SMTPError) {
        let handle = idle.withLock { $0.popLast() } ?? CurlHandle()
        let result = Result { () throws(SMTPError) in try body(handle) }
        // Resets every option and the pointers in them; connections and the name cache stay.
        curl_easy_reset(handle.pointer)
        try result.get()
        idle.withLock { $0.append(handle) }
    }
}

/// Converts domain names beyond ASCII, with libcurl and libidn2.
enum InternationalDomain {
    /// The name in DNS form (RFC 5891); nil if there is no such form.
    static func ascii(_ name: String) -> String? {
        guard isCurlReady, let url = curl_url() else { fatalError("libcurl cannot be set up") }
        defer { curl_url_cleanup(url) }
        // libcurl passes the name to libidn2 in the character set of the thread's locale, which is ASCII by default.
        // `C.UTF-8` is part of Debian's C library.
        guard let locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", nil) else { return nil }
        let former = uselocale(locale)
        defer {
            uselocale(former)
            freelocale(locale)
        }
        guard curl_url_set(url, CURLUPART_HOST, name, 0) == CURLUE_OK else { return nil }
        var text: UnsafeMutablePointer<CChar>?
        // Also after a failure: libcurl 7.88 then leaves the name that it could not convert.
        defer { curl_free(text) }
        guard curl_url_get(url, CURLUPART_HOST, &text, UInt32(CURLU_PUNYCODE)) == CURLUE_OK, let text else {
            return nil
        }
        let ascii = String(cString: text)
        return ascii.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f } ? ascii : nil
    }
}
