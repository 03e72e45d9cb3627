import CommandLineArguments
import Glibc
import JSON
import ServiceRuntime
import Vocabulary

/// Prints the result of a command: tables for people, JSON for programs (`--json`).
///
/// Text escapes control characters and invisible characters, because much of it is external. It is cut at the width of
/// a terminal, and never cut in a file or a pipe. With `--json`, standard output has JSON only: one document for a
/// single result, and one line for each row of a list (JSON Lines). The members of an object are sorted.
struct CommandOutput: Sendable {
    let isJSON: Bool
    /// The width of the terminal; nil for a file or a pipe.
    private let terminalColumns: Int?
    private let printLine: @Sendable (String) -> Void
    private let printNote: @Sendable (String) -> Void

    /// - Parameter arguments: with `--json` for JSON, if the command declares it.
    init(_ arguments: ParsedArguments) {
        self.init(
            isJSON: arguments.declares(.json) && arguments.has(.json), terminalColumns: Self.widthOfStandardOutput,
            printLine: { print($0) }, printNote: { StandardError.shared.write($0) })
    }

    /// For tests.
    init(
        isJSON: Bool, terminalColumns: Int? = nil, printLine: @escaping @Sendable (String) -> Void,
        printNote: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.isJSON = isJSON
        self.terminalColumns = terminalColumns
        self.printLine = printLine
        self.printNote = printNote
    }

    /// Prints one result: a line for each field, or one JSON document.
    /// - Parameter fields: for people; a field without a text is omitted.
    func show(_ value: some Encodable, _ fields: [(name: String, text: String?)]) throws {
        guard !isJSON else { return try printJSON(value) }
        var table = TextTable(titles: [])
        let rows = fields.compactMap { field in field.text.map { [field.name, $0] } }
        for line in table.lines(rows) { printText(line) }
    }

    /// Prints one result: a sentence, or one JSON document.
    func show(_ value: some Encodable, _ sentence: String) throws {
        guard !isJSON else { return try printJSON(value) }
        printText(sentence)
    }

    /// As `show`, with several sentences. None is cut: one may be a link.
    func showLines(_ value: some Encodable, _ sentences: String) throws {
        guard !isJSON else { return try printJSON(value) }
        for line in sentences.pieces(at: "\n") { printLine(TextTable.escaped(String(line))) }
    }

    /// A sentence about the result, such as the number of rows. With `--json` it goes to standard error.
    func note(_ sentence: String) {
        let escaped = TextTable.escaped(sentence)
        isJSON ? printNote(escaped) : printLine(escaped)
    }

    /// Begins a list. Its rows can come in pages: see `OutputList.append`.
    func list<Row: Encodable>(_ columns: OutputColumn<Row>...) -> OutputList<Row> {
        OutputList(self, columns)
    }

    fileprivate func printJSON(_ value: some Encodable) throws {
        printLine(String(decoding: try WireJSON.encodeSorted(value), as: UTF8.self))
    }

    fileprivate func printText(_ line: String) {
        guard let terminalColumns, line.count > terminalColumns else { return printLine(line) }
        printLine(line.prefix(max(1, terminalColumns - 1)) + "…")
    }

    private static var widthOfStandardOutput: Int? {
        guard isatty(STDOUT_FILENO) == 1 else { return nil }
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}

/// A column of a list: its title and its text in each row.
struct OutputColumn<Row: Encodable> {
    let title: String
    let text: (Row) -> String

    init(_ title: String, _ text: @escaping (Row) -> String) {
        self.title = title
        self.text = text
    }
}

/// A list of rows, which may come in pages.
struct OutputList<Row: Encodable> {
    private let output: CommandOutput
    private let columns: [OutputColumn<Row>]
    private var table: TextTable
    /// The number of rows.
    private(set) var count = 0

    fileprivate init(_ output: CommandOutput, _ columns: [OutputColumn<Row>]) {
        self.output = output
        self.columns = columns
        table = TextTable(titles: columns.map(\.title))
    }

    /// Prints rows. The first page has the titles. A column is as wide as its widest text up to here, so columns of a
    /// later page can be wider.
    mutating func append(_ rows: [Row]) throws {
        count += rows.count
        if output.isJSON {
            for row in rows { try output.printJSON(row) }
        } else if !rows.isEmpty {
            for line in table.lines(rows.map { row in columns.map { $0.text(row) } }) { output.printText(line) }
        }
    }
}

/// Text in aligned columns.
struct TextTable {
    private static let separator = "  "

    private let titles: [String]
    private var widths: [Int]
    private var hasPrintedTitles: Bool

    /// - Parameter titles: empty for a table without titles.
    init(titles: [String]) {
        self.titles = titles
        widths = titles.map(\.count)
        hasPrintedTitles = titles.isEmpty
    }

    /// The lines of further rows, before the first of them the titles.
    /// - Parameter rows: with the same number of columns each.
    mutating func lines(_ rows: [[String]]) -> [String] {
        let cells = rows.map { $0.map(Self.escaped) }
        for row in cells {
            for (column, text) in row.enumerated() {
                if column < widths.count {
                    widths[column] = max(widths[column], text.count)
                } else {
                    widths.append(text.count)
                }
            }
        }
        let printed = (hasPrintedTitles ? [] : [titles]) + cells
        hasPrintedTitles = true
        return printed.map(line)
    }

    private func line(_ cells: [String]) -> String {
        let padded = zip(cells, widths).map { text, width in
            text + String(repeating: " ", count: max(0, width - text.count))
        }
        let line = padded.joined(separator: Self.separator)
        return String(line.reversed().drop { $0 == " " }.reversed())
    }

    /// Text that cannot change the terminal or begin a line.
    static func escaped(_ text: String) -> String {
        LogEscaping.escaped(text, maximumBytes: .max, betweenQuotes: false)
    }
}
