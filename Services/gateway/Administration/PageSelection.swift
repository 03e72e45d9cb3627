import FoundationEssentials
import HTTPServer
import Vocabulary

/// The page of a list that an administrator requests (REST 5.2, 5.3).
struct PageSelection: Equatable, Sendable {
    /// 1 to the maximum size.
    var size: Int
    /// The last ID of the page before.
    var after: String?

    private static let defaultSize = 20

    /// Reads `pageSize` and `pageToken`, in either spelling.
    /// - Throws: `INVALID_PAGE_SELECTION` for a token that the gateway did not issue, and an error for a size that is no
    ///   number or negative.
    init(of request: HTTPRequest, maximumSize: Int) throws(APIError) {
        size = Self.defaultSize
        if let text = (request.queryItem("pageSize") ?? request.queryItem("page_size")).nilIfEmpty {
            guard let number = Int(text), number >= 0 else {
                throw .invalidValue(at: "page_size", type: "TYPE_INT32")
            }
            // On the wire, 0 means "not set".
            if number > 0 { size = min(number, maximumSize) }
        }
        if let token = (request.queryItem("pageToken") ?? request.queryItem("page_token")).nilIfEmpty {
            after = try PageToken.lastID(token)
        }
    }
}

extension PageSelection {
    /// The token of the next page.
    /// - Returns: nil if none follows. As in production, a full page has a token even if it is the last.
    /// - Parameters:
    ///   - count: the entries of this page.
    ///   - lastID: of its last entry.
    func nextPageToken(after lastID: String?, count: Int, hasMore: Bool) -> String? {
        hasMore || count >= size ? lastID.map { PageToken.text(after: $0) } : nil
    }
}

/// The start of the next page: the last id of this page. Opaque to callers.
enum PageToken {
    static func text(after id: String) -> String {
        Data(id.utf8).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// - Throws: `INVALID_PAGE_SELECTION` for a token that the gateway did not issue.
    static func lastID(_ token: String) throws(APIError) -> String {
        var text = token.replacing("-", with: "+").replacing("_", with: "/")
        text += String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        guard token.utf8.count <= 512, let bytes = Data(base64Encoded: text),
            let id = String(validating: bytes, as: UTF8.self), !id.isEmpty
        else { throw APIError(.invalidPageToken) }
        return id
    }
}
