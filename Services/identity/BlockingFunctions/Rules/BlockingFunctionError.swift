import Contracts
import FoundationEssentials
import JSON

/// The error of a blocking function, as clients get it: the object that Google's libraries for functions send, and that
/// client libraries read from the error text.
struct BlockingFunctionError: Equatable, Sendable {
    var message: String
    /// A code of Google's RPC errors, for example `PERMISSION_DENIED`.
    var status = "INTERNAL"
    /// Values of the function for its application.
    var details: JSONValue?

    static let invalidResponse = BlockingFunctionError(message: "The function's response is invalid.")
    static let unreachable = BlockingFunctionError(message: "The function cannot be reached.", status: "UNAVAILABLE")
    static let timedOut = BlockingFunctionError(
        message: "The function did not respond in time.", status: "DEADLINE_EXCEEDED")

    static let maximumMessageLength = 500
    /// UTF-8 bytes of the whole text. Details that do not fit are omitted.
    static let maximumTextBytes = 4096
    private static let maximumStatusLength = 64
}

extension BlockingFunctionError {
    /// The error of a response with another status than 200. A body that is not of this form is not passed on.
    init(status httpStatus: Int, body: Data) {
        // `try?`: the body of a proxy is not JSON.
        let document = try? WireJSON.decode(JSONValue.self, from: body)
        guard case .object(let error)? = document?["error"], case .string(let message)? = error["message"] else {
            self.init(message: "The function returned the status \(httpStatus).")
            return
        }
        var status = "INTERNAL"
        if case .string(let text)? = error["status"], (1...Self.maximumStatusLength).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x41...0x5a).contains($0) || $0 == UInt8(ascii: "_") })
        {
            status = text
        }
        let isReadable: (Unicode.Scalar) -> Bool = { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: false
            default: true
            }
        }
        var cleaned = String.UnicodeScalarView()
        cleaned.append(contentsOf: message.unicodeScalars.filter(isReadable).prefix(Self.maximumMessageLength))
        self.init(message: String(cleaned), status: status, details: error["details"])
    }

    /// Whether the response is that of a function which refuses the sign-in, as Google's libraries for functions write it.
    /// Otherwise the function has failed, or the response is of another server, such as a proxy.
    static func isRefusal(status: Int, body: Data) -> Bool {
        guard (400..<500).contains(status),
            // `try?`: the body of a proxy is not JSON.
            let document = try? WireJSON.decode(JSONValue.self, from: body),
            case .string? = document["error"]?["message"]
        else { return false }
        return true
    }

    /// The text after `BLOCKING_FUNCTION_ERROR_RESPONSE : `. Client libraries read the JSON in it.
    var text: String {
        let full = text(with: details)
        return full.utf8.count <= Self.maximumTextBytes ? full : text(with: nil)
    }

    private func text(with details: JSONValue?) -> String {
        var error: [String: JSONValue] = ["message": .string(message), "status": .string(status)]
        error["details"] = details
        // `try?`: values that were decoded can be encoded.
        let json = try? WireJSON.encodeSorted(["error": error])
        return "HTTP Cloud Function returned an error: \(String(decoding: json ?? Data("{}".utf8), as: UTF8.self))"
    }
}

extension ServiceError {
    static func blockingFunctionError(_ error: BlockingFunctionError) -> ServiceError {
        .init(.blockingFunctionError, error.text)
    }
}
