import Testing

/// External bytes must not crash a process. Swift crashes on a forced unwrapping, an invalid index, and an arithmetic
/// overflow; and its characters can merge a separator with another scalar. Code that decodes such bytes uses none of
/// these.
///
/// The rules check words, not types. They recognize decoded values by name: the numbers that a `Decodable` type or one
/// with `init?(_ text: …)` stores, and those that a file converts from text.
struct DecodingRuleTests {
    private struct Exception {
        let file: String
        /// A text in the line; empty for all lines of the file.
        let text: String
        let reason: String

        init(_ file: String, _ text: String, _ reason: String) {
            (self.file, self.text, self.reason) = (file, text, reason)
        }

        func covers(_ line: Substring) -> Bool { text.isEmpty || line.contains(text) }
    }

    private struct Finding {
        let file: SourceTree.File
        let line: Int
        let rule: String

        var text: Substring { file.lines[line - 1] }
    }

    private static let exceptions: [Exception] = [
        // Forced unwrapping.
        .init(
            "Shared/HTTPServer/ListeningSocket.swift", "baseAddress!", "the buffer is a variable, which has an address"),
        .init(
            "Services/latchkey/Launcher/ListenAddressCheck.swift", "baseAddress!",
            "the buffer is a variable, which has an address"),
        .init("Shared/SMTPClient/SMTPTransfer.swift", "box!", "the pointer that we gave to the library"),
        .init("Services/latchkey/Launcher/Supervisor.swift", "outputs[instance]!", "one for each process of the plan"),
        // Indices.
        .init("Services/passkey/Rules/DerivedIdentifiers.swift", "seed[0]", "a digest of our own"),
        // All findings of the file.
        .init("Shared/HTTPServer/RequestHead.swift", "", "places in the library's buffer, held against its size"),
        .init("Services/gateway/HTTP/PathPattern.swift", "", "patterns are ours"),
        .init(
            "Services/identity/Passwords/Rules/GuessablePassword.swift", "lowercased()",
            "likeness of passwords is one of all letters"),
        .init(
            "Services/identity/Passwords/Rules/Password.swift", "lowercased()",
            "likeness of passwords is one of all letters"),
        .init("Shared/Broker/BrokerRouter.swift", "path.lastIndex", "the place of our own socket"),
        .init("Shared/SMTPClient/SMTPTransfer.swift", "isNewline", "line ends of a text that we send"),
        // Arithmetic.
        .init("Services/gateway/HTTP/ClientAddress.swift", "prefixLength", "at most the bits of an address"),
        .init(
            "Services/identity/Projects/IdentityStore+ConfigurationRevisions.swift", ") + [",
            "columns of a row are joined"),
        .init(
            "Services/gateway/Console/Users/ConsoleUserQuery.swift", "timeIntervalSince1970",
            "a day whose year has four digits"),
        .init("Services/identity/Tokens/Rules/SessionCookie.swift", "issuedAt + lifetimeSeconds", "times saturate"),
        .init(
            "Shared/Crypto/PrivateKey.swift", "signature.count - length", "what the library has written of the buffer"),
    ]

    /// Sources that read external bytes. The other modules read settings and files of the operator, and stored data.
    private static let decoders = [
        "Shared/Broker/", "Shared/Bus/", "Shared/CBOR/", "Shared/Contracts/", "Shared/Crypto/",
        "Shared/EmailTemplates/",
        "Shared/HTTPClient/",
        "Shared/HTTPServer/", "Shared/JOSE/", "Shared/JSON/", "Shared/PhoneNumbers/", "Shared/SAML/",
        "Shared/SMTPClient/",
        "Shared/Vocabulary/", "Shared/WebAuthn/", "Shared/ZeroMQ/", "Services/gateway/",
        "Services/identity/", "Services/federation/", "Services/mfa-sms/", "Services/mfa-totp/", "Services/notifier/",
        "Services/passkey/",
    ]

    private static let wrappers = ["Shared/Crypto/", "Shared/HTTPClient/", "Shared/HTTPServer/", "Shared/ZeroMQ/"]

