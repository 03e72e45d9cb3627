import Foundation

// Every test looks at every line. The search of the standard library compares characters and takes minutes for them, so that
// these two, which compare bytes, are preferred in this module.

extension Substring {
    func contains(_ text: String) -> Bool { holdsBytes(of: text) }
}

extension String {
    func contains(_ text: String) -> Bool { holdsBytes(of: text) }
}

extension StringProtocol {
    fileprivate func holdsBytes(of text: String) -> Bool {
        var text = text
        let isFound = text.withUTF8 { wanted -> Bool? in
            utf8.withContiguousStorageIfAvailable { bytes -> Bool in
                guard let first = wanted.first else { return true }
                var start = 0
                while let base = bytes.baseAddress, let pattern = wanted.baseAddress,
                    start + wanted.count <= bytes.count
                {
                    guard let place = memchr(base + start, Int32(first), bytes.count - start) else { return false }
                    start = UnsafeRawPointer(place) - UnsafeRawPointer(base)
                    if start + wanted.count <= bytes.count, memcmp(place, pattern, wanted.count) == 0 { return true }
                    start += 1
                }
                return false
            }
        }
        return isFound ?? String(self).holdsBytes(of: text)
    }

    /// The text behind its spaces.
    var unindented: Self.SubSequence {
        self[(utf8.firstIndex { $0 != UInt8(ascii: " ") } ?? endIndex)...]
    }
}
