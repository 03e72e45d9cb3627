/// The path parameters.
enum PathParameter: String, Sendable {
    case project, tenant, webhook, application
    /// A key for pushes.
    case apnsKey
    /// The digest of a logo.
    case logo
    /// The id of a configured identity provider, or the name of an SMS provider.
    case provider
}

/// A path with parameters: `/v1/projects/{project}/accounts:lookup`, `/v1/projects/{project}:verb`.
struct PathPattern: Hashable, Sendable {
    enum Segment: Hashable, Sendable {
        case literal(String)
        /// Any text; with `verb`, any text that ends in `:` and the verb.
        case parameter(verb: String?)
    }

    let text: String
    let segments: [Segment]
    /// The names of the parameters, in path order.
    let parameters: [PathParameter]

    /// - Precondition: `text` begins with a slash and names known parameters. Patterns are constants, never input of a
    ///   caller.
    init(_ text: String) {
        precondition(text.hasPrefix("/"), "a path begins with a slash: \(text)")
        var parameters: [PathParameter] = []
        segments = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map { part in
            guard part.hasPrefix("{") else { return .literal(String(part)) }
            guard let close = part.firstIndex(of: "}"),
                let parameter = PathParameter(rawValue: String(part[part.index(after: part.startIndex)..<close]))
            else { preconditionFailure("no such parameter: \(part) in \(text)") }
            parameters.append(parameter)
            let rest = part[part.index(after: close)...]
            precondition(rest.isEmpty || rest.hasPrefix(":"), "only a verb may follow a parameter: \(text)")
            return .parameter(verb: rest.isEmpty ? nil : String(rest.dropFirst()))
        }
        self.text = text
        self.parameters = parameters
    }
}

/// The values of a request's path for its route's parameters.
struct PathValues: Equatable, Sendable {
    private var values: [(name: PathParameter, value: String)]

    init(_ values: [(name: PathParameter, value: String)] = []) { self.values = values }

    subscript(name: PathParameter) -> String? { values.first { $0.name == name }?.value }

    static func == (left: Self, right: Self) -> Bool {
        left.values.elementsEqual(right.values) { $0.name == $1.name && $0.value == $1.value }
    }
}