    private static let integers: Set<String> = [
        "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64",
    ]

    private let products: [(file: SourceTree.File, tokens: [SourceTokens.Token])]

    /// Read once, because each test has its own value of this type.
    private static let all = Result {
        try SourceTree().files.filter { !$0.path.hasPrefix("Tests/") }.map { file in
            (file: file, tokens: SourceTokens(file.lines.joined(separator: "\n")).tokens)
        }
    }

    init() throws { products = try Self.all.get() }

    private var decoding: [(file: SourceTree.File, tokens: [SourceTokens.Token])] {
        products.filter { file, _ in
            Self.decoders.contains(where: file.path.hasPrefix) && !file.path.contains("Settings")
                && file.path != "Shared/SMTPClient/SMTPServer.swift"
        }
    }

    /// Records the findings without an exception, and the exceptions without a finding.
    private func recordFindings(_ findings: [Finding], sourceLocation: SourceLocation = #_sourceLocation) {
        for finding in findings {
            let isExcepted = Self.exceptions.contains { finding.file.path == $0.file && $0.covers(finding.text) }
            #expect(
                isExcepted, "\(finding.file):\(finding.line) \(finding.rule):\(finding.text)",
                sourceLocation: sourceLocation)
        }
    }

    @Test func everyExceptionIsNeeded() {
        let all = forcedUnwrappings + fixedIndices + characterParsing + trappingArithmetic
        for exception in Self.exceptions {
            #expect(
                all.contains { $0.file.path == exception.file && exception.covers($0.text) },
                "\(exception.file) has no \(exception.text) any more")
        }
    }

    // MARK: Forced unwrapping

    @Test func decodedValuesAreNotForceUnwrapped() { recordFindings(forcedUnwrappings) }

    private var forcedUnwrappings: [Finding] {
        products.flatMap { file, tokens in
            zip(tokens, tokens.dropFirst()).compactMap { operand, mark in
                mark.text == "!" && !mark.isSpaced && operand.endsOperand
                    ? Finding(file: file, line: mark.line, rule: "unwraps by force") : nil
            }
        }
    }

    // MARK: Indices

    /// Elements of decoded values are read with `first`, `popFirst()` and patterns, not by index.
    @Test func elementsAreNotReadByFixedIndex() { recordFindings(fixedIndices) }

    private var fixedIndices: [Finding] {
        decoding.flatMap { file, tokens in
            tokens.indices.dropFirst().dropLast(2).compactMap { place in
                tokens[place].text == "[" && !tokens[place].isSpaced && tokens[place - 1].endsOperand
                    && tokens[place + 1].isNumber && tokens[place + 2].text == "]"
                    ? Finding(file: file, line: tokens[place].line, rule: "takes an element by its number") : nil
            }
        }
    }

    // MARK: Characters

    /// Text is split at bytes (`halves(at:)`, `pieces(at:)`) or scalars, and only its ASCII letters change case.
    @Test func textIsParsedOnBytes() { recordFindings(characterParsing) }

    private static let characterMembers: Set<String> = [
        "isLetter", "isNumber", "isWholeNumber", "isHexDigit", "isWhitespace", "isNewline", "isPunctuation", "isSymbol",
    ]

    private var characterParsing: [Finding] {
        decoding.flatMap { file, tokens in
            tokens.indices.dropFirst(2).dropLast(4).compactMap { place -> Finding? in
                guard tokens[place - 1].text == ".", !file.lines[tokens[place].line - 1].contains("unicodeScalars")
                else {
                    return nil
                }
                let (owner, word) = (tokens[place - 2].text, tokens[place].text)
                let next = tokens[(place + 1)...].prefix(4).map(\.text)
                let isParsing =
                    switch word {
                    case "firstIndex", "lastIndex", "firstRange": next == ["(", "of", ":", "\""]
                    case "split": next == ["(", "separator", ":", "\""]
                    case "index": next.first == "(" && ["after", "before"].contains(next[1]) && owner != "utf8"
                    case "lowercased", "uppercased": next.starts(with: ["(", ")"])
                    default: Self.characterMembers.contains(word) && owner != "properties"
                    }
                return isParsing ? Finding(file: file, line: tokens[place].line, rule: "reads characters") : nil
            }
        }
    }

    // MARK: Arithmetic

    /// Decoded numbers are added and multiplied with functions that saturate or report an overflow, and converted with
    /// functions that cannot fail.
    @Test func arithmeticOnDecodedNumbersCannotTrap() { recordFindings(trappingArithmetic) }

    private var trappingArithmetic: [Finding] {
        let fields = decoding.reduce(into: Set<String>()) { $0.formUnion(Self.decodedFields($1.tokens)) }
        return decoding.flatMap { file, tokens in
            // A wrapper of a C library does not use these fields.
            let meetsFields = !Self.wrappers.contains(where: file.path.hasPrefix)
            let known = (meetsFields ? fields : []).union(Self.convertedNames(tokens))
            return tokens.indices.dropFirst().dropLast().compactMap { place -> Finding? in
                let token = tokens[place]
                if ["+", "-", "*", "+=", "-=", "*="].contains(token.text), token.isSpaced, tokens[place + 1].isSpaced {
                    guard
                        Self.name(endingBefore: place, tokens, isIn: known)
                            || Self.name(from: place + 1, tokens, isIn: known)
                    else { return nil }
                    return Finding(file: file, line: token.line, rule: "computes \(token.text) with a decoded number")
                }
                if Self.integers.contains(token.text), tokens[place - 1].text != ".", tokens[place + 1].text == "(",
                    Self.convertsNumber(from: place + 2, tokens, to: token.text, known)
                {
                    return Finding(file: file, line: token.line, rule: "converts a decoded number")
                }
                return nil
            }
        }
    }

    /// The stored numbers of types that are read from text or JSON. Replies come from processes of the mesh.
    private static func decodedFields(_ tokens: [SourceTokens.Token]) -> Set<String> {
        var fields: Set<String> = []
        for place in tokens.indices where ["struct", "enum", "class", "extension"].contains(tokens[place].text) {
            guard let open = tokens[place...].firstIndex(where: { $0.text == "{" }) else { continue }
            let head = tokens[place..<open].map(\.text)
            var (depth, isDecoded, own) = (0, false, Set<String>())
            if !Set(head).isDisjoint(with: ["Decodable", "Codable", "BusRequest"]) { isDecoded = true }
            for inner in tokens.indices[open...] {
                if tokens[inner].text == "{" { depth += 1 }
                if tokens[inner].text == "}" { depth -= 1 }
                if depth == 0 { break }
                guard depth == 1 else { continue }
                let words = tokens[inner...].prefix(5).map(\.text)
                if words == ["init", "?", "(", "_", "text"] { isDecoded = true }
                if words.count == 5, ["let", "var"].contains(words[0]), words[2] == ":",
                    integers.contains(words[3]), words[4] != "{"
                {
                    own.insert(words[1])
                }
            }
            if isDecoded, head.dropFirst().first != "Reply" { fields.formUnion(own) }
        }
        return fields
    }

    /// The names that a file assigns from `Int(…)` and similar conversions.
    private static func convertedNames(_ tokens: [SourceTokens.Token]) -> Set<String> {
        var names: Set<String> = []
        for place in tokens.indices.dropLast(4) where ["let", "var"].contains(tokens[place].text) {
            guard tokens[place + 2].text == "=" else { continue }
            let value = tokens[(place + 3)...].prefix(8).drop { ["try", "?"].contains($0.text) }.map(\.text)
            let isDirect = value.first.map(integers.contains) ?? false
            let isMapped = value.contains("flatMap") && value.contains(where: integers.contains)
            if isDirect && value.dropFirst().first == "(" || isMapped { names.insert(tokens[place + 1].text) }
        }
        return names
    }

    /// `count` is ignored: each collection has one, and requests with a count check it at once.
    private static func isKnown(_ place: Int, _ tokens: [SourceTokens.Token], _ known: Set<String>) -> Bool {
        tokens[place].text != "count" && known.contains(tokens[place].text)
    }

    private static func name(endingBefore place: Int, _ tokens: [SourceTokens.Token], isIn known: Set<String>) -> Bool {
        isKnown(place - 1, tokens, known)
    }

    /// The last name of a chain such as `call.deadline.milliseconds`, unless it is called.
    private static func name(from start: Int, _ tokens: [SourceTokens.Token], isIn known: Set<String>) -> Bool {
        var place = start
        while place + 2 < tokens.count, tokens[place].text == "(" { place += 1 }
        while place + 2 < tokens.count, tokens[place + 1].text == "." || tokens[place + 1].text == "?",
            tokens[place + 2].isName || tokens[place + 2].text == "."
        {
            place += 2
        }
        let isCalled =
            place + 1 < tokens.count && ["(", "["].contains(tokens[place + 1].text) && !tokens[place + 1].isSpaced
        return !isCalled && isKnown(place, tokens, known)
    }

    /// Whether `Int(…)` may fail for its argument: a label defines the result for values that do not fit.
    private static func convertsNumber(
        from start: Int, _ tokens: [SourceTokens.Token], to type: String, _ known: Set<String>
    ) -> Bool {
        guard start + 1 < tokens.count, tokens[start + 1].text != ":" else { return false }
        var (depth, place) = (1, start)
        while place < tokens.count, depth > 0 {
            if tokens[place].text == "(" { depth += 1 }
            if tokens[place].text == ")" { depth -= 1 }
            if ["rounded", "timeIntervalSince1970"].contains(tokens[place].text) { return true }
            place += 1
        }
        // Narrower than the stored numbers.
        return !["Int", "Int64"].contains(type) && place - 2 >= start && isKnown(place - 2, tokens, known)
    }

    // MARK: Tests of the rules

    /// Each line must be found.
    @Test(arguments: [
        "let a = b!", "let a = b!.c", "f(a[0]!)", "let a = parts[0]", "let a = f()[12]", "\"\\(parts[0])\"",
        "let i = text.firstIndex(of: \":\")", "text.split(separator: \",\")", "text.lowercased()",
        "a.allSatisfy(\\.isNumber)",
        "text.index(after: i)", "x = a.generation + 1", "x = 1 + a.b.generation", "a.generation *= 2",
        "x = UInt8(a.generation)",
        "x = Int(time.rounded())", "guard let n = Int(text) else {}; f(n + 1)",
    ])
    func violationIsFound(line: String) throws {
        let source = "struct A { var generation: UInt32; init?(_ text: String) {} }\n" + line + "\n_ = a; _ = b"
        #expect(!Self.findings(in: source).isEmpty)
    }

    @Test(arguments: [
        "let a = !b", "a != b", "// parts[0]", "\"parts[0]! + generation\"", "let a: [Int] = [0]",
        "text.utf8.index(after: i)",
        "x = a.generation.addingSaturated(1)", "x = UInt8(truncatingIfNeeded: a.generation)", "x = a.utf8.count + 1",
        "x = text + \"a\"", "text.unicodeScalars.split(separator: \",\")", "text.asciiLowercased",
    ])
    func safeCodeIsNotReported(line: String) throws {
        let source = "struct A { var generation: UInt32; init?(_ text: String) {} }\n" + line + "\n_ = a; _ = b"
        #expect(Self.findings(in: source).map(\.rule) == [])
    }

    private init(source: String) {
        let file = SourceTree.File(
            path: "Services/gateway/A.swift", lines: source.split(separator: "\n", omittingEmptySubsequences: false))
        products = [(file, SourceTokens(source).tokens)]
    }

    private static func findings(in source: String) -> [Finding] {
        let rules = DecodingRuleTests(source: source)
        return rules.forcedUnwrappings + rules.fixedIndices + rules.characterParsing + rules.trappingArithmetic
    }
}
