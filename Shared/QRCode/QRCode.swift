internal import CQRencode

/// A QR code (ISO/IEC 18004) of a text, by libqrencode.
package struct QRCode: Equatable, Sendable {
    /// Modules on a side, without the quiet zone.
    package let size: Int
    private let darkModules: [Bool]

    /// Light modules around the symbol: what scanners want (ISO/IEC 18004 §6.3.8).
    private static let quietZone = 4
    /// What the largest symbol holds at level M.
    package static let maximumBytes = 2331

    /// Bytes of UTF-8 at error correction level M, in the smallest symbol that holds them.
    /// - Returns: nil for a text that is empty or longer than `maximumBytes`.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard (1...Self.maximumBytes).contains(bytes.count),
            let code = QRcode_encodeData(Int32(bytes.count), bytes, 0, QR_ECLEVEL_M)
        else { return nil }
        defer { QRcode_free(code) }
        size = Int(code.pointee.width)
        // The lowest bit of each byte is the colour.
        darkModules = (0..<size * size).map { code.pointee.data[$0] & 1 == 1 }
    }

    /// Whether a module is dark; outside of the symbol all are light.
    package func isDark(column: Int, row: Int) -> Bool {
        (0..<size).contains(column) && (0..<size).contains(row) && darkModules[row * size + column]
    }

    /// For pages: one path, scalable, dark on white whatever the page looks like.
    package var svg: String {
        let side = size + 2 * Self.quietZone
        var path = ""
        for row in 0..<size {
            var column = 0
            while column < size {
                let start = column
                while isDark(column: column, row: row) { column += 1 }
                if column > start {
                    path += "M\(start + Self.quietZone) \(row + Self.quietZone)h\(column - start)v1h-\(column - start)z"
                }
                column += 1
            }
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(side) \(side)" role="img" \
            shape-rendering="crispEdges"><rect width="\(side)" height="\(side)" fill="#fff"/>\
            <path d="\(path)" fill="#000"/></svg>
            """
    }

    /// For terminals: two rows a line in half blocks, black on white whatever the terminal looks like.
    package var terminalText: String {
        let rows = -Self.quietZone..<size + Self.quietZone
        var text = ""
        for row in stride(from: rows.lowerBound, to: rows.upperBound, by: 2) {
            text += "\u{1b}[30;47m"
            for column in rows {
                text.append(halfBlocks(column: column, row: row))
            }
            text += "\u{1b}[0m\n"
        }
        return text
    }

    /// The module and the one below it.
    private func halfBlocks(column: Int, row: Int) -> Character {
        switch (isDark(column: column, row: row), isDark(column: column, row: row + 1)) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
    }
}
