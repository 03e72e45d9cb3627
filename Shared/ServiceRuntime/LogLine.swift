import Vocabulary

/// One event, to be formatted as a line of text or JSON.
struct LogLine {
    var time: Moment
    var level: Log.Level
    var instance: String
    var event: String
    var traceID: String?
    var fields: [(name: String, value: LogValue)]

    /// With its line end, a line is not longer than `PIPE_BUF`, which a pipe writes atomically (pipe(7)).
    static let maximumBytes = 4095
    static let maximumValueBytes = 1024

    /// Fields beyond the limit are omitted, and the line records that.
    func rendered(as format: Log.Format) -> String {
        switch format {
        case .text: text
        case .json: json
        }
    }

    private var text: String {
        var line = "\(time.text) \(level.rawValue) \(instance) \(event)"
        let end = traceID.map { " trace=\($0)" } ?? ""
        appendFields(to: &line, end: end, whenTruncated: " truncated=true") { name, value in
            switch value.content {
            case .bare(let word): " \(name)=\(word)"
            case .text(let text):
                Self.isPlainWord(text) ? " \(name)=\(text)" : " \(name)=\"\(Self.escaped(text))\""
            }
        }
        return line + end
    }

    private var json: String {
        var line = """
            {"time":"\(time.text)","level":"\(level.rawValue)","instance":"\(Self.escaped(instance))",\
            "event":"\(Self.escaped(event))"
            """
        if let traceID { line += ",\"trace\":\"\(traceID)\"" }
        line += ",\"fields\":{"
        var separator = ""
        appendFields(to: &line, end: "}}", whenTruncated: ",\"truncated\":true") { name, value in
            defer { separator = "," }
            return switch value.content {
            case .bare(let word): "\(separator)\"\(name)\":\(word)"
            case .text(let text): "\(separator)\"\(name)\":\"\(Self.escaped(text))\""
            }
        }
        return line + "}}"
    }

    private func appendFields(
        to line: inout String, end: String, whenTruncated mark: String, _ render: (String, LogValue) -> String
    ) {
        var room = Self.maximumBytes - line.utf8.count - end.utf8.count - mark.utf8.count
        for (name, value) in fields {
            let field = render(name, value)
            guard field.utf8.count <= room else {
                line += mark
                return
            }
            line += field
            room -= field.utf8.count
        }
    }

    private static func escaped(_ text: String) -> String {
        LogEscaping.escaped(text, maximumBytes: maximumValueBytes)
    }

    /// Ids, names and addresses need no quotes.
    private static func isPlainWord(_ text: String) -> Bool {
        (1...200).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "=")
                    && $0 != UInt8(ascii: "\\")
            }
    }
}
