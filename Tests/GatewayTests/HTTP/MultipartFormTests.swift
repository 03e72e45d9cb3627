import FoundationEssentials
import HTTPServer
import Testing

@testable import GatewayService

@Suite struct MultipartFormTests {
    private static func form(_ body: String, boundary: String = "x") throws -> MultipartForm {
        var headers = HTTPHeaders()
        headers.append("Content-Type", "multipart/form-data; boundary=\(boundary)")
        return try MultipartForm(HTTPRequest(.post, "/", headers: headers, body: Data(body.utf8)))
    }

    private static let head = "--x\r\nContent-Disposition: form-data; name="

    @Test func fieldsAndFilesAreRead() throws {
        let form = try Self.form(
            """
            \(Self.head)"a"\r\n\r\n1\r\n\(Self.head)"f"; filename="u;\u{E4}.json"\r\nContent-Type: text/plain\r\n\r\n\
            {}\r\n\r\n--y\r\n--x--\r\n
            """)
        #expect(form.fields == ["a": "1"])
        #expect(form.files["f"]?.content == Array("{}\r\n\r\n--y".utf8))
    }

    @Test func boundaryMayHaveQuotes() throws {
        #expect(try Self.form("\(Self.head)\"a\"\r\n\r\n\r\n--x--", boundary: "\"x\"").fields == ["a": ""])
    }

    @Test func formWithoutFieldsIsEmpty() throws {
        #expect(try Self.form("--x--").fields.isEmpty)
    }

    @Test(arguments: [
        "", "\(head)\"a\"\r\n\r\n1", "\(head)\"a\"\r\n1\r\n--x--", "--x\r\n\r\n1\r\n--x--",
        "\(head)a\r\n\r\n1\r\n--x--", "\(head)\"a\"\r\n\r\n1\u{0}\r\n--x--",
        "\(head)\"a\"\r\n\r\n1\r\n\(head)\"a\"\r\n\r\n2\r\n--x--",
        String(repeating: "\(head)\"a\"\r\n\r\n1\r\n", count: 80) + "--x--",
    ])
    func malformedBodyIsRefused(body: String) {
        #expect(throws: APIError.self) { try Self.form(body) }
    }

    @Test(arguments: ["", "; boundary=", "; boundary=\(String(repeating: "x", count: 71))", "; other=x"])
    func bodyWithoutBoundaryIsRefused(parameters: String) {
        var headers = HTTPHeaders()
        headers.append("Content-Type", "multipart/form-data\(parameters)")
        #expect(throws: APIError.self) { try MultipartForm(HTTPRequest(.post, "/", headers: headers)) }
    }
}
