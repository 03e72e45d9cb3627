internal import Blocking
internal import CCurl
internal import Glibc
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

    /// The library says goodbye to the server and waits up to two minutes for its answer: not on a thread of others.
    deinit {
        let handle = ClosingHandle(pointer: pointer)
        DedicatedThread.start(label: "smtp-goodbye") { curl_easy_cleanup(handle.pointer) }
    }

    /// `@unchecked Sendable`: the last owner hands it to the thread that frees it.
    private struct ClosingHandle: @unchecked Sendable {
        let pointer: UnsafeMutableRawPointer
    }
}

/// The handles that no transfer uses. There are never more than threads that use them.
final class CurlHandlePool: Sendable {
    private let idle = Mutex<[CurlHandle]>([])

    /// Lends a handle without options. The last one that came back goes first: its connection is the freshest. After a
    /// failure it does not come back: on its connection the server may still have something to say, which the next
    /// message would take for an answer.
    func withHandle(_ body: (CurlHandle) throws(SMTPError) -> Void) throws(SMTPError) {
        let handle = idle.withLock { $0.popLast() } ?? CurlHandle()
        let result = Result { () throws(SMTPError) in try body(handle) }
        // Forgets every option, and with them what they point to; connections and the name cache stay.
        curl_easy_reset(handle.pointer)
        try result.get()
        idle.withLock { $0.append(handle) }
    }
}

/// Domain names beyond ASCII, by libcurl and libidn2.
enum InternationalDomain {
    /// The name as the DNS has it (RFC 5891); nil when there is no such spelling.
    static func ascii(_ name: String) -> String? {
        guard isCurlReady, let url = curl_url() else { fatalError("libcurl cannot be set up") }
        defer { curl_url_cleanup(url) }
        // libcurl hands the name to libidn2 in the character set of the thread's locale, which is ASCII until somebody
        // says otherwise. `C.UTF-8` is part of Debian's C library.
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
