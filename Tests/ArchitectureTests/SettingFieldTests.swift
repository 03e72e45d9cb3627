import Contracts
import Foundation
import JSON
import Testing
import Vocabulary

@testable import IdentityService

/// A field of the configuration of a project or tenant is checked by a rule and read by a service, or refused because it
/// has no effect. These tests walk the fields, so a forgotten one fails.
struct SettingFieldTests {
    private static let now = "2026-01-31T12:00:00Z"

    // MARK: Rules

    /// A value of the right type that no rule accepts: the field, and a document with it alone.
    struct Violation: Sendable, CustomTestStringConvertible {
        var path: String
        var document: JSONValue

        var testDescription: String { path }
    }

    /// Of every field whose type allows values without meaning. Of a boolean or an enumeration, each value has one.
    private static func violations(of schema: DocumentSchema, _ path: String = "") -> [Violation] {
        func all(_ values: [JSONValue]) -> [Violation] { values.map { Violation(path: path, document: $0) } }
        func fields(_ fields: [String: DocumentSchema]) -> [Violation] {
            fields.sorted { $0.key < $1.key }.flatMap { name, field in
                violations(of: field, path.isEmpty ? name : "\(path).\(name)").map {
                    Violation(path: $0.path, document: .object([name: $0.document]))
                }
            }
        }
        switch schema {
        case .string: return all([.string(String(repeating: "\u{7}://%NOTHING%", count: 1000))])
        case .integer: return all([.integer(-1), .integer(1 << 40)])
        case .integerText: return all([.string("-1")])
        case .number: return all([.number(-0.5), .number(1.5)])
        case .boolean, .enumeration, .output: return []
        case .list(let element):
            return violations(of: element, path + "[]").map {
                Violation(path: $0.path, document: .array([$0.document]))
            }
        case .map(.string): return all([.object(["\u{7}": .string("\u{7}")])])
        case .map(let element):
            return violations(of: element, path + "{}").map {
                Violation(path: $0.path, document: .object(["beforeCreate": $0.document]))
            }
        case .message(let messageFields), .oneOf(let messageFields): return fields(messageFields)
        }
    }

