internal import CCurl
import Curl
import Glibc

/// Domain names beyond ASCII, by libcurl and libidn2.
enum InternationalDomain {
    /// The name as the DNS has it (RFC 5891); nil when there is no such spelling.
    static func ascii(_ name: String) -> String? {
        Curl.setUp()
        guard let url = curl_url() else { fatalError("out of memory") }
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
