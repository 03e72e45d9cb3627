internal import CUnistring

/// The normalization forms of Unicode (UAX #15), from libunistring. The same function of Foundation would load the 30 MB of
/// ICU's data into the executable.
package enum UnicodeForms {
    /// The text in form NFKC, at most eighteen times as long.
    package static func nfkc(_ text: String) -> String {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty else { return text }
        var count = 0
        guard let result = latchkey_nfkc(bytes, bytes.count, &count) else {
            // A Swift string is valid UTF-8, so only memory can be missing.
            fatalError("no memory for the normalization of \(bytes.count) bytes")
        }
        defer { free(result) }
        return String(decoding: UnsafeBufferPointer(start: result, count: count), as: UTF8.self)
    }
}
