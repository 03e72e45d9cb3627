import ConfigurationDocuments
import FoundationEssentials
import HTTPServer
import JSON
import Vocabulary

/// Reads bodies with the tolerance of the wire format (REST 1.4): camel and snake case, `null` as absent, an empty body
/// as an empty object. The limits of `JSONLimits` apply.
enum RequestBody {
    /// - Throws: `APIError` that names a field whose value has the wrong type.
    static func json<Body: Decodable>(_ type: Body.Type, from request: HTTPRequest) throws(APIError) -> Body {
        try requireContentType("application/json", of: request)
        return try decode(type, from: request.body.isEmpty ? Data("{}".utf8) : request.body)
    }

    /// Reads the body of an administrator: an unknown field is refused by its name, as in production. `Ignored` stands
    /// for a field of the protocol without effect.
    /// - Throws: `APIError` that names a field whose value has the wrong type, or that is unknown.
    static func administratorJSON<Body: Decodable>(
        _ type: Body.Type, from request: HTTPRequest
    ) throws(APIError) -> Body {
        try requireContentType("application/json", of: request)
        let (body, unknownNames) = try mappingErrors {
            try JSONDocument(request.body.isEmpty ? Data("{}".utf8) : request.body)
                .decodeFindingUnknownNames(type, names: .camelOrSnakeCase)
        }
        guard unknownNames.isEmpty else { throw APIError(unknownNames) }
        return body
    }

    static func decode<Body: Decodable>(_ type: Body.Type, from body: Data) throws(APIError) -> Body {
        try mappingErrors { try WireJSON.decode(type, from: body, names: .camelOrSnakeCase) }
    }

    private static func mappingErrors<Body>(_ decode: () throws -> Body) throws(APIError) -> Body {
        do {
            return try decode()
        } catch let fault as JSONError {
            throw APIError(fault)
        } catch let error as DecodingError {
            throw APIError(error)
        } catch {
            throw .invalidArgument()
        }
    }

    /// The pairs of an `application/x-www-form-urlencoded` body.
    static func form(from request: HTTPRequest) throws(APIError) -> [String: String] {
        guard request.body.count <= maximumFormBytes, let text = String(validating: request.body, as: UTF8.self) else {
            throw .invalidArgument()
        }
        var pairs: [String: String] = [:]
        for pair in text.utf8.split(separator: UInt8(ascii: "&")) {
            let (written, rest) = Substring(pair).halves(at: "=")
            guard pairs.count < maximumFormPairs, let name = PercentEncoding.decoded(written, isForm: true),
                let value = PercentEncoding.decoded(rest ?? "", isForm: true), !name.utf8.contains(0),
                !value.utf8.contains(0),
                pairs.updateValue(value, forKey: name) == nil
            else { throw .invalidArgument() }
        }
        return pairs
    }

    private static let maximumFormPairs = 64
    private static let maximumFormBytes = 64 << 10

