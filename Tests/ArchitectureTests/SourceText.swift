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
        let isFound = text.withUTF8 { wanted in
            utf8.withContiguousStorageIfAvailable { bytes in
                guard let start = bytes.baseAddress, let first = wanted.baseAddress else { return wanted.isEmpty }
                return memmem(start, bytes.count, first, wanted.count) != nil
            }
        }
        return isFound ?? String(self).holdsBytes(of: text)
    }

    /// The text behind its spaces.
    var unindented: Self.SubSequence {
        self[(utf8.firstIndex { $0 != UInt8(ascii: " ") } ?? endIndex)...]
    }
}