    @Test(arguments: violations(of: ProjectConfiguration.schema))
    func everyFieldOfProjectsIsChecked(violation: Violation) throws {
        let configuration = try WireJSON.decode(
            ProjectConfiguration.self, from: WireJSON.encode(violation.document))
        try #require(configuration != .init(), "the document does not set the field")
        #expect(throws: ServiceError.self, "no rule checks \(violation.path)") {
            let checked = try configuration.checked(after: .init(), at: Self.now, isDev: false)
            try checked.refuseIneffectiveSettings(after: .init())
        }
    }

    @Test(arguments: violations(of: TenantConfiguration.schema))
    func everyFieldOfTenantsIsChecked(violation: Violation) throws {
        let configuration = try WireJSON.decode(
            TenantConfiguration.self, from: WireJSON.encode(violation.document))
        try #require(configuration != .init(), "the document does not set the field")
        #expect(throws: ServiceError.self, "no rule checks \(violation.path)") {
            let checked = try configuration.checked(after: nil, at: Self.now, isDev: false)
            try checked.refuseIneffectiveSettings(after: nil)
        }
    }

    // MARK: Readers

    /// Every field with a value, as paths: `mfa.state`.
    private static func paths(of schema: DocumentSchema, _ path: [String] = []) -> [[String]] {
        switch schema {
        case .string, .integer, .integerText, .number, .boolean, .enumeration: [path]
        case .output: []
        case .list(let element), .map(let element): paths(of: element, path)
        case .message(let fields), .oneOf(let fields):
            fields.sorted { $0.key < $1.key }.flatMap { paths(of: $0.value, path + [$0.key]) }
        }
    }

    /// Names that other types have too: the field is read as `member.name` of the message that it belongs to, or by the
    /// text below.
    private static let ambiguous: Set<String> = [
        "action", "body", "content", "displayName", "enabled", "host", "key", "method", "origins", "password",
        "platform", "port", "quota", "replyTo", "state", "subject", "type", "username",
    ]
    private static let readers: [String: String] = [
        "mfa.providerConfigs.state": "entries.first { $0.state == .mandatory }",
        "mobileApps.platform": "switch app.platform",
        "passkeyConfig.origins": "configuration?.origins",
        "passkeyConfig.state": "switch self?.state",
        "recaptchaConfig.recaptchaKeys.key": "entry?.key",
        "recaptchaConfig.recaptchaKeys.type": "($0.type ?? .web)",
        "recaptchaConfig.managedRules.action": "$0.action",
    ]

    @Test func everyFieldIsReadByAService() throws {
        let tree = try SourceTree()
        let rules = ["/Projects/Rules/ConfigurationRules", "/Tenants/Rules/TenantRules"]
        let services = tree.files(in: "Services").filter { file in !rules.contains(where: file.path.contains) }
        let contracts = tree.files(in: "Shared/Contracts/Configuration") + tree.files(in: "Shared/Contracts/Notifier")
        let paths = Self.paths(of: ProjectConfiguration.schema)
        let names = Set(paths.compactMap { $0.last.map { Substring($0) } })
        // The lines that have each name, other than its declaration.
        var code: [Substring: [Substring]] = [:]
        for file in services + contracts {
            for (_, line) in file.code where !line.contains("package var ") || line.contains("{") {
                for name in names.intersection(Self.words(in: line)) { code[name, default: []].append(line) }
            }
        }
        let refused = tree.files.filter { $0.path.hasSuffix("ConfigurationRules+Ineffective.swift") }
            .flatMap(\.code).map(\.text)
        for path in paths {
            let dotted = path.joined(separator: ".")
            let name = path.suffix(1).joined()
            let messages = path.indices.map { path[...$0].joined(separator: ".") }
            // The members of SMTP servers are refused by one loop.
            let isRefused = refused.contains { line in
                messages.contains { line.contains("\"\($0)\"") }
                    || path.dropLast().last == "smtp" && line.contains("(\"\(name)\", ")
            }
            let isRead = (code[Substring(name)] ?? []).contains { line in
                if let reader = Self.readers[dotted] { return line.contains(reader) }
                guard Self.ambiguous.contains(name) else { return true }
                let message = path.dropLast().suffix(1).joined()
                return ["\(message)?.\(name)", "\(message).\(name)", "stored.\(name)", "quota.\(name)"]
                    .contains(where: line.contains)
            }
            #expect(isRead || isRefused, "no service reads \(dotted)")
        }
    }

    private static func words(in line: Substring) -> [Substring] {
        line.split { !($0.isLetter || $0.isNumber) }
    }

    /// What a tenant has of its own. The project's rules and readers see the rest through `applying(_:)`.
    @Test func everyFieldOfTenantsHasAnEffect() throws {
        // Read from the tenant itself.
        let own: Set<String> = ["displayName", "disableAuth"]
        var project = ProjectConfiguration()
        project.notification = .init()
        project.notification?.sendEmail = .init()
        project.client = .init()
        for (name, schema) in TenantConfiguration.fields where !own.contains(name) {
            guard let value = Self.sample(of: schema) else { continue }
            let tenant = try WireJSON.decode(
                TenantConfiguration.self, from: WireJSON.encode(JSONValue.object([name: value])))
            try #require(tenant != .init())
            #expect(project.applying(tenant) != project.applying(.init()), "\(name) of a tenant has no effect")
        }
    }

    private static func sample(of schema: DocumentSchema) -> JSONValue? {
        switch schema {
        case .string: .string("text")
        case .boolean: .bool(true)
        case .integer: .integer(1)
        case .number: .number(0.5)
        case .integerText: .string("1")
        case .enumeration(_, let names): names.last.map(JSONValue.string)
        case .list(let element): .array([sample(of: element)].compactMap(\.self))
        case .map(let element): .object(["key": sample(of: element) ?? .null])
        case .message(let fields), .oneOf(let fields): .object(fields.compactMapValues(sample))
        case .output: nil
        }
    }
}