    /// The media type without its parameters, in lower case. Empty without the header.
    static func mediaType(of request: HTTPRequest) -> String {
        let header = (request.headers["content-type"] ?? "").utf8
        return String(decoding: header.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }, as: UTF8.self)
            .asciiLowercased
    }

    /// Browsers send other types across origins without a preflight request (security rule HT4).
    private static func requireContentType(_ expected: String, of request: HTTPRequest) throws(APIError) {
        guard let header = request.headers["content-type"] else {
            if request.body.isEmpty { return }
            throw .contentType(expected: expected)
        }
        guard mediaType(of: request) == expected else { throw .contentType(expected: expected) }
        guard let parameters = header.halves(at: ";").behind?.asciiLowercased,
            let charset = parameters.pieces(at: ";").compactMap(charset(of:)).first
        else { return }
        guard ["utf-8", "utf8"].contains(charset) else { throw .contentType(expected: "\(expected) in UTF-8") }
    }

    /// The value of a parameter `charset=...`, without its quotes.
    private static func charset(of parameter: Substring) -> String? {
        let (name, value) = parameter.halves(at: "=")
        guard let value, name.utf8.drop(while: \.isBlank).elementsEqual("charset".utf8) else { return nil }
        return String(
            decoding: value.utf8.prefix { !$0.isBlank }.filter { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
    }
}

extension UInt8 {
    /// A space or a tab.
    fileprivate var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
}

// MARK: - Errors

extension APIError {
    init(_ fault: JSONError) {
        let reason =
            switch fault {
            case .malformed(let offset): "Unexpected text at byte \(offset)."
            case .duplicateName(let offset): "A name stands twice in one object, at byte \(offset)."
            case .tooDeep: "It is nested too deep."
            case .tooManyNodes: "It holds too many values."
            case .stringTooLong: "A string is too long."
            case .numberOutOfRange(let offset): "A number is out of range, at byte \(offset)."
            case .nul(let offset): "A string holds U+0000, at byte \(offset)."
            }
        self = .invalidArgument("Invalid JSON payload received. \(reason)")
    }

    /// Names the field path and the expected type, never the value.
    init(_ error: DecodingError) {
        let (path, type): ([any CodingKey], String?) =
            switch error {
            case .typeMismatch(let type, let context): (context.codingPath, Self.typeName(type))
            case .valueNotFound(let type, let context): (context.codingPath, Self.typeName(type))
            case .keyNotFound(let key, let context): (context.codingPath + [key], nil)
            case .dataCorrupted(let context): (context.codingPath, nil)
            @unknown default: ([], nil)
            }
        guard !path.isEmpty else {
            self = .invalidArgument("Invalid JSON payload received. The root must be an object.")
            return
        }
        self = .invalidValue(at: Self.text(of: path), type: type)
    }

    /// In one response.
    private static let maximumUnknownNames = 20

    /// - Parameter unknownNames: not empty.
    init(_ unknownNames: [JSONUnknownName]) {
        let violations = unknownNames.prefix(Self.maximumUnknownNames).map { unknown in
            let place = Self.text(of: unknown.codingPath)
            return FieldViolation(
                field: place,
                description: "Invalid JSON payload received. Unknown name \"\(unknown.name.prefix(64))\""
                    + (place.isEmpty ? "" : " at '\(place)'") + ": Cannot find field.")
        }
        self = .invalidArgument(violations.first?.description ?? "Invalid JSON payload received.", violations)
    }

    static func invalidValue(at field: String, type: String?) -> APIError {
        let description = "Invalid value at '\(field)'" + (type.map { " (\($0))" } ?? "")
        return .invalidArgument(description, [.init(field: field, description: description)])
    }

    /// `users[0].email`
    private static func text(of path: [any CodingKey]) -> String {
        path.reduce(into: "") { text, key in
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += (text.isEmpty ? "" : ".") + key.stringValue
            }
        }
    }

    /// The protocol-buffer type names.
    private static func typeName(_ type: any Any.Type) -> String? {
        switch type {
        case is String.Type: "TYPE_STRING"
        case is Bool.Type: "TYPE_BOOL"
        case is Int64.Type, is Int.Type: "TYPE_INT64"
        case is Double.Type: "TYPE_DOUBLE"
        case is any WireEnumeration.Type: "TYPE_ENUM"
        case is [String: Any].Type: "TYPE_MESSAGE"
        default: nil
        }
    }
}

// MARK: - Tolerant values

/// The value of a field of the protocol that has no effect here, of any type.
struct Ignored: Decodable, Sendable {
    init(from decoder: any Decoder) {}
}

/// An int64 of the wire: a JSON number or a string of digits.
struct WireInteger: Decodable, Equatable, Sendable {
    var value: Int64

    init(_ value: Int64) {
        self.value = value
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {  // `try?`: the other type is tried next.
            guard let value = Int64(text) else {
                throw DecodingError.typeMismatch(
                    Int64.self, .init(codingPath: decoder.codingPath, debugDescription: "not an integer"))
            }
            self.value = value
        } else {
            value = try container.decode(Int64.self)
        }
    }
}

/// An enum of the wire: its names in protocol-number order, beginning at 1. 0 means "not set".
protocol WireEnumeration: RawRepresentable<String>, CaseIterable, Sendable {}

extension WireEnumeration {
    /// By name, by number, or by number in a string.
    init?(wire text: String) {
        if let named = Self(rawValue: text) {
            self = named
        } else if let number = Int(text), let (_, numbered) = zip(1..., Self.allCases).first(where: { $0.0 == number })
        {
            self = numbered
        } else {
            return nil
        }
    }
}

/// A member whose value is an enum in any of its encodings.
struct WireEnum<Value: WireEnumeration>: Decodable, Sendable {
    var value: Value

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // `try?`: the other type is tried next.
        let text = try (try? container.decode(String.self)) ?? String(container.decode(Int64.self))
        guard let value = Value(wire: text) else {
            throw DecodingError.typeMismatch(
                Value.self, .init(codingPath: decoder.codingPath, debugDescription: "no such name or number"))
        }
        self.value = value
    }
}

/// The same where "not set" may be explicit: 0, an empty text, or the production name that ends in `_UNSPECIFIED`.
struct OptionalWireEnum<Value: WireEnumeration>: Decodable, Sendable {
    var value: Value?

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // `try?`: any other type becomes an error below.
        let text = (try? container.decode(String.self)) ?? (try? container.decode(Int64.self)).map { String($0) }
        if let text, text.isEmpty || text == "0" || text.hasSuffix("_UNSPECIFIED") { return }
        value = try WireEnum<Value>(from: decoder).value
    }
}
