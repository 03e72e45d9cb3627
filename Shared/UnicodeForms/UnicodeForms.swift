internal import CUnicode

/// The normalization forms of Unicode (UAX #15), from ICU.
package enum UnicodeForms {
    /// The text in form NFKC, at most eighteen times as many UTF-16 units: U+FDFA has the longest form.
    package static func nfkc(_ text: String) -> String {
        guard !text.isEmpty else { return text }
        let units = Array(text.utf16)
        var capacity = 2 * units.count
        while true {
            var length: Int32 = 0
            let result = [UInt16](unsafeUninitializedCapacity: capacity) { buffer, count in
                length = latchkey_nfkc(units, Int32(units.count), buffer.baseAddress, Int32(capacity))
                count = min(capacity, max(0, Int(length)))
            }
            // Every string has a form, so only memory or the library's file of data can be missing.
            precondition(length >= 0, "no normalization of Unicode")
            guard length > capacity else { return String(decoding: result, as: UTF16.self) }
            capacity = Int(length)
        }
    }
}
