/// Countries that have lengthened their numbers since the metadata of the oldest libphonenumber we run on (Debian 12 has
/// 8.12.57, of 2022). Without a row here everybody in such a country would be refused. A row may go when the library of
/// every system we support knows the new plan, and changes nothing where it does.
enum Renumbering {
    private struct Row {
        /// How the new numbers begin.
        var new: String
        /// What stood there before.
        var former: String
        /// Digits of a new number.
        var digits: Int
    }

    private static let rows = [
        // Benin, 30 November 2024: `01` before the eight digits of every number (ITU, national numbering plan of +229).
        Row(new: "+22901", former: "+229", digits: 13)
    ]

    /// - Parameter digits: `+` and ASCII digits.
    /// - Returns: the number as it was before, of which the library knows what it is for.
    static func formerNumber(of digits: String) -> String? {
        guard let row = rows.first(where: { digits.hasPrefix($0.new) && digits.utf8.count == $0.digits + 1 }) else {
            return nil
        }
        return row.former + digits.dropFirst(row.new.count)
    }
}
