import FoundationEssentials
import HTTPServer
import Vocabulary

/// The body of a form with a file, `multipart/form-data` (RFC 7578).
struct MultipartForm: Sendable {
    struct File: Equatable, Sendable {
        /// As the browser sent it. It is shown, and never a path.
        var name: String
        var content: [UInt8]
    }

    private(set) var fields: [String: String] = [:]
    /// By the name of their field. Without a chosen file, a field has an empty one.
    private(set) var files: [String: File] = [:]

    static let mediaType = "multipart/form-data"
    private static let maximumParts = 64
    private static let maximumFieldBytes = 64 << 10
    private static let lineEnd = Array("\r\n".utf8)
    private static let headEnd = Array("\r\n\r\n".utf8)

    /// - Throws: `APIError` for a body of another form. The limit of the size is that of every request.
    init(_ request: HTTPRequest) throws(APIError) {
        guard let boundary = Self.boundary(of: request.headers["content-type"] ?? "") else { throw .invalidArgument() }
        // The first delimiter has no line end before it.
        let body = Self.lineEnd + Array(request.body)
        let delimiter = Array("\r\n--\(boundary)".utf8)
        let pieces = body.split(
            separator: delimiter, maxSplits: Self.maximumParts + 1, omittingEmptySubsequences: false)
        guard pieces.count >= 2, let end = pieces.last, end.starts(with: "--".utf8) else { throw .invalidArgument() }
        // Before the first delimiter is nothing of the form.
        for piece in pieces.dropFirst().dropLast() { try add(piece) }
    }

    private mutating func add(_ piece: ArraySlice<UInt8>) throws(APIError) {
        guard piece.starts(with: Self.lineEnd), let headEnd = piece.firstRange(of: Self.headEnd),
            let head = String(validating: piece[..<headEnd.lowerBound], as: UTF8.self),
            let disposition = Self.disposition(in: head), let name = Self.parameter("name", of: disposition)
        else { throw .invalidArgument() }
        let content = piece[headEnd.upperBound...]
        if let fileName = Self.parameter("filename", of: disposition) {
            guard files.updateValue(File(name: fileName, content: Array(content)), forKey: name) == nil else {
                throw .invalidArgument()
            }
            return
        }
        guard content.count <= Self.maximumFieldBytes, !content.contains(0),
            let value = String(validating: content, as: UTF8.self), fields.updateValue(value, forKey: name) == nil
        else { throw .invalidArgument() }
    }

    private static func boundary(of contentType: String) -> String? {
        for part in contentType.pieces(at: ";").dropFirst() {
            let (name, value) = part.halves(at: "=")
            guard name.utf8.drop(while: { $0 == UInt8(ascii: " ") }).elementsEqual("boundary".utf8), let value else {
                continue
            }
            let text = value.utf8.filter { $0 != UInt8(ascii: "\"") }
            // RFC 2046 §5.1.1.
            return (1...70).contains(text.count) ? String(decoding: text, as: UTF8.self) : nil
        }
        return nil
    }

    private static func disposition(in head: String) -> Substring? {
        // A line end is one character of a `String`: the bytes are divided instead.
        for line in head.utf8.split(separator: UInt8(ascii: "\n")) {
            let (name, value) = Substring(line).halves(at: ":")
            if String(name).asciiLowercased == "content-disposition" { return value }
        }
        return nil
    }

    /// A parameter in quotes, in which browsers write a quote as `%22`.
    private static func parameter(_ name: String, of disposition: Substring) -> String? {
        for part in disposition.pieces(at: ";").dropFirst() {
            let (written, value) = part.halves(at: "=")
            guard written.utf8.drop(while: { $0 == UInt8(ascii: " ") }).elementsEqual(name.utf8), let value,
                value.utf8.first == UInt8(ascii: "\"")
            else { continue }
            return String(decoding: value.utf8.dropFirst().prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
        }
        return nil
    }
}
