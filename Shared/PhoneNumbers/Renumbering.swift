/// Countries that have lengthened their numbers since the metadata of the oldest supported libphonenumber (Debian 12
/// has 8.12.57, of 2022). Without a row here all numbers of such a country would be rejected. A row can be removed when
/// the library of every supported system knows the new plan. It changes nothing where the library does.
enum Renumbering {
    private struct Row {
        /// The prefix of the new numbers.
        var new: String
        /// The prefix that it replaced.
        var former: String
        /// Digits of a new number.
        var digits: Int
    }

    private static let rows = [
        // Benin, 30 November 2024: `01` before the eight digits of every number (ITU, national numbering plan of +229).
        Row(new: "+22901", former: "+229", digits: 13)
    ]

    /// - Parameter digits: `+` and ASCII digits.
    /// - Returns: the number in its former form, whose type the library knows.
    static func formerNumber(of digits: String) -> String? {
        guard let row = rows.first(where: { digits.hasPrefix($0.new) && digits.utf8.count == $0.digits + 1 }) else {
            return nil
        }
        return row.former + digits.dropFirst(row.new.count)
    }
}
